"""Tell from its first bytes whether a file is a recording.

A container states what it is in its first bytes, so they decide before anything that
stands later: sound holds every sequence of bytes sooner or later, `-->` too. Each
pattern asks for bytes that no text has, because a transcript may begin with the word RIFF.
"""

import re

LENGTH = 32  # bytes that decide
# The size of a first chunk has a zero byte; a version number is a control character.
_CONTAINER = re.compile(
    rb"""(?:RIFF|RF64|BW64)....WAVE(?:.{7}\x00|.{0,7}\Z)
    |RIFX....WAVE(?:.{4}\x00|.{0,4}\Z)
    |FORM....AIF[FC](?:.{4}\x00|.{0,4}\Z)
    |riff\x2e\x91\xcf\x11                       # Wave64
    |ID3[\x02-\x04].[\x00-\xff][\x00-\x7f]{4}
    |fLaC[\x00\x80]\x00\x00
    |OggS\x00
    |\x1a\x45\xdf\xa3                           # WebM and Matroska
    |\x30\x26\xb2\x75\x8e\x66\xcf\x11           # WMA
    |\.snd\x00\x00
    |\x00...(?:ftyp|moov|mdat|wide|free|skip)   # MP4, M4A, 3GP and QuickTime
    |\#!AMR(?:-WB)?\n[\x00\x04\x08\x0c\x10\x14\x18\x1c ($,048<@Dx|]  # text, then a frame
    """,
    re.VERBOSE | re.DOTALL,
)
# MP3 and AAC without a container begin with eleven set bits; FF FE is the mark of UTF-16.
_FRAME = re.compile(rb"\xff[\xe0-\xfd]")


def names_container(head: bytes) -> bool:
    """True if the first bytes are the signature of a container that Callscope decodes."""
    return _CONTAINER.match(head) is not None


def begins_with_frame(head: bytes) -> bool:
    """True if the first bytes can be those of MP3 or AAC without a container; no text begins like that."""
    return _FRAME.match(head) is not None
