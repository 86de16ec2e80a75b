"""Groups of topics, on plain arrays: which texts belong together, which reason a group continues, and why.

Read in this order:

- `spaces`: how topics are compared with each other;
- `clustering`: which texts belong together;
- `ties`: how many groups there are where callers share few words;
- `beginnings`: parts of a project whose calls all came lately;
- `centers`: where the topics of a reason lie, and which reason is nearest to a topic;
- `continuity`: which reason a new group continues, and which calls move;
- `merges`: which reasons that no group continues become part of others;
- `causes`, `move_measures`: why calls moved, in figures.
"""
