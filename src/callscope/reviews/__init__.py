"""People judge calls: reviews in revisions, none of which is ever overwritten.

Read in this order:

- `models`: a review, and its answers;
- `criteria`: the criteria that a call carries, with the answers that each allows;
- `answers`: what a person says, checked against criteria and transcript;
- `findings`: mistakes, prompts, goal and sentiment: what may be said of them, checked;
- `placements`: the agent and the contact reason that a review gives its call;
- `corrections`: the results that follow from findings;
- `results`: the points of a review, by our own scoring;
- `revisions`: save, submit and withdraw a review;
- `effect`: what counts: the answers of a person, or those of the machine;
- `listing`: reviews as people read them;
- `removal`: what retention takes away;
- `appeal_records`: appeals and acknowledgements;
- `appeals`: agents answer how they were judged, and another person decides;
- `note_records`: notes at a second of a call;
- `notes`: write them, and who reads them;
- `call_records`: whether a call has reviews, appeals or notes;
- `reading_records`: who saw the results of a call;
- `sampling`: draw calls to review, and what became of them;
- `reading`: for whom they are hidden until a blind review is submitted;
- `calibration`: several people rate the same calls, and agree;
- `statistics`: agreement beyond chance, with intervals;
- `agreement`: machine and people, by what both answered;
- `weak_criteria`: criteria on which the machine's answers wait for a person;
- `labels`: what people answered, as rows;
- `waiting`: what waits for a person, in all projects.
"""
