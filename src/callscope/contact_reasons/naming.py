"""Turn a topic, a few words of a customer, into the name of a reason: a noun phrase where that is safe.

"how do i cancel my subscription" becomes "Canceling the subscription", "refund is not showing" becomes
"Refund not showing". Only closed classes of words decide (question words, auxiliaries, articles), so that no
trade is known better than another; what has another form keeps its words. Nothing is added that nobody said.
"""

import re
from collections.abc import Iterator
from itertools import count

from callscope.language.detect import guess_language
from callscope.language.fold import fold_typography
from callscope.language.sentences import split_sentences
from callscope.language.tokens import LANGUAGES
from callscope.language.wordlists import read_phrase_list, read_word_list

DEFAULT_LANGUAGE = "en"  # of words that are of neither; frames of one language rarely match words of another
FEWEST_WORDS, MOST_WORDS = 2, 12  # of a name that stands alone
MAX_NAME = 255
_NUMBER = re.compile(r" \([0-9]+\)$")  # behind a name that two groups would have


def _compile_frames(name: str) -> dict[str, re.Pattern[str]]:
    """Return one pattern for each language: any line of its list, and the space before the rest."""
    lines = {language: read_phrase_list(__package__, f"{name}.{language}") for language in LANGUAGES}
    return {language: re.compile(rf"(?:{'|'.join(each)})\s+(?=\w)") for language, each in lines.items()}


def _compile_words(name: str) -> dict[str, re.Pattern[str]]:
    """Return one pattern for each language, which matches any word of its list, also with "n't" or "'s"."""
    words = {language: read_word_list(__package__, f"{name}.{language}") for language in LANGUAGES}
    return {
        language: re.compile(rf"(?:{'|'.join(sorted(each))})(?:n't|'\w+)?(?!\w)")
        for language, each in words.items()
    }


_ASKED_TO_DO = _compile_frames("asked_to_do")
_ASKED_FOR = _compile_frames("asked_for")
_FIRST_WORDS_OF_SENTENCES = _compile_words("sentence_starts")
_LAST_WORDS = {language: read_word_list(__package__, f"last_words.{language}") for language in LANGUAGES}
_NO_VERBS = read_word_list(__package__, "no_verbs.en")
_DETERMINER = r"(?:my|our|your|the|a|an|this|that(?! (?:my|the|i|we|it)\b)|some|any|another|more|both)"
_OWNER = re.compile(r"\b(?:my|our|your)\b(?! own\b)")
_BASE_VERB = re.compile(rf"([a-z]{{2,}})(?: (?:up|out|off|down|back|over))? {_DETERMINER} .+")
_LOST = re.compile(rf"(lost|stolen|misplaced|damaged|forgot|broke)(?:ten|n)? (?:{_DETERMINER} )?(?=\w)")
_PARTICIPLES = {"forgot": "forgotten", "broke": "broken"}
# "is not showing", "hasn't been working", "got blocked": the state alone; not "the cards you are offering".
_STATE = re.compile(
    r"(?<=\w)(?<!\bi)(?<!\bwe)(?<!\byou)(?<!\bthey)(?<!\bthat)(?<!\bwhich)(?<!\bwho) "
    r"(?:(?:is|are)(n't| not)?(?: been| being)?|(?:was|were)(n't| not)?(?: being)?(?! \w+ing\b)"
    r"|(?:has|have|had)(n't| not)? been|keeps? being|got) "
    r"(?!(?:a|an|the|my|it|there|no|any|some|to|going|supposed)\b)(?=[a-z]{3})"
)
# "didn't go through", "can't log in": what does not happen.
_DENIAL = re.compile(
    r"(?<=\w)(?<!\bi)(?<!\bwe)(?<!\byou)(?<!\bthey) "
    r"(?:(?:do|does|did|wo|would|ca|could)n't|(?:do|does|did|will|would|can|could) not|cannot)"
    r" ([a-z]{2,})\b"
)
# "hi there", "hello", "buenos días": what comes before the topic.
_GREETING = re.compile(
    r"^(?:(?:hi|hey|hello|g'day)(?: there)?|good (?:morning|afternoon|evening)|hola|"
    r"buen(?:os|as) (?:días|dias|tardes|noches)|buenas|buen día)\b[\s,;:!.-]*",
    re.IGNORECASE,
)
# "my name is Ann Lee and", "soy Ana Ruiz": who calls names no reason.
_INTRODUCTION = re.compile(
    r"^(?i:my name(?: is|'s|’s)?|this is|mi nombre es|me llamo|soy)"
    r"(?: [A-ZÁÉÍÓÚÑ][\w'’.-]*){1,3}[\s,.]*(?:and |y )?"
)
# "…, and I wanted to know", "pero no sé": the second of two clauses, with its own subject.
_CLAUSE_BEHIND = {
    "en": re.compile(r"(?<=\w{2})[,;]? (?:and|but|so|because) (?:i|we|it|they|he|she|please)\b.*"),
    "es": re.compile(
        r"(?<=\w{2})[,;]? (?:y|pero|así que|porque) (?:yo|me|nos|no|quiero|quería|necesito)\b.*"
    ),
}
_MARKS = " .,;:!¡¿?…-"
# What stands in a clause of its own keeps its verb.
_SUBORDINATE = re.compile(r"\b(?:that|why|how|if|whether|what|when|where|who|which|because|and|but|so)\b")
_VOWELS = "aeiou"
_STRESSED_AT_END = ("mit", "fer", "get", "set", "gin", "cur", "pel")  # "submitting", "transferring"


