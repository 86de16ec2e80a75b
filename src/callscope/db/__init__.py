"""What Django leaves open on both databases, for all rooms: transactions, snapshots, fast reads and writes.

Read in this order:

- limits: what both databases can store
- transactions: write, again after a deadlock, one writer at a time on SQLite
- clock: the moment by the one clock that all machines share
- trouble: which errors of a database or a disk pass by themselves
- log_filter: such errors in the log, in one line
- snapshot: read several tables as of one moment
- schema_version: whether the tables are those of this version
- migrating: make them so, also where a process dies at it
- pooling: whether a pooler lends sessions of PostgreSQL by transaction
- raw_sql: run a statement that is written by hand
- compiled: a query that Django writes once
- compiled_models: objects by such a query
- index_scans: keep PostgreSQL from reading whole tables
- bulk_insert: insert many rows at the speed of the driver
- chunks: lists that one statement can take
- fields, compression: JSON that is stored compressed
- side_file: a small SQLite file for notes that must not wait for the one writer
"""
