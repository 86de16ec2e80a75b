"""What stands in a transcript where something was taken out. It is no speech: nothing may match it."""

import re

PLACEHOLDERS = {
    "cards": "[card number]",
    "security_codes": "[security code]",
    "emails": "[email]",
    "phones": "[phone]",
    "digit_runs": "[number]",
}
PLACEHOLDER = re.compile("|".join(map(re.escape, PLACEHOLDERS.values())))


def blank_placeholders(text: str) -> str:
    """Return the text with spaces in place of placeholders; every other character keeps its place."""
    if "[" not in text:
        return text
    return PLACEHOLDER.sub(lambda found: " " * len(found[0]), text)
