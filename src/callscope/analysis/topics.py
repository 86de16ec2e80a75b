"""Name in a few words why the customer calls, from the customer's first statement of a need.

The wording stays the customer's; names, numbers, dates and redacted spans are
left out, so that alike calls read alike and nothing private ends up in a report.
"""

import re

from callscope.analysis.conversation import Conversation, Segment
from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import phrase_list, word_list

OPENING_SEGMENTS = 12  # of the customer; a need is told early or not at all
MAX_WORDS = 8
MAX_CHARACTERS = 80


def _pattern(*names: str, flags: int = re.IGNORECASE) -> dict[str, re.Pattern[str]]:
    """Return, for each language, one pattern out of the lines of lists."""
    found: dict[str, re.Pattern[str]] = {}
    for language in words.LANGUAGES:
        lines = [line for name in names for line in phrase_list(__package__, f"{name}.{language}")]
        found[language] = re.compile(rf"(?:{'|'.join(lines)})(?=\W|$)", flags)
    return found


_FILLERS = _pattern("topic_fillers")
_LEADS = _pattern("topic_leads")
_CLAUSE_ENDS = _pattern("topic_clause_ends")
_DETAILS = _pattern("topic_details", flags=0)  # capitals tell a name
_IDENTITY = _pattern("identity", flags=0)
_CONJUNCTION = r"(?<=[,;:]\s)|(?<=\band )|(?<=\bbut )|(?<=\bso )|(?<=\by )|(?<=\bpero )"
_NEED_START = {
    "en": re.compile(
        rf"{_CONJUNCTION}|\b(?=i(?:'m|'d| am| would| want| need| wanted| was)\b)", re.IGNORECASE
    ),
    "es": re.compile(
        rf"{_CONJUNCTION}|\b(?=(?:quiero|quer[ií]a|quisiera|necesito|me gustar[ií]a|llamo)\b)", re.IGNORECASE
    ),
}
_PUNCTUATION = re.compile(r"[.,;:!?¿¡…()\"“”«»]|\s[-–—]\s")
_TITLED_NAME = {
    "en": (re.compile(r"\b(?:[Dd]r|[Dd]octor)\.?\s+[A-Z]\w+"), "the doctor"),
    "es": (re.compile(r"\b(?:[Dd]r|[Dd]ra|[Dd]octor|[Dd]octora)\.?\s+[A-ZÁÉÍÓÚÑ]\w+"), "el médico"),
}
_PERSON = re.compile(r"\b(?:[Mm]rs?|[Mm]s|[Mm]iss|[Ss]rta|[Ss]ra?|[Dd]on|[Dd]oña)\.?\s+[A-ZÁÉÍÓÚÑ]\w+")
_ABBREVIATION = re.compile(r"\b(dr|dra|mr|mrs|ms|st|sr|sra|srta|no|núm)\.", re.IGNORECASE)
_AGENT_QUESTION = re.compile(
    r"\b(?:how (?:can|may) i (?:help|assist)|what can i do for you|en qu[eé] (?:puedo|le puedo) ayudar)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_PLACEHOLDER = re.compile(r"\[[^\]]*\]|<[^>]*>|[█*#]{2,}|\b[xX]{3,}\b")
_POSSESSIVE_NAME = re.compile(r"\b[A-Z][\w]*(?:['’]s|s['’])\s+")
# "I've just", "we had", "it's": who it is about does not matter.
_OPENING_VERB = {
    "en": re.compile(
        r"^(?:(?:i|we|you|they|it|there|that|this|he|she)"
        r"(?:'ve|'m|'s|'re|'d| have| has| had| am| is| are| was| were)?(?: got)?"
        r"(?: just| been| already| never| always| still| only)*\s+)+",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"^(?:(?:que|me|se|nos|yo|a m[ií]|es que|resulta que|ya|acabo de)\s+)+",
        re.IGNORECASE,
    ),
}
_SHORT_IS = re.compile(r"(\w+)['’]s (?=gone|been|not|too|so|down|out|still|dropped|stopped|coming)")
_NUMBER = re.compile(r"(?<!\w)[#$€£]?\d[\w:/.,%-]*")
_EDGE_WORDS = {language: word_list(__package__, f"topic_edges.{language}") for language in words.LANGUAGES}
_VAGUE = {language: word_list(__package__, f"topic_vague.{language}") for language in words.LANGUAGES}
_EMPTY = {language: word_list(__package__, f"topic_empty.{language}") for language in words.LANGUAGES}
# "Can't log in" is another reason than "log in".
_KEPT_FIRST = frozenset(
    ("not", "no", "can't", "cannot", "don't", "doesn't", "won't", "isn't", "aren't", "never", "nunca")
)


def topic(conversation: Conversation) -> str:
    """Return a short phrase for the reason of the call, "" when the customer states none.

    The first need that is told counts, if it comes with the first words of
    substance or right after them; else those first words themselves. Where the
    speakers are unknown everybody's opening counts, apart from the questions
    with which agents open.
    """
    language = conversation.language
    substance = single_word = ""
    statements = [
        (n, s) for n, t in enumerate(_customer_opening(conversation)) for s in _sentences(t.text, language)
    ]
    found_in = 0
    for number, statement in statements:
        if (substance or single_word) and number > found_in + 1:
            break
        need = _need(statement, language)
        if len(words.content_words(need, language)) >= 2 and _says_enough(need, language):
            return need
        if need and not substance and not single_word:
            if _says_enough(need, language):
                return need
            if not _EMPTY[language].issuperset(words.content_words(need, language)):
                single_word, found_in = need, number
        if not substance and (not single_word or number == found_in):
            substance = _substance(statement, language)
            found_in = number if substance else found_in
    return substance or single_word


def _says_enough(need: str, language: str) -> bool:
    return any(w not in _VAGUE[language] for w in words.content_words(need, language))


def _substance(statement: str, language: str) -> str:
    """Return the first clause that tells something; a name alone tells nothing."""
    if all(w[:1].isupper() for w in statement.split()):
        return ""
    rest = _without_leads(statement, language)[0]
    while rest:
        phrase = _phrase(rest, language)
        if len(words.content_words(phrase, language)) >= 2 and _says_enough(phrase, language):
            return phrase
        ends = [m.end() for p in (_PUNCTUATION, _CLAUSE_ENDS[language]) if (m := p.search(rest))]
        rest = _without_leads(rest[min(ends) :], language)[0] if ends else ""
    return ""


def _customer_opening(conversation: Conversation) -> list[Segment]:
    if conversation.speaks("customer"):
        return conversation.said_by("customer")[:OPENING_SEGMENTS]
    unknown = [s for s in conversation.said_by("") if not _AGENT_QUESTION.search(s.text)]
    return unknown[:OPENING_SEGMENTS]


def _sentences(text: str, language: str) -> list[str]:
    plain = " ".join(_PLACEHOLDER.sub(" ", text).replace("’", "'").replace("...", ". ").split())
    titled, role = _TITLED_NAME[language]
    plain = _PERSON.sub(" ", titled.sub(role, plain))
    plain = _ABBREVIATION.sub(r"\1", _IDENTITY[language].sub(" ", plain))
    return [s.strip(" ,.-") for s in _SENTENCE_END.split(plain) if s.strip(" ,.-")]


def _need(statement: str, language: str) -> str:
    """Return what follows the words of wanting, wherever in the sentence they begin."""
    for start in [0, *(m.end() for m in _NEED_START[language].finditer(statement))]:
        rest, led = _without_leads(statement[start:], language)
        if led:
            phrase = _phrase(rest, language)
            if words.content_words(phrase, language):
                return phrase
    return ""


def _without_leads(text: str, language: str) -> tuple[str, bool]:
    rest, led = text.lstrip(" ,.!¡¿?"), False
    while True:
        filler, lead = _FILLERS[language].match(rest), _LEADS[language].match(rest)
        match = lead or filler
        if not match or not match.end():
            return rest, led
        led = led or bool(lead)
        rest = rest[match.end() :].lstrip(" ,.:!¡¿?")


def _phrase(text: str, language: str) -> str:
    """Return the first clause of the text without details, at most MAX_WORDS words."""
    text = _OPENING_VERB[language].sub("", _SHORT_IS.sub(r"\1 ", _POSSESSIVE_NAME.sub("", text)))
    ends = [m.start() for p in (_PUNCTUATION, _CLAUSE_ENDS[language]) if (m := p.search(text))]
    clause = text[: min(ends)] if ends else text
    detail = _DETAILS[language].search(clause)
    if detail and words.content_words(clause[: detail.start()], language):
        clause = clause[: detail.start()]
    kept = [w for w in _NUMBER.sub(" ", clause).split() if w.strip("'-’")]
    kept = [w for w, before in zip(kept, ["", *kept], strict=False) if w.lower() != before.lower()][
        :MAX_WORDS
    ]
    edge = _EDGE_WORDS[language]
    while kept and words.fold(kept[-1]) in edge:
        kept.pop()
    while kept and words.fold(kept[0]) in edge - _KEPT_FIRST:
        kept.pop(0)
    return _lowered(" ".join(kept))[:MAX_CHARACTERS].strip()


def _lowered(text: str) -> str:
    """Lower the letters, apart from short words in capitals: "PIN", "RSVP"."""
    if text.isupper() and " " in text:
        return text.lower()
    return " ".join(w if w.isupper() and 2 <= len(w) <= 6 else w.lower() for w in text.split())
