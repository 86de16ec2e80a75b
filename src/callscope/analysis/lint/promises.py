"""How many things a name or a guideline promises, in English and Spanish.

"Greets and names the company" promises two, "Verifies two details" two, "Greets or thanks" one. A name is
read strictly: whatever stands on both sides of "and" is promised. In a guideline only verbs are counted,
as it also lists examples and exceptions.
"""

import re

from callscope.language.fold import fold_text
from callscope.projects.configuration_rules import Pattern, Rule

JOINED = re.compile(r"(?:^|\s)(?:and|as well as|&|\+|y|e|asi como|ademas de)\s")
_ASIDE = re.compile(r"\([^()]*\)|\"[^\"]*\"|«[^«»]*»|“[^“”]*”")
_SENTENCES = re.compile(r"[.;:!?]+(?:\s|$)")
# "between nine and five" is one thing.
_ONE_THING = re.compile(
    r"\b(?:between|entre)\b[^,]{0,60}?\s(?:and|y)\s|\b(?:terms and conditions|terminos y condiciones)\b"
)
_NUMBERS = {
    "two": 2,
    "both": 2,
    "three": 3,
    "four": 4,
    "dos": 2,
    "ambos": 2,
    "ambas": 2,
    "tres": 3,
    "cuatro": 4,
}
_COUNTED = re.compile(
    r"\b(two|both|three|four|dos|ambos|ambas|tres|cuatro|[2-4])\s+(?:of\b|de\b|(?:\w+\s+){0,2}?"
    r"(?:things|items|details|pieces|facts|questions|options|proofs|data|"
    r"cosas|datos|detalles|preguntas|opciones|pruebas)\b)"
)
_VERBS = (
    "greets names says asks thanks offers gives confirms verifies checks explains repeats apologizes "
    "apologises introduces states mentions summarizes summarises sums reads informs tells closes wishes "
    "waits reassures promises proposes invites addresses identifies announces notes records sends books ends "
    "saluda nombra dice pide pregunta agradece ofrece da confirma verifica comprueba explica repite disculpa "
    "presenta menciona resume lee informa cierra despide espera anuncia avisa identifica promete propone "
    "invita apunta envia reserva termina"
)
_VERB = (
    rf"(?:then |also |never |does not |luego |tambien |nunca |no )?(?:se |le |lo |la |les )?"
    rf"(?:{'|'.join(_VERBS.split())})"
)
_MORE_VERBS = re.compile(rf"(?:\s(?:and|y|e)|,)\s+{_VERB}\b")
_ALTERNATIVE = re.compile(r"(?:^|\s)(?:or|either|whether|o|u|si)(?:\s|,)")


def count_promises_of_name(name: str) -> int:
    """Return how many things a name promises, at least 1."""
    text = _clean(name)
    joined = len(JOINED.findall(text))
    listed = 0 if _ALTERNATIVE.search(text) else len(re.findall(rf",\s+{_VERB}\b", text))
    return max(1 + joined + listed, _read_number(text))


def count_promises_of_guideline(guideline: str) -> int:
    """Return how many things the richest sentence of a guideline asks for, at least 1."""
    most = 1
    for sentence in _SENTENCES.split(_clean(guideline)):
        verbs = 0 if _ALTERNATIVE.search(sentence) else len(_MORE_VERBS.findall(sentence))
        most = max(most, 1 + verbs, _read_number(sentence))
    return most


def count_demands(rule: Rule) -> int:
    """Return how many things a rule asks for: groups that are needed, and each limit around them."""
    groups = (rule.at_least or len(rule.all_of)) if rule.all_of else 0
    limits = (rule.none_of, rule.at_most, rule.before, rule.after, rule.not_within, rule.no_silence)
    around = sum(limit is not None and limit != [] for limit in limits)
    return groups + bool(rule.wanted) + around


def says_it_whole(rule: Rule) -> bool:
    """Return True if each phrase of a plain rule joins things itself: "my name is … and I can help"."""
    phrases = rule.wanted
    return bool(phrases) and not rule.is_compound and all(_joins(phrase) for phrase in phrases)


def _joins(phrase: str | Pattern) -> bool:
    text = phrase.pattern if isinstance(phrase, Pattern) else phrase
    return bool(JOINED.search(fold_text(text))) or (isinstance(phrase, Pattern) and ".*" in text)


def _clean(text: str) -> str:
    return _ONE_THING.sub(" ", _ASIDE.sub(" ", fold_text(" ".join(text.split()))))


def _read_number(text: str) -> int:
    found = _COUNTED.search(text)
    return (_NUMBERS.get(found[1]) or int(found[1])) if found else 1
