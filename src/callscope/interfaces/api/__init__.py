"""The REST API.

Read in this order:
urls: every path with its view
views: parse the request, call one package, return the response
serializers: the shapes of answers and bodies, for JSON and for the OpenAPI document
authentication: API keys and sessions
throttling: the rate limit at this door
errors, middleware: JSON bodies for every error, routed or not
query_params, parsers, upload_handler: read query strings, bodies and files
call_scope: the projects and the window that a query names; 404 or nothing for a project out of sight
pagination: pages of a list
docs: the OpenAPI document with its examples
models: the request counts of the rate limit
"""
