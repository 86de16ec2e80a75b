"""Sound: from an untrusted file to samples, and what is measured in them. Read in this order:

- signatures: what the first bytes of a recording say it is
- decoding, decode_child: samples from a recording, read by a process with few rights
- decode_sandbox: take these rights away
- channels: which channels carry a speaker of their own
- speech: who talked how much
- waveform: how loud each speaker is along the call
- playback: a copy with what was redacted silenced
"""
