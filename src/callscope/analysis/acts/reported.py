"""Find the act of a phrase of a rubric, which may describe it: "offers further help", "Asks for the PIN"."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from callscope.analysis.acts.clauses import Clause, read_clauses
from callscope.analysis.acts.grammar import classify_clause, read_acts, read_patterns
from callscope.analysis.acts.kinds import COURTESIES, Act, Acts, choose_likeliest
from callscope.language.wordlists import read_phrase_list

# What is stated without a verb of its own ("states the price") is a fact; so is what looks like a question.
_STATEMENTS = frozenset(("states_done", "states_failed", "states_fact", "promises", "requests"))
_QUESTION_WORD = re.compile(
    r"(?:\w+ )?(?:what|which|when|where|who|whom|whose|how|why|qué|cuál|cuándo|dónde|quién|cómo|cuánt)",
    re.IGNORECASE,
)
_FOLLOWING = "that"  # in the lists: the act of what follows


class Reported(NamedTuple):
    """What the agent does, and what it is about."""

    acts: Acts
    about: str


class _Frame(NamedTuple):
    acts: str
    fits: re.Pattern[str]


@lru_cache(maxsize=10_000)
def find_reported_act(phrase: str, language: str) -> Reported | None:
    """Return the act that a phrase describes; None where it is what the agent says."""
    for frame in _load_frames(language):
        match = frame.fits.match(phrase)
        if match:
            about = phrase[match.end() :].strip(" :,.")
            return Reported(_read_frame(frame.acts, about, language), about)
    return None


@lru_cache(maxsize=10_000)
def read_phrase_acts(phrase: str, language: str) -> Acts:
    """Return the acts that a phrase describes or, where the agent says it, does."""
    reported = find_reported_act(phrase, language)
    return reported.acts if reported else _join_acts(read_clauses(phrase, language))


def _join_acts(clauses: Sequence[Clause]) -> Acts:
    """Return what several clauses do together; a courtesy next to something else is only its opening."""
    acts: dict[Act, float] = {}
    for clause in [c for c in clauses if c.act not in COURTESIES] or clauses:
        for act, weight in clause.acts.items():
            acts[act] = max(weight, acts.get(act, 0.0))
    return acts or {"names": 1.0}


def _read_frame(acts: str, about: str, language: str) -> Acts:
    if "offers" in acts and choose_likeliest(classify_clause(f"{about}?", language)) == "offers_more_help":
        return {"offers_more_help": 1.0}
    following = classify_clause(about, language)
    if choose_likeliest(following) not in _STATEMENTS:
        following = {"states_fact": 1.0, "states_done": 0.5, "states_failed": 0.5}
    names, _, rest = acts.partition(_FOLLOWING)
    if not _ or names:
        return read_acts(acts)
    more = read_acts(rest.partition(", ")[2]) if ", " in rest else {}
    return {**more, **following}


def say_reported(reported: Reported, language: str) -> str:
    """Return how an agent might say it: "the price" that is asked for is "What is the price?"."""
    act = choose_likeliest(reported.acts)
    if act == "asks_which" and _QUESTION_WORD.match(reported.about):
        return f"{reported.about}?"
    return _load_spoken(language).get(act, "{}").format(reported.about)


@lru_cache(maxsize=2)
def _load_spoken(language: str) -> dict[str, str]:
    lines = (line.partition(": ") for line in read_phrase_list(__package__, f"spoken.{language}"))
    return {act: said for act, _, said in lines}


@lru_cache(maxsize=2)
def _load_frames(language: str) -> tuple[_Frame, ...]:
    who, around = read_phrase_list(__package__, f"agent.{language}")
    opening = rf"^\s*(?:(?:{who})\s+)?(?:(?:{around})\s+)*"
    return tuple(
        _Frame(acts, re.compile(rf"{opening}(?:{pattern})(?:(?=\W|$)|(?<=\s))\s*", re.IGNORECASE))
        for acts, pattern in read_patterns(f"reported.{language}")
    )
