"""The calls of the demonstration: two invented companies, their rubrics and their recordings.

Read in this order:

- `catalogue`: which samples there are, and when their calls were held;
- `loading`: brings them into an instance through the same door as every upload;
- `synthesize`: makes the recordings from their scripts, never run by the product.
"""
