"""Plain text handling for English and Spanish that knows nothing of calls: no model, no database.

Read in this order:

- `tokens`: text to comparable words and stems; most of the analysis compares these;
- `fold`: letter case, accents and typography ignored, the step below `tokens`;
- `sentences`: where one sentence ends and the next begins;
- `detect`: which of the two languages a text is in;
- `known_words`: how many of its words a dictionary has;
- `addresses`: sentences that send a reader to a web address, a mailbox or a telephone;
- `patterns`: regular expressions of people, in linear time;
- `wordlists`: reads the `lists/*.txt` of any package.
"""
