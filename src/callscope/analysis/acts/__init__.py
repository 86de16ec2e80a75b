"""What a clause does: it asks for a detail, offers, confirms, tells a success or a failure, takes leave ...

By grammar and by closed-class words (auxiliaries, question words, pronouns, words of courtesy), never by
the nouns of a trade. Read in this order:

- `kinds`: the acts, and which of them may stand for which;
- `plain_words`: a clause in the form in which the patterns read it;
- `clauses`: what was said in one turn, clause by clause;
- `grammar`: the act of one clause;
- `reported`: the act that a phrase of a rubric describes ("offers further help").

The patterns are in `lists/`, a file a language.
"""
