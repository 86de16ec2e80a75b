"""The command line.

- app.py: which commands there are, and which module holds each.
- commands/: one module for each group of commands.
- uploads/: how `callscope upload` sends files.
- runtime/: what all commands share: results, errors, output, the HTTP client, child processes.
"""
