"""What the rooms say, in the language of the page.

Rooms, and the API with them, speak English: their sentences stand in the contract.
Pages say the same in the reader's language. A sentence is recognised by the shape
that the room gives it; one that is not known is shown as it is.
"""

import re
from functools import lru_cache

from django.utils.translation import get_language, gettext, gettext_noop

PLACEHOLDER = re.compile(r"%\((\w+)\)s")
NUMBER = r"[\d.,]+"
# Values that are themselves sentences, or parts of one.
NESTED = ("reason", "problem")
NUMBERS = ("number", "count", "most", "least", "line", "column", "minutes", "left", "quota", "status")

# The more special shape stands before the more general one.
SHAPES = (
    # projects.configuration
    gettext_noop("the configuration must be a mapping, not %(kind)s"),
    gettext_noop("the configuration is nested too deeply"),
    gettext_noop("the document is larger than %(count)s bytes"),
    gettext_noop("the document is empty; {} asks for all defaults"),
    gettext_noop("not readable as YAML: line %(line)s, column %(column)s: %(problem)s"),
    gettext_noop("not readable as YAML: %(problem)s"),
    gettext_noop("aliases are not allowed"),
    gettext_noop("keys must be texts"),
    gettext_noop('the key "%(value)s" appears twice'),
    gettext_noop('the custom question "%(value)s" appears twice'),
    gettext_noop('the code "%(value)s" appears twice'),
    gettext_noop('the criterion id "%(value)s" appears twice'),
    gettext_noop('the section name "%(value)s" appears twice'),
    gettext_noop('the prompt id "%(value)s" appears twice'),
    gettext_noop('the mistake id "%(value)s" appears twice'),
    gettext_noop("must not hold NUL characters"),
    gettext_noop("must not hold lone surrogates"),
    gettext_noop("must not be blank"),
    gettext_noop('"%(value)s" must be 1 to 64 letters, digits, "_", "-", "." or ":"'),
    gettext_noop("must not have more than 6 decimals"),
    gettext_noop("day_start and day_end are both %(value)s; they must differ"),
    gettext_noop('mode "predefined" needs at least one code'),
    gettext_noop("within_seconds and last_seconds exclude each other"),
    gettext_noop("has %(count)s criteria; at most %(most)s are allowed"),
    gettext_noop("is required"),
    gettext_noop("is not a known setting; names are texts"),
    gettext_noop("is not a known setting"),
    gettext_noop("must be above %(least)s, not %(value)s"),
    gettext_noop("must be above %(least)s"),
    gettext_noop("must be at least %(least)s, not %(value)s"),
    gettext_noop("must be at least %(least)s"),
    gettext_noop("must be at most %(most)s, not %(value)s"),
    gettext_noop("must be at most %(most)s"),
    gettext_noop("must be a text, not %(value)s"),
    gettext_noop("must be a text"),
    gettext_noop("must be true or false, not %(value)s"),
    gettext_noop("must be true or false"),
    gettext_noop("must be a list, not %(value)s"),
    gettext_noop("must be a list"),
    gettext_noop("must be a mapping, not %(value)s"),
    gettext_noop("must be a mapping"),
    gettext_noop("must be a whole number, not %(value)s"),
    gettext_noop("must be a whole number"),
    gettext_noop("must be a number, not %(value)s"),
    gettext_noop("must be a number"),
    gettext_noop("must have at most %(most)s characters"),
    gettext_noop("must have at least %(least)s entry"),
    gettext_noop("must have at most %(most)s entries"),
    gettext_noop("must be %(allowed)s, not %(value)s"),
    gettext_noop("must be %(allowed)s"),
    # calls.manifest_file, calls.manifest
    gettext_noop("row %(number)s, (no file name): %(reason)s"),
    gettext_noop("row %(number)s, %(file)s: %(reason)s"),
    gettext_noop("a cell is longer than %(count)s characters"),
    gettext_noop("filename is blank"),
    gettext_noop("filename has %(count)s characters, at most %(most)s are allowed"),
    gettext_noop("filename holds unreadable characters"),
    gettext_noop("nothing but a file name"),
    gettext_noop("matches several files: %(files)s and %(count)s more"),
    gettext_noop("matches several files: %(files)s"),
    gettext_noop("unknown direction %(value)s"),
    gettext_noop("unreadable call_datetime %(value)s"),
    gettext_noop("%(field)s holds unreadable characters"),
    gettext_noop("%(field)s has %(count)s characters, at most %(most)s are allowed"),
    gettext_noop("The file is not readable as text. Save it as CSV in UTF-8."),
    gettext_noop("The file is in UTF-32. Save it as CSV in UTF-8."),
    gettext_noop("The file is not a text, or in UTF-16 without its mark. Save it as CSV in UTF-8."),
    gettext_noop("The file has no header row. Its first row must name the columns."),
    gettext_noop("The header has no column %(first)s and no column %(second)s. It has: %(found)s."),
    gettext_noop("The header has no column %(first)s. It has: %(found)s."),
    gettext_noop("The CSV has no valid rows."),
    # pipeline.intake, interfaces.api.uploads
    gettext_noop("The file has no usable name."),
    gettext_noop("The file is empty."),
    gettext_noop("The file is neither a recording that can be decoded nor an SRT or VTT transcript."),
    gettext_noop("No file was submitted. Send it as the form field file."),
    gettext_noop("The upload is too large. At most %(count)s MB are allowed."),
    gettext_noop("Project %(value)s does not exist or is not visible to you."),
    gettext_noop("Project %(value)s is not a call project, so its files have no call metadata."),
    gettext_noop(
        "This file has %(minutes)s minutes; %(left)s of the %(quota)s minutes of the trial are left."
    ),
    # transcription, analysis, pipeline.stages
    gettext_noop("The transcript is larger than %(count)s MB."),
    gettext_noop("The transcript has more than %(count)s cues."),
    gettext_noop("The transcript holds no cue with a time and text."),
    gettext_noop("The recording cannot be decoded."),
    gettext_noop("Decoding the recording took too long and was stopped."),
    gettext_noop("Decoding the recording used more time or memory than is allowed and was stopped."),
    gettext_noop("The file is no longer in the storage."),
    gettext_noop("The transcript has %(count)s word; at least %(least)s are needed."),
    gettext_noop("The transcript has %(count)s words; at least %(least)s are needed."),
    gettext_noop("No speech was heard in the sound, so the text may be invented."),
    gettext_noop("Only one side is heard: the agent."),
    gettext_noop("Only one side is heard: the customer."),
    gettext_noop("The mean confidence is %(count)s, below %(least)s."),
    gettext_noop("The transcription met an unexpected %(value)s. The log of the workers says more."),
    gettext_noop("The analysis met an unexpected %(value)s. The log of the workers says more."),
    gettext_noop("The language model at %(host)s cannot be reached."),
    gettext_noop("The language model at %(host)s is not available: %(value)s"),
    gettext_noop("%(host)s did not finish in time."),
    gettext_noop("%(host)s answered %(status)s: %(value)s"),
    # reports.window, reports.call_filters
    gettext_noop("%(end)s is before the start_date %(start)s."),
    gettext_noop('"%(value)s" is not a date. Use YYYY-MM-DD.'),
    gettext_noop('"%(value)s" is not a known range. Known: %(known)s.'),
    gettext_noop('"%(value)s" is neither an agent id nor "none".'),
    # accounts.administration, projects.administration
    gettext_noop('No user has the e-mail "%(value)s".'),
    gettext_noop("You are not a member of team %(value)s."),
    gettext_noop("%(user)s owns project %(value)s already."),
    gettext_noop("The name of a project must not be blank."),
    gettext_noop("The name of a team must not be blank."),
    gettext_noop("The name of a key must not be blank."),
    gettext_noop("The name of a project must have at most %(most)s characters, not %(count)s."),
    gettext_noop("The name of a team must have at most %(most)s characters, not %(count)s."),
    gettext_noop("The name of a key must have at most %(most)s characters, not %(count)s."),
    gettext_noop("%(user)s is the only admin of team %(value)s. Make another one first."),
    gettext_noop('The name "%(value)s" holds characters that cannot be stored.'),
    gettext_noop("The name holds characters that cannot be stored."),
    gettext_noop("%(value)s is past. The key would never be valid."),
)


