"""Find a phrase of a rubric in what was said, without a language model.

The same words first, then nearly the same, then the same meaning. Read in this order:

- `phrases`: the very words, a slip of spelling, or a few words in between;
- `semantic_matcher`: the same meaning, by the steps below;
- `paraphrases`: a phrase as an agent says it, and the parts of what was said;
- `readings`: one clause with all that is compared of it;
- `contrasts`: opposites, who acts, what kind of answer is asked for;
- `differences`: in what a clause differs that repeats a phrase;
- `question_focus`: what a question asks for;
- `values`: prices, days and numbers by their kind;
- `thesaurus`: words as terms, and how alike two terms are;
- `heard`: the clauses of a call, and how near each phrase is to them;
- `scale`: the cosines of another embedder on the scale of the default one;
- `likelihood`: all that is compared, weighed into one likelihood;
- `gray_band`: between which likelihoods nobody can tell, with another embedder;
- `embedder_weights`: what the cosines of another embedder are worth in it, and where it is asked.

And what a whole rule comes to in a call, for every analyzer: `rule_evaluation`; `occurrences` finds every
time that a phrase is said, `silences` waits that are too long.

What a clause does is decided by `analysis.acts`. The word lists are in `lists/`.
"""
