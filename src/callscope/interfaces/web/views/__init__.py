"""One module for each page.

access, session_start: passwords that are replaced, second factors, and the start of a session
start, session, account, keys, preferences: signing in and what belongs to one person
report, report_progress, calls, call, questions: reading
lists: saved views of the call list, and what is done with the calls that a person chose
call_details: what is known of a call from outside its audio, corrected
review: a person's answers to the criteria of a call
upload, project_files: files
projects, project_people, teams: setting up
settings: the settings of a project, part by part
agents: who sees the calls of which agent
reasons: the contact reasons of a project, and what people change in them
reviewing: what people do together with the reviews of a project
rubrics: a rubric looked at before it counts
sharing: reports that go to people
records: the audit trail and the usage ledger
errors: pages for what went wrong
"""
