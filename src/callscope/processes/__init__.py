"""What programs of one machine need to get along; knows neither Django nor calls.

- stop.py: a request to stop that a signal handler may make, and children that never see Ctrl-C.
- death_signal.py: end a child process when its parent dies.
- file_lock.py: an exclusive lock that processes take in turn.
- loading.py: load packages while the garbage collector rests.
- time_limit.py: a limit that the work itself looks at.
- guarded_addresses.py: addresses at which no engine is expected.
- log_formats.py: log lines as text or as JSON, and what they are about.
- counters.py: what a process counts of its work, for the metrics.
- extras.py: optional packages, and how they are installed.
- standard_streams.py: standard input and output where a command takes a file.
- crash_points.py: where tests may kill a process.
- atomic_file.py: write a file that appears whole or not at all.
"""
