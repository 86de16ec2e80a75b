"""Take what identifies somebody out of a transcript, before it is stored, prompted or logged.

Read in this order:

- `redaction`: the entry, placeholders in the text and silences in the playback copy;
- `personal_data`: which numbers and addresses are taken out;
- `dialog`: what each number is, with `requests` and `open_questions` for what is asked for, `memory` for
  what was said, `naming` for how a number is called in its own sentence;
- `utterances`: a segment in sentences, and `pieces` of numbers; `number_shapes`: a price, a date;
- `cards`: numbers whose issuer and check digit are right; `card_details`: what is read out after them;
- `emails`: addresses, written or spelled out; `number_runs`: what one speaker reads out together,
  `sharing`: a run cut into one part for each of several kinds;
- `vocabulary`: numbers as words, what they are called, small words. All of it is data.
"""
