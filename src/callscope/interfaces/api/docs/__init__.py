"""The OpenAPI document.

views: the document and the page that shows it
reference: the document as that page reads it, group by group
openapi: errors, pages and security that many operations share
parameters: query parameters that many operations share
examples: one answer of each operation, checked against the document by a test
request_examples: a body of each operation that takes one
report_examples: that of the report
review_examples: those of agreement
agent_examples: those of the operations about agents
rubric_examples: those of the operations on rubrics
"""
