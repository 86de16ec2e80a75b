"""The words by which numbers are read, in English and Spanish: data in `lists`, and how to look it up.

- `spoken_numbers`: the digits in a text, written or spoken;
- `kinds`: what a number can be, and how many digits it then has;
- `number_names`: what numbers are called ("security code"), by the patterns of `name_patterns`;
- `word_classes`: closed classes of small words.
"""
