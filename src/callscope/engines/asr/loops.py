"""Texts that a recognizer fell into a loop over: the same words again and again, said by nobody.

Whisper does this where it understands little, as among many voices, and is sure of it: the
words of a loop are as likely as those of clear speech. Only the text gives it away.
"""

import re
import zlib
from collections.abc import Sequence

from callscope.engines.asr.protocol import Utterance

MOST_COMPRESSION = 2.4  # what Whisper's authors take for a loop; people's speech stays under 2
LEAST_LETTERS = 60  # "no, no, no, no" is said by people
LONGEST_PHRASE = 40  # words that come again
IN_A_WORD = re.compile(r"(\S{1,20}?)\1{4,}")  # "hahahahaha…"


def is_loop(texts: Sequence[str]) -> bool:
    """Tell whether texts that were heard in one stretch of sound say the same again and again."""
    spelled = " ".join(texts).encode()
    return len(spelled) >= LEAST_LETTERS and len(spelled) / len(zlib.compress(spelled)) > MOST_COMPRESSION


def unwind(utterances: Sequence[Utterance]) -> Utterance:
    """Return what is left of a loop where every phrase is said once, with no confidence at all."""
    kept: list[str] = []
    for word in " ".join(u.text for u in utterances).split():
        kept.append(word)
        for length in range(1, min(LONGEST_PHRASE, len(kept) // 2) + 1):
            if _plain(kept[-length:]) == _plain(kept[-2 * length : -length]):
                del kept[-length:]
                break
    text = IN_A_WORD.sub(r"\1", " ".join(kept))
    return Utterance(utterances[0].start_s, utterances[-1].end_s, text, 0.0)


def _plain(words: list[str]) -> list[str]:
    return [word.strip(".,;:!?¿¡…-").casefold() for word in words]
