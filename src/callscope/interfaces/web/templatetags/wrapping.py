"""Where a line of text may not be broken."""

import re

from django import template

register = template.Library()
BEFORE_A_NOUN = re.compile(r"(?<=\d) (?=[^\W\d_])")


@register.filter
def keep_counts(text: object) -> str:
    """Return the text with each number and the word after it on the same line: "16 calls"."""
    return BEFORE_A_NOUN.sub("\N{NO-BREAK SPACE}", str(text))
