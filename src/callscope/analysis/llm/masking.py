"""Hide who the agent is from the model: names move scores, and no model shall see them.

Each segment keeps its number, so what the model quotes from the masked words is
shown in the transcript's own words.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from callscope.analysis.conversation.agent_names import find_agent_name
from callscope.analysis.conversation.turns import Conversation

MASK = "[agent]"
LEAST_LETTERS = 3  # of a part of a name that is hidden by itself
_PARTICLES = frozenset(("de", "del", "la", "las", "los", "van", "von", "the"))


def mask_agent(conversation: Conversation, *, known_names: Iterable[str] = ()) -> Conversation:
    """Return the conversation with the agent's names hidden: the one given in the opening and those known.

    Whole names are hidden in any case, their parts only where they are written as names.
    """
    names = [n for n in (find_agent_name(conversation), *known_names) if n.strip()]
    if not names:
        return conversation
    wholes = {r"[\s,]+".join(re.escape(part) for part in name.split()) for name in names}
    parts = {
        p for name in names for p in name.split() if len(p) >= LEAST_LETTERS and p.lower() not in _PARTICLES
    }
    written = {re.escape(form) for p in parts for form in (p[:1].upper() + p[1:], p.upper())}
    # The longest first: a short name may begin a longer one.
    ordered = sorted(wholes, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:(?i:{'|'.join(ordered)})|{'|'.join(sorted(written)) or '(?!)'})(?!\w)")
    hidden = [replace(s, text=pattern.sub(MASK, s.text)) for s in conversation.segments]
    return replace(conversation, segments=hidden)
