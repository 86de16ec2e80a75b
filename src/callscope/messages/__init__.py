"""Messages are codes with parameters; the sentences are written once, in English, and translated by gettext.

Read in this order:

catalog      every code with its English sentence: the source texts of the translations
lint_catalog those of the lint of rubrics
agent_catalog those about agents and their users
report_catalog those about windows and filters
message      a code with its parameters, and the error that carries one; knows no Django
translation  a message, or a sentence that was stored in English, in the language of the page
"""
