"""Which calls hold some words.

call_texts    a part of file name, topic, contact reason, caller number or campaign
spoken_words  the stems of what was said
found_words   where a text says what was looked for
"""
