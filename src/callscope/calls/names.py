"""Names as they are stored and compared: file names, their stems, and names of people.

Case is folded here and not in SQL, because the databases fold differently.
"""

import re
import unicodedata

MAX_FILE_NAME = 255
MAX_KEY = 512  # casefold can lengthen a text: "ß" becomes "ss"

# Letters make an extension: "call 1.2" ends in a number, not in a type of file.
_EXTENSION = re.compile(r"(?<=.)\.(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{1,8}$")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def clean_file_name(name: str) -> str:
    """Return the name without its path and without characters that no file name holds; "" if nothing is left.

    Longer names are cut at MAX_FILE_NAME characters, the extension kept.
    """
    name = _CONTROLS.sub("", re.split(r"[/\\]", name.strip())[-1]).strip()
    if name in (".", ".."):
        return ""
    if len(name) > MAX_FILE_NAME:
        extension = _EXTENSION.search(name)
        ending = extension.group() if extension else ""
        name = name[: MAX_FILE_NAME - len(ending)] + ending
    return name


def stem(file_name: str) -> str:
    """Return what two names share when they differ in case or extension alone."""
    return unicodedata.normalize("NFC", _EXTENSION.sub("", file_name)).casefold()[:MAX_KEY]


def person_key(name: str) -> str:
    """Return the form in which two spellings of a person's name are the same."""
    return unicodedata.normalize("NFC", " ".join(name.split())).casefold()[:MAX_KEY]
