"""What people say about the machine's results.

- statistics: agreement beyond chance, with intervals
- agreement: machine and people, by criterion and over all
- evaluation: a file of people's labels against the stored results
"""
