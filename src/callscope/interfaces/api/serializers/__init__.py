"""What the endpoints answer and read; each class is also the shape in the OpenAPI document.

calls: the report, call lists and details, derived from the rows of the reports room
maps: criteria by agent, calls by weekday and hour
figure_trend: one figure by week
contact_reasons: contact reasons, what changes them, and their history
reviewing/: draws of calls to review (samples), and several people who rate the same calls (calibrations)
agreement: how far machine and people agree
reviews: reviews of calls, and what is sent to make one
places: the agent and the contact reason that a review gives a call
files: files, uploads, manifests, transcripts and tasks
projects: projects and their configuration documents
rubrics: findings of the lint, versions of a rubric
replays: replays of drafts, and the re-scoring of history
probes: probes of steadiness and fairness, and what they will cost
usage: the usage ledger
audit: events of the audit trail
agents: links between users and agents
appeals: appeals of agents, and what is sent to make and decide one
access: API keys and invitations
fields: fields that several of them share
derived: makes a serializer from a dataclass or named tuple
"""