def name_topic(topic: str) -> str:
    """Return a name for a topic in English or Spanish; "" where it holds no words.

    Of several sentences one gives it: the first that makes a name that stands alone, else the first phrase.
    """
    text = " ".join(topic.split())
    sentences = [each for sentence in split_sentences(text) if (each := _drop_opening(sentence))] or [text]
    names = [name for each in sentences if (name := _name_sentence(each))]
    phrases = [name for name in names if " " in name]
    return next(filter(stands_alone, names), [*phrases, *names, ""][0])


def _drop_opening(sentence: str) -> str:
    """Return a sentence without a greeting and the caller's name before it; "" where it is nothing else."""
    for opening in (_GREETING, _INTRODUCTION):
        sentence = opening.sub("", sentence.strip(_MARKS), count=1)
    return sentence.strip(_MARKS)


def _name_sentence(sentence: str) -> str:
    """Return a name for one sentence, made of the first of its clauses."""
    written = sentence.strip(_MARKS)
    language = guess_language(written) or DEFAULT_LANGUAGE
    phrase = _shape_phrase(written.lower().replace("’", "'"), language)
    words = _CLAUSE_BEHIND[language].sub("", phrase).rstrip(_MARKS).split()
    while len(words) > 1 and fold_typography(words[-1]) in _LAST_WORDS[language]:
        words.pop()
    return _capitalize(" ".join(words).rstrip(_MARKS), written)


def to_name(topic: str) -> str:
    """Return a name for a topic, at most MAX_NAME characters; the topic itself where it has no words."""
    return name_topic(topic)[:MAX_NAME] or capitalize_topic(topic)  # a topic such as "?" has no words


def capitalize_topic(topic: str) -> str:
    """Return a topic as it is, in sentence case."""
    text = " ".join(topic.split())
    return (text[:1].upper() + text[1:])[:MAX_NAME]


def number_name(name: str) -> Iterator[str]:
    """Yield the name with 2, 3 and so on behind it."""
    return (f"{name[: MAX_NAME - 8]} ({number})" for number in count(2))


def without_number(name: str) -> str:
    """Return a name without what number_name() put behind it."""
    return _NUMBER.sub("", name)


def stands_alone(name: str) -> bool:
    """Return whether a name reads as one: a few words, at least two, no sentence and no half of one."""
    words, language = name.lower().split(), guess_language(name) or DEFAULT_LANGUAGE
    is_cut = len(words) < FEWEST_WORDS or fold_typography(words[-1]) in _LAST_WORDS[language]
    is_more = len(words) > MOST_WORDS or len(split_sentences(name)) > 1 or _GREETING.match(name)
    return not is_cut and not is_more and not _FIRST_WORDS_OF_SENTENCES[language].match(" ".join(words))


def _shape_phrase(phrase: str, language: str) -> str:
    """Return what is asked to be done, or what is the case, without the frame of a question or a wish."""
    if match := _ASKED_TO_DO[language].match(phrase):
        rest = phrase[match.end() :]
        return _drop_owners(_use_gerund(rest)) if language == "en" else rest
    match = _ASKED_FOR[language].match(phrase)
    phrase = phrase[match.end() :] if match else phrase
    if language != "en" or _FIRST_WORDS_OF_SENTENCES[language].match(phrase):
        return phrase
    verb = None if match else _BASE_VERB.fullmatch(phrase)
    if verb and verb[1] not in _NO_VERBS and not verb[1].endswith(("ed", "ing", "s")):
        return _drop_owners(_use_gerund(phrase))
    return _drop_owners(_shape_statement(phrase))


def _shape_statement(phrase: str) -> str:
    """Return an English statement as what is the case: "card not working"."""
    if match := _LOST.match(phrase):
        phrase = f"{_PARTICIPLES.get(match[1], match[1])} {phrase[match.end() :]}"
    for pattern in (_DENIAL, _STATE):
        if (match := pattern.search(phrase)) and not _SUBORDINATE.search(phrase[: match.start()]):
            verb = form_gerund(match[1]) + " " if pattern is _DENIAL else ""
            denied = " not " if pattern is _DENIAL or any(match.groups()) else " "
            phrase = f"{phrase[: match.start()]}{denied}{verb}{phrase[match.end() :].lstrip()}".strip()
    return phrase


def _use_gerund(phrase: str) -> str:
    """Return a phrase that begins with a verb in its base form with that verb as a noun."""
    verb, space, rest = phrase.partition(" ")
    return form_gerund(verb) + space + rest if verb.isalpha() and verb not in _NO_VERBS else phrase


def form_gerund(verb: str) -> str:
    """Return the "-ing" form of an English verb, in American spelling."""
    if verb == "be" or verb.endswith(("ee", "oe", "ye")):
        return f"{verb}ing"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e"):
        return f"{verb[:-1]}ing"
    before, vowel, last = list(f"  {verb.replace('qu', 'qw')}")[-3:]
    ends_closed = last not in f"{_VOWELS}wxy" and vowel in _VOWELS and before not in _VOWELS
    has_one_syllable = sum(letter in _VOWELS for letter in verb.replace("qu", "qw")) == 1
    if ends_closed and (has_one_syllable or verb.endswith(_STRESSED_AT_END)):
        return f"{verb}{last}ing"
    return f"{verb}ing"


def _drop_owners(phrase: str) -> str:
    """Return the phrase with "the card" for "my card", and without an article at its beginning."""
    return re.sub(rf"^{_DETERMINER} ", "", _OWNER.sub("the", phrase))


def _capitalize(phrase: str, written: str) -> str:
    """Return the phrase in sentence case; capitals within the topic ("PIN", "ATM") stay."""
    is_shouted = written == written.upper()
    kept = {} if is_shouted else {word.lower().replace("’", "'"): word for word in written.split()}
    cased = " ".join(kept.get(word, word) for word in phrase.split())
    return cased[:1].upper() + cased[1:]
