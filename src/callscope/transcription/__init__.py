"""Recording or subtitles to transcript. Read in this order:

- transcribe: an uploaded file to a stored transcript, step by step
- schema: the JSON of a stored transcript
- models: the table of transcripts
- gates: recordings and transcripts that are rejected, and poor ones
- recognition: samples to segments, with one engine
- private_retry: how a private recording is kept on the operator's machines
- sniff, probe: what an uploaded file is, and how long
- subtitles: SRT and VTT, however they were written
- cue_times, cue_numbers: time lines, also broken ones, and the numbers above them
- audio: decoding and measuring of sound
- redaction: card numbers and other data that may not be kept
"""
