"""The average that people would give, next to the one that counts.

- sampled_scores: what people and the machine say of calls that were drawn at random
- sentences: the estimate and its interval in words, and whether it contradicts what counts
"""
