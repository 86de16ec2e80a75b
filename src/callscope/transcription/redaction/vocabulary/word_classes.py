"""The closed classes of words by which numbers are read: data in `lists`, English and Spanish together."""

from callscope.language.fold import fold_text
from callscope.language.wordlists import read_phrase_list, read_word_list
from callscope.transcription.redaction.vocabulary.spoken_numbers import tokenize_numbers

LANGUAGES = ("en", "es")
TELLING_REACH = 3  # words from a negation to the verb that it denies


def read_sections(*names: str) -> dict[str, frozenset[str]]:
    """Return section → words of all the lists together, as tokens write them."""
    sections: dict[str, set[str]] = {}
    for name in names:
        section: set[str] = set()
        for line in read_phrase_list(__package__, name):
            if line.startswith("["):
                section = sections.setdefault(line.strip("[]"), set())
            else:
                section.update(map(fold_text, line.split()))
    return {section: frozenset(words) for section, words in sections.items()}


_AROUND = read_sections(*(f"around_numbers.{language}" for language in LANGUAGES))
MONEY, UNITS, MONTHS = _AROUND["money"], _AROUND["unit"], _AROUND["month"]
ORDINALS, ONE_OF_MANY = _AROUND["ordinal"], _AROUND["one_of_many"]

_SMALL = read_sections("small_words")
COPULAS, PRONOUNS, PREDICATES = _SMALL["copula"], _SMALL["pronoun"], _SMALL["predicate"]
STATING, TYPING = _SMALL["stating"], _SMALL["typing"]
ENTERING = _SMALL["entering"] | TYPING
OPENING, WITH = _SMALL["opening"], _SMALL["with"]
ADJUNCTS, TOWARD, AND, JOINING = _SMALL["adjunct"], _SMALL["toward"], _SMALL["and"], _SMALL["joining"]
PLACING = _SMALL["placing"]
OR, AS, PLACES_OF_DIGITS = _SMALL["or"], _SMALL["as"], _SMALL["place_of_digit"]
DETERMINERS, OF, OF_SOMETHING = _SMALL["determiner"], _SMALL["of"], _SMALL["of_something"]
PER, BEFORE_ONE, IN_DATES = _SMALL["per"], _SMALL["before_one"], _SMALL["in_date"]
BEFORE_LONE_ONE, DIGIT_NOUNS, THEM = _SMALL["before_lone_one"], _SMALL["digit_noun"], _SMALL["them"]
PURPOSES = _SMALL["purpose"]
OF_CARD_CODES, OF_SENT_CODES, OF_OWN_CODES = (
    _SMALL["of_card_code"], _SMALL["of_sent_code"], _SMALL["of_own_code"]
)  # fmt: skip
BEFORE_COUNT, THERE_ARE = _SMALL["before_count"], _SMALL["there_are"] | {"there are", "there were"}
BEFORE_TIMES, BEFORE_LAS, BEFORE_YEARS = _SMALL["before_time"], _SMALL["before_las"], _SMALL["before_year"]
QUESTION_BEGINNINGS, ELLIPSIS_BEGINNINGS = _SMALL["question"], _SMALL["ellipsis"]
LISTING = JOINING | DETERMINERS | ELLIPSIS_BEGINNINGS
AGREEING, SAYING, ALTERING, TEXTING = (
    _SMALL["agreeing"], _SMALL["saying"], _SMALL["altering"], _SMALL["texting"]
)  # fmt: skip
MESSAGES, ABOUT, TELLING = _SMALL["message"], _SMALL["about"], _SMALL["disclosing"]
FIRST_OF_TWO, SECOND_OF_TWO = _SMALL["first_of_two"], _SMALL["second_of_two"]
SHORTER_OF_TWO, LONGER_OF_TWO = _SMALL["shorter_of_two"], _SMALL["longer_of_two"]
ASKING_FOR = _SMALL["asking_for"]
ARRIVING = _SMALL["arriving"]
SENDING = _SMALL["sending"]
NUMBER_NOUNS, CARD_NOUNS, PAYMENT = _SMALL["number_noun"], _SMALL["card_noun"], _SMALL["payment"]
GIFTS = _SMALL["gift"]
CORRECTIONS, ASKING_AGAIN = _SMALL["correction"], _SMALL["asking_again"]
WHICH, CHOOSING, YOURS, ANOTHER = (
    _SMALL["which"], _SMALL["choosing"], _SMALL["yours"], _SMALL["another"]
)  # fmt: skip
FROM, SENT_FROM = _SMALL["from"], _SMALL["sent_from"]
NEXT_ONE, SINCE, LATER = _SMALL["next_one"], _SMALL["since"], _SMALL["later"]
ABBREVIATIONS = _SMALL["abbreviation"]
NEGATION, ANY = _SMALL["negation"], _SMALL["any"]
BETWEEN_DIGITS = _SMALL["between_digits"]

