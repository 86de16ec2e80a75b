"""What people do with lists: saved views of calls, and acts on the calls and files that they chose."""
