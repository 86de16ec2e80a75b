"""Speech to text. Read in this order:

- protocol: what every recognizer takes and gives
- whisper: faster-whisper in this process
- remote, response: any server that speaks OpenAI's protocol, and what it answers
- demo: a small recognizer for demonstrations
- voice_activity: where somebody speaks
"""
