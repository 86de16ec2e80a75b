"""What people do with the call list: saved views, and acts on the calls that they chose."""
