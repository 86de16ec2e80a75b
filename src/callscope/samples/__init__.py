"""The calls of the demonstration: two invented companies, their rubrics and their recordings.

Read in this order:

- `catalog`: which samples there are, and when their calls were held;
- `loading`: brings them into an instance through the same door as every upload;
- `people`: invented people review some of them, appeal and write notes, in `callscope demo` alone;
- `synthesize`: makes the recordings from their scripts, never run by the product.
"""
