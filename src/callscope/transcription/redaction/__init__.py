"""Take what identifies somebody out of a transcript, before it is stored, prompted or logged.

Read in this order:

- `redaction`: the entry, placeholders in the text and silences in the playback copy; `screening`: which
  texts need not be read at all;
- `personal_data`: which numbers and addresses are taken out;
- `dialog`: what each number is, with `names` for how a number is called in its own sentence, `questions` for
  what is asked for and how a turn goes on with the one before, `memory` for what was said;
- `weighing`: how likely a number is a code that no rule explains, by what stands around it;
- `utterances`: a segment in sentences, and `pieces` of numbers; `number_shapes`: a price, a date;
- `alike`: numbers that are what another one next to them is;
- `cards`: numbers whose issuer and check digit are right; `card_details`: what is read out after them;
- `emails`: addresses, written or spelled out; `number_runs`: what one speaker reads out together,
  `sharing`: a run cut into one part for each of several kinds;
- `vocabulary`: numbers as words, what they are called, small words. All of it is data.
"""