PAUSES = frozenset(
    tuple(token.digits or token.word for token in tokenize_numbers(line))
    for line in read_phrase_list(__package__, "pauses")
)
LONGEST_PAUSE = max(map(len, PAUSES))
_ANSWERS = (read_word_list(__package__, f"answer_words.{language}") for language in LANGUAGES)
ANSWER_WORDS = BETWEEN_DIGITS.union(*(map(fold_text, words) for words in _ANSWERS))
QUESTION_WORDS = frozenset(
    word for language in LANGUAGES for word in read_word_list(__package__, f"questions.{language}")
)


def is_received(words: list[str]) -> bool:
    """True if the words before a name say that it was given: "thanks for the code", "we have your PIN"."""
    for at, word in enumerate(words):
        if word in _SMALL["thanking"] and not _SMALL["thanked_for"].isdisjoint(words[at + 1 : at + 3]):
            return True
        is_own = word in _SMALL["receiver"] and not (at and words[at - 1] in _SMALL["modal"])
        after = words[at + 1 : at + 4]
        if is_own and any(
            after[place] in _SMALL["received"] and DETERMINERS.issuperset(after[place + 1 :][:1])
            for place in range(len(after[:2]))
            if NEGATION.isdisjoint(after[:place])
        ):
            return True
    return False


def is_settled(words: list[str]) -> bool:
    """True if the words after a name say that it was given, or needs not be: "has been accepted"."""
    first = next((word for word in words if word not in _SMALL["settling"]), "")
    return first in _SMALL["settled"]


def is_negated(words: list[str]) -> bool:
    """True if the words before a name say that it is not meant: "please don't tell me your PIN"."""
    return is_denied(words, "negation", "telling")


def is_taken_back(words: list[str]) -> bool:
    """True if the words after a name take back what asked for it: "no, don't tell me that"."""
    starts = (at for at, word in enumerate(words) if word in NEGATION)
    at = next(
        (at for at in starts if is_denied(words[at : at + 1 + TELLING_REACH], "negation", "disclose")), None
    )
    return at is not None and not _SMALL["anaphor"].isdisjoint(words[at : at + TELLING_REACH + 2])


def is_refused(words: list[str]) -> bool:
    """True if the words after a name say that it is not wanted: "el PIN no lo necesito"."""
    return not NEGATION.isdisjoint(words[:2]) and is_negated(words)


def is_lacked(words: list[str]) -> bool:
    """True if the words before a name say that it is not at hand: "I don't have the card number on me"."""
    return is_denied(words, "lacking", "holding")


def is_denied(words: list[str], denying: str, denied: str) -> bool:
    """True if a word of one class stands right before one of the other."""
    return any(
        not _SMALL[denied].isdisjoint(words[at + 1 : at + 1 + TELLING_REACH])
        for at, word in enumerate(words)
        if word in _SMALL[denying]
    )
