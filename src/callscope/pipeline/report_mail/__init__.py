"""The report by mail: once a week or a month, to people who asked for it and see the project.

Read in this order:

- schedule: when a mail is due, and which days it is about
- subscriptions: who gets which, until when; what is due becomes jobs
- sending: one mail, at least once and at most twice for each date
"""
