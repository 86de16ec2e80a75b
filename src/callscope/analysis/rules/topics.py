"""Name in a few words why the customer calls, from the customer's first statement of a need.

The wording stays the customer's; names, numbers, dates and redacted spans are
left out, so that similar calls read alike and nothing private ends up in a report.
"""

import re

from callscope.analysis.conversation.turns import Conversation
from callscope.language import tokens
from callscope.language.fold import fold_typography
from callscope.language.sentences import split_sentences
from callscope.language.wordlists import read_phrase_list, read_word_list

OPENING_SEGMENTS = 12  # of the customer; a need is stated early or not at all
MAX_WORDS = 12  # of a clause, which has rarely more
MIN_CONTENT_WORDS = 2  # of a need or a clause that is taken at once
MAX_CHARACTERS = 80


def _compile_lists(*names: str, flags: int = re.IGNORECASE) -> dict[str, re.Pattern[str]]:
    """Return one pattern per language, made of all lines of the lists."""
    patterns: dict[str, re.Pattern[str]] = {}
    for language in tokens.LANGUAGES:
        lines = [line for name in names for line in read_phrase_list(__package__, f"{name}.{language}")]
        patterns[language] = re.compile(rf"(?:{'|'.join(lines)})(?=\W|$)", flags)
    return patterns


_FILLERS = _compile_lists("topic_fillers")
_LEADS = _compile_lists("topic_leads")
_CLAUSE_ENDS = _compile_lists("topic_clause_ends")
_DETAILS = _compile_lists("topic_details", flags=0)  # a capital marks a name
_IDENTITY = _compile_lists("identity", flags=0)
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
_EDGE_WORDS = {
    language: read_word_list(__package__, f"topic_edges.{language}") for language in tokens.LANGUAGES
}
# Words that name no reason by themselves: a need of these alone waits for a better one.
_VAGUE = {language: read_word_list(__package__, f"topic_vague.{language}") for language in tokens.LANGUAGES}
_EMPTY = {language: read_word_list(__package__, f"topic_empty.{language}") for language in tokens.LANGUAGES}
# "Can't log in" is another reason than "log in".
_KEPT_FIRST = frozenset(
    ("not", "no", "can't", "cannot", "don't", "doesn't", "won't", "isn't", "aren't", "never", "nunca")
)


def extract_topic(conversation: Conversation) -> str:
    """Return a short phrase for the reason of the call, "" if the customer states none.

    The first need that is stated counts, if it comes with the first words of
    substance or right after them; else those first words themselves. Where the
    speakers are unknown everybody's opening counts, apart from the questions
    with which agents open.
    """
    language = conversation.language
    substance = single_word = ""
    found_in = 0
    for number, statement in _read_opening(conversation):
        if (substance or single_word) and number > found_in + 1:
            break
        need = _find_need(statement, language)
        content = tokens.extract_content_words(need, language)
        is_specific = any(w not in _VAGUE[language] for w in content)
        if is_specific and len(content) >= MIN_CONTENT_WORDS:
            return need
        if need and not substance and not single_word:
            if is_specific:
                return need
            if not _EMPTY[language].issuperset(content):
                single_word, found_in = need, number
        if not substance and (not single_word or number == found_in):
            substance = _find_substance(statement, language)
            found_in = number if substance else found_in
    return substance or single_word


def _read_opening(conversation: Conversation) -> list[tuple[int, str]]:
    """Return the customer's first sentences without names and redacted spans, and the turn of each."""
    language = conversation.language
    if conversation.speaks("customer"):
        said = conversation.said_by("customer")
    else:
        said = [s for s in conversation.said_by("") if not _AGENT_QUESTION.search(s.spoken)]
    statements: list[tuple[int, str]] = []
    for number, segment in enumerate(said[:OPENING_SEGMENTS]):
        plain = " ".join(_PLACEHOLDER.sub(" ", segment.text).replace("’", "'").replace("...", ". ").split())
        titled, role = _TITLED_NAME[language]
        plain = _PERSON.sub(" ", titled.sub(role, plain))
        # "Dr." ends no sentence here: its stop goes before the text is split.
        plain = _ABBREVIATION.sub(r"\1", _IDENTITY[language].sub(" ", plain))
        statements += [(number, s) for part in split_sentences(plain) if (s := part.strip(" ,.-"))]
    return statements


def _find_need(statement: str, language: str) -> str:
    """Return what follows the words of wanting, wherever in the sentence they begin."""
    for start in [0, *(m.end() for m in _NEED_START[language].finditer(statement))]:
        rest, has_lead = _strip_leads(statement[start:], language)
        if has_lead:
            phrase = _shorten(rest, language)
            if tokens.extract_content_words(phrase, language):
                return phrase
    return ""


def _find_substance(statement: str, language: str) -> str:
    """Return the first clause that says something; a name alone says nothing."""
    if all(w[:1].isupper() for w in statement.split()):
        return ""
    rest = _strip_leads(statement, language)[0]
    while rest:
        phrase = _shorten(rest, language)
        content = tokens.extract_content_words(phrase, language)
        if len(content) >= MIN_CONTENT_WORDS and any(w not in _VAGUE[language] for w in content):
            return phrase
        ends = [m.end() for p in (_PUNCTUATION, _CLAUSE_ENDS[language]) if (m := p.search(rest))]
        rest = _strip_leads(rest[min(ends) :], language)[0] if ends else ""
    return ""


def _strip_leads(text: str, language: str) -> tuple[str, bool]:
    """Return the text without fillers and words of wanting, and whether it had any of the latter."""
    rest, has_lead = text.lstrip(" ,.!¡¿?"), False
    while True:
        filler, lead = _FILLERS[language].match(rest), _LEADS[language].match(rest)
        match = lead or filler
        if not match or not match.end():
            return rest, has_lead
        has_lead = has_lead or bool(lead)
        rest = rest[match.end() :].lstrip(" ,.:!¡¿?")


def _shorten(text: str, language: str) -> str:
    """Return the first clause of the text in lower case without details, at most MAX_WORDS words."""
    text = _OPENING_VERB[language].sub("", _SHORT_IS.sub(r"\1 ", _POSSESSIVE_NAME.sub("", text)))
    ends = [m.start() for p in (_PUNCTUATION, _CLAUSE_ENDS[language]) if (m := p.search(text))]
    clause = text[: min(ends)] if ends else text
    detail = _DETAILS[language].search(clause)
    if detail and tokens.extract_content_words(clause[: detail.start()], language):
        clause = clause[: detail.start()]
    words = [w for w in _NUMBER.sub(" ", clause).split() if w.strip("'-’")]
    # Stuttered words once: "the the bill".
    words = [w for w, before in zip(words, ["", *words], strict=False) if w.lower() != before.lower()]
    words = words[:MAX_WORDS]
    edge = _EDGE_WORDS[language]
    while words and fold_typography(words[-1]) in edge:
        words.pop()
    while words and fold_typography(words[0]) in edge - _KEPT_FIRST:
        words.pop(0)
    if len(words) > 1 and " ".join(words).isupper():
        lowered = [w.lower() for w in words]
    else:  # short words in capitals stay as they are: "PIN", "RSVP"
        lowered = [w if w.isupper() and 2 <= len(w) <= 6 else w.lower() for w in words]
    return " ".join(lowered)[:MAX_CHARACTERS].strip()
