"""Analysis by a language model. Read in this order:

- analyzer: asks, asks again where an answer is wrong, and counts the cost
- prompting: what is asked, and the JSON schema of the answer
- masking: hides the agent's name from the model
- hostile_words: hides what is said to the model itself
- response: checks an answer part by part
- verification: turns answers into results, with verified quotes only
- portions: a call that is longer than the model can read
"""
