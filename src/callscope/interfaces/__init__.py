"""The doors: REST API, web pages, command line."""
