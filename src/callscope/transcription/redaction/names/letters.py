"""Letters that are spelled before a number: "policy H O 364", "BK 4821"."""

from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.word_classes import AGREEING

LONGEST_PREFIX = 4  # letters before a number: "LX 327"
WORDS_OF_ONE_LETTER = frozenset("aeiouy")
LETTERS_OF_NO_CODE = 2  # before the digits: codes have at most one, "G 482913"


def find_first_letter(utterance: Utterance, first: int) -> int:
    """Return where the letters begin that are spelled before a number: "policy H O 364"."""
    while first and not utterance.pauses(first):
        token = utterance.tokens[first - 1]
        if first - 1 in utterance.in_names or len(token.word) != 1 or not token.word.isalpha():
            break
        first -= 1
    return first


def count_letters(utterance: Utterance, piece: Piece) -> int:
    """Return how many letters stand right before the digits: "HO364", "BK 4821", "E S 34 ..."."""
    first, text = piece.tokens[0], utterance.text
    before = utterance.tokens[max(0, first - 2) : first]
    if not before or not before[-1].word or first - 1 in utterance.in_names:
        return 0
    gap = text[before[-1].end : utterance.tokens[first].start]
    letters = text[before[-1].start : before[-1].end]
    if gap.strip(" -") or not letters.isalpha() or letters.casefold() in AGREEING:
        return 0
    if not gap:
        return max(len(letters), 2)  # "R128206" is no code
    if 1 < len(letters) <= LONGEST_PREFIX and letters.isupper():
        return len(letters)
    is_spelled = len(before) == 2 and len(before[0].word) == 1
    if len(letters) != 1 or not (is_spelled or letters.casefold() not in WORDS_OF_ONE_LETTER):
        return 0
    return len(before) if is_spelled else 1
