"""The web pages, rendered on the server; htmx replaces parts of them.

Read in this order:
urls: every address with its view
decorators: signed_in_page, around every view
views: one module for each page or form
presenters: what a page shows, prepared from the rows of other packages
report_request, query_string: the projects, days and filters in an address
settings_parts: the parts of a project's settings and their fields
project_access: the project of a page, and the permission that an action needs
page_context, navigation, waiting, preferences, engine_notices: what stands around every page
templatetags: how figures, times and results are written
middleware: sessions, languages and CSRF tokens, for browsers alone
static_files: style sheets, scripts and drawings, compressed
secure_cookies, known_browser: cookies over HTTPS, and who signed in with a browser before
models: the views of the call list that people saved
call_choice: the calls that a person ticked, and where to go back to
request_data, pagination: bodies, pages of lists
downloads: tables as CSV and Excel files
"""
