"""Projects: what is asked of their calls, and who may do what in them.

Read in this order:
permissions: roles, and what each role may see and do
scope: resolve `project_id` and `team` of a request to projects
models: projects, shares and configuration versions
locking: the lock that every change of a project's calls takes first
configuration: the configuration document and its rules
configuration_fields: the kinds of values that it is made of, and their limits
configuration_rules: the rule language: phrases, patterns, groups, order, counts and silences
configuration_errors: what is wrong with a document, in sentences with the path of the value
invitations: offer a project, a place in a team or an account to an e-mail
services: create, configure, share and delete projects, each with its audit event
versions: what each version of the configuration changed, and the way back
merging: two people's changes of one configuration, brought together
saving: a part of the configuration, saved together with what others changed of it since
owners: which of several projects have a criterion, a mistake or a prompt
rubric_changes: the versions that changed a rubric, for the marks of a report
engines: the engines that a project's calls go to
"""
