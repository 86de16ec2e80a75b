"""What calls answer to the custom questions of their project.

answers   the answers call by call, as the API lists them
summary   the same as a table, filtered and counted question by question, in pages and files
"""
