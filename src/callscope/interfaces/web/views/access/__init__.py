"""Who gets in, and who goes.

email_changes: another e-mail for an account
invitations: sent, accepted, declined
logo: the organization's logo
password_forms: a new password, and its repetition
password_reset: a forgotten password
second_factor: the app that shows codes
single_sign_on: an identity provider
user_erasure: erase a user
users: all users, each with what administrators can do
"""