def told(sentence: str) -> str:
    """Return a room's sentence in the language of the page."""
    if not sentence or (get_language() or "en").startswith("en"):
        return sentence
    for shape, pattern in _patterns():
        if found := pattern.fullmatch(sentence):
            values = {
                name: told(text) if name in NESTED else text
                for name, text in _read(found.groupdict()).items()
            }
            return gettext(shape) % values if values else gettext(shape)
    return sentence


def _read(values: dict[str, str]) -> dict[str, str]:
    """Return the values with the right name of the file: one that holds ": " reaches up to a known reason."""
    name, reason = values.get("file", ""), values.get("reason", "")
    pieces = reason.split(": ")
    for n in range(len(pieces)):
        rest = ": ".join(pieces[n:])
        if name and any(pattern.fullmatch(rest) for _, pattern in _patterns()):
            return {**values, "file": ": ".join([name, *pieces[:n]]), "reason": rest}
    return values


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    return [(shape, _pattern(shape)) for shape in SHAPES]


def _pattern(shape: str) -> re.Pattern[str]:
    parts = PLACEHOLDER.split(shape)  # text, name, text, name, …
    return re.compile(
        "".join(
            f"(?P<{part}>{NUMBER if part in NUMBERS else '.+?'})" if place % 2 else re.escape(part)
            for place, part in enumerate(parts)
        ),
        re.DOTALL,
    )
