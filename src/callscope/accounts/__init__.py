"""Users, teams, API keys, quotas and the audit trail: who may enter.

Read in this order:
models: the tables
services: create and change users, teams and keys, each with its audit event
organization: the name and logo that pages show
sign_in: sign-in by e-mail and password
sign_in_limits: how often a password may be tried
single_sign_on: who an identity provider has signed in, and in which teams
second_factor, second_factor_policy: codes of an app at the sign-in, and whether all need one
sessions: who is signed in where, and for how long
mail_html: a mail as HTML
mail: send mail in the background
password_hasher: hash passwords, few at a time
keys: find the owner of an API key and what its scope leaves, at every request
audit: write the audit trail
trail: notes of reads and refusals on their way into it, and who may see what of it
"""
