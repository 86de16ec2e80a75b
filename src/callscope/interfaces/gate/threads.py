"""How many requests a web process handles at once."""

# Requests wait for database and disk more than they compute, and an upload holds a thread throughout.
THREADS_OF_EACH = 8
THREADS_TO_SHARE = 16


def threads_of_each(processes: int) -> int:
    """Return how many requests a process handles at once.

    Each thread keeps a connection to the database: four processes have half of the hundred
    that PostgreSQL allows by default.
    """
    return THREADS_OF_EACH + THREADS_TO_SHARE // processes
