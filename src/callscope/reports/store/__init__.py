"""The report store: what calls add up to, kept up to date with every change of a call.

A change of a call replaces its fact and writes the difference into the journal, in one
transaction; compaction moves the journal into rollups by day and month; a reader adds
rollups and journal. docs/adr/0005 says why, and at what price.

Read in this order:

- fact_row: the columns of a fact
- facts: write the fact of a call when the call changes
- scores: the score of a call from its stored copc result
- marks: the trackers, mistakes and missed prompts of a call, and the criteria that nobody could judge
- talk: how calls are talked, as integers
- packing: the criteria of a call in thirteen bytes each
- aggregates: tables of integers that can be added and subtracted
- aggregate: from facts to aggregates
- encoding: aggregates as bytes
- journal: changes that the rollups do not hold yet
- rollups: aggregates of a day or month as rows, and the right to write them
- compaction: from the journal into the rollups
- reader: rollups and journal as one answer
- cache: rollups that this process has read before
- exact_figures: means and percentages from integers, rounded once; null where nothing was measured
- rebuild: rollups from all facts
- version: when a rebuild is needed
- verify: compare rollups and journal with the facts
- status_counts: analysis states, counted by triggers on the table of analyses
"""
