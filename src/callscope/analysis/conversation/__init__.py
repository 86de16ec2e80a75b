"""A transcript as the analyzers read it.

turns        segments with their words, and turns of one speaker; read this first
talk         how a call is talked: shares, silences, interruptions, rates
agent_names  the agent's own name in the opening of a call
"""
