"""Who may enter: users, teams, API keys, quota, audit trail."""
