"""The sentences that results carry, in the language of the project.

They are stored with the findings and never looked up again: a new wording shows in results that are made
after it, and those of before keep theirs.
"""

import re
from collections.abc import Iterable
from functools import cache

from django.utils import translation
from django.utils.translation import gettext, gettext_noop, pgettext_lazy

SENTENCES = {
    "no_rule": gettext_noop("This criterion has no rule, so judging it needs a language model."),
    "rule_without_phrases": gettext_noop(
        "The rule of this criterion has no phrases, so judging it needs a language model."
    ),
    "speakers_unknown": gettext_noop(
        "The rule looks for words of the %(speaker)s, but it is unknown who is speaking here."
    ),
    "speaker_silent": gettext_noop(
        "The rule looks for words of the %(speaker)s, but there are none in the transcript."
    ),
    "perhaps_said": gettext_noop("The phrase was said, but it is unknown who said it."),
    "empty_transcript": gettext_noop("The transcript has no words."),
    "half_heard": gettext_noop(
        "The transcript of this call is unreliable, and no phrase of the rule is in it word for word."
    ),
    "poor_transcript": gettext_noop("The transcript is too poor to score: %(reasons)s"),
    "met_exact": gettext_noop("The %(speaker)s said the phrase “%(phrase)s”."),
    "met_near": gettext_noop("The %(speaker)s's words are almost the phrase “%(phrase)s”."),
    "met_meaning": gettext_noop(
        "The %(speaker)s's words are close in meaning to the phrase “%(phrase)s” (likelihood %(percent)s %%)."
    ),
    "unsure_meaning": gettext_noop(
        "The %(speaker)s's words “%(quote)s” may mean the phrase “%(phrase)s” or something else "
        "(likelihood %(percent)s %%)."
    ),
    "met_pattern": gettext_noop("The %(speaker)s's words match the pattern “%(phrase)s”."),
    "forbidden_pattern": gettext_noop("The %(speaker)s's words match the forbidden pattern “%(phrase)s”."),
    "parts_held": gettext_noop("%(held)s of %(count)s parts were found; %(needed)s are needed."),
    "parts_missing": gettext_noop("Not found: %(missing)s."),
    "parts_unsure": gettext_noop("It is unknown whether this was said: %(missing)s."),
    "out_of_order": gettext_noop("Said, but not where it counts: %(missing)s."),
    "order_unknown": gettext_noop(
        "It is unknown whether this was said before or after the words that the rule requires."
    ),
    "too_often": gettext_noop(
        "The %(speaker)s said the phrase “%(phrase)s” and similar ones more than %(most)s times%(window)s."
    ),
    "not_too_often": gettext_noop(
        "The %(speaker)s said the phrases %(times)s times%(window)s; at most %(most)s are allowed."
    ),
    "silence": gettext_noop("There was a wait of %(seconds)s seconds; at most %(most)s are allowed."),
    "no_silence": gettext_noop("No wait was longer than %(most)s seconds."),
    "pattern_too_slow": gettext_noop("The pattern “%(phrase)s” takes too long in this call."),
    "nearest": gettext_noop("The closest match in meaning has a likelihood of %(percent)s %%."),
    "not_met": gettext_noop("The %(speaker)s said none of the phrases%(window)s."),
    "met_absent": gettext_noop("The %(speaker)s said none of the forbidden phrases%(window)s."),
    "forbidden": gettext_noop("The %(speaker)s said the forbidden phrase “%(phrase)s”."),
    "does_not_apply": gettext_noop(
        "Nothing in the call makes this criterion apply: none of its conditions was mentioned."
    ),
    "window_first": gettext_noop(" in the first %(seconds)s seconds"),
    "window_last": gettext_noop(" in the last %(seconds)s seconds"),
    "not_determined": gettext_noop("not determined"),
    "unverified": gettext_noop(
        "The language model would give points, but the words that it quotes are not in the transcript, or "
        "it quotes none."
    ),
    "unverified_critical": gettext_noop(
        "No points: the words that the language model quotes are not in the transcript, or it quotes none."
    ),
    "for_person": gettext_noop(
        "For a person: on this criterion, machine and people do not agree enough, so the machine’s answer "
        "does not count."
    ),
    "answer_refused": gettext_noop("The answer of the language model was rejected: %(problem)s"),
}
SPEAKERS = {
    "agent": pgettext_lazy("who says the phrase", "agent"),
    "customer": pgettext_lazy("who says the phrase", "customer"),
    "any": pgettext_lazy("who says the phrase", "speaker"),
}


def sentence(name: str, language: str, **values: object) -> str:
    """Return the named sentence in a language such as "en", its values filled in; `speaker` is translated."""
    with translation.override(language):
        if "speaker" in values:
            values["speaker"] = SPEAKERS[str(values["speaker"])]
        return gettext(SENTENCES[name]) % values


def find_sentence(text: str, names: Iterable[str], languages: Iterable[str]) -> str:
    """Return the first of these names whose sentence is in a text, whatever its values are; "" for none."""
    return next((name for name in names if any(_pattern(name, each).search(text) for each in languages)), "")


@cache
def _pattern(name: str, language: str) -> re.Pattern[str]:
    with translation.override(language):
        written = gettext(SENTENCES[name])
    pieces = re.split(r"%\(\w+\)s", written)
    return re.compile(".*?".join(re.escape(piece.replace("%%", "%")) for piece in pieces), re.DOTALL)
