"""Calls as clients describe them: files, agents, metadata, the manifest, and the stored bytes.

Read first, in this order:

- models: uploaded files, the calls they record, agents, and manifest rows that wait for a file
- fields: what a client may say about a call, each field defined once
- namesakes: agents who may be taken for each other, and how to show those of one name
- metadata: read, check and write these fields
- agents: find, rename and create the agents that calls name
- manifest_file: read the rows of a CSV
- manifest: apply the rows to calls, and keep those whose files are still to come
- storage: where the bytes of files are, in a folder or an S3 bucket
- room: the part of the disk that uploads and jobs leave free
- own_calls: what an agent's user sees, who has no role in the project
- reviewed_agents: agents that a review gives to calls, and those that these calls have by themselves
- share_links: links that show a call or a report without an account
- bucket: the S3 bucket, asked with little patience
- erasure: delete these bytes for certain, even if a crash comes between
- private_words: which engines may get the words of a call
- compressed: a path that migrations import
- names, moments: file names and times as they are kept and compared
"""
