"""Import and export of analyzed calls as JSON Lines. Rules: docs/api.md, "Import and export".

Read first, in this order:

- importer: read a file line by line, write its calls a batch at a time, report and skip invalid lines
- line_parser: one line by the rules, with a reason for what breaks them
- insights: the rules of insights, trackers and talk measures
- result_validation: the rules of results inside a line; schema: the shapes in which they are stored
- redaction: private words in the texts of a line
- fast_parser: the same for lines of the common form, by compiled code
- prepare: lines as they are written, made in a process of its own for a large file
- context: what an import knows from its first line to its last
- insert_new: calls that the project does not have, column by column
- update_existing: calls that it has, with what differs
- decision_lines: what people decided, in a line; place_lines: agent and reason in a review; decisions/:
  exported and brought into a project
- export: every call of a project, in the format that an import reads
"""
