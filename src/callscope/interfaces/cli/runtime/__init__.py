"""What the commands share. Read command_line.py first, then result.py.

- command_line.py: run the command line, and turn every error into lines and an exit status.
- result.py: register commands, and print their results as text or JSON.
- errors.py: errors that end a command with a line.
- startup.py: start Django for a command.
- output.py: standard output.
- progress.py: status lines and progress bars on stderr.
- tables.py: tables on a terminal or in a pipe.
- client.py: the HTTP client of `callscope upload` and `callscope report`.
- supervisor.py: keep child processes running.
- web_process.py: the web server as a child process.
"""
