"""How a number is called in its own sentence: "my PIN is 1234", "1234 is my PIN", "order BK 4821".

- `naming`: the numbers of an utterance with their names; `heads`: which of several words is the name;
- `letters`: letters that are spelled before the digits;
- `named_numbers`: the numbers that are called something by a name right next to them.
"""
