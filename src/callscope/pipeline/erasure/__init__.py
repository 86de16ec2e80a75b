"""Erase calls, callers, agents, files and projects so that nothing of them remains.

removal     what is erased, each erasure one transaction with an audit event
traces      what else has kept a word of a call: topics, contact reasons, agents, waiting rows
cleaning    the bytes that the database itself keeps of rows that are gone
due_removal what of a project is past its days of retention
retention   the sweep that removes it
users       a user, whose projects go to somebody else
losses      how much would go with a project
selection   which calls a caller or an agent has
receipt     what a person is shown of it, without names
"""
