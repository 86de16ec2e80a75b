"""Speech to text. Read in this order:

- protocol: what every recognizer takes and gives
- whisper, loops: faster-whisper in this process, and what it repeats without anybody saying it
- model_files: whether a model for it was copied whole
- remote, response: any server that speaks OpenAI's protocol, and what it answers
- demo: a small recognizer for demonstrations
- voice_activity: where somebody speaks
"""
