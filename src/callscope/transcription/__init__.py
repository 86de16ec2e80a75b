"""Recording to transcript: decoding, checks, engine choice, subtitles, redaction."""
