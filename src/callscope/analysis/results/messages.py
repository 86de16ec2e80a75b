"""The sentences that results carry, in the language of the project.

They are stored with the findings, so neither their wording nor that of their translation changes.
"""

from django.utils import translation
from django.utils.translation import gettext, gettext_noop, pgettext_lazy

SENTENCES = {
    "no_rule": gettext_noop("This criterion has no rule; judging it needs a language model."),
    "rule_without_phrases": gettext_noop(
        "The rule of this criterion names no phrases; judging it needs a language model."
    ),
    "speakers_unknown": gettext_noop(
        "The rule asks for the %(speaker)s's words, and it is not known who speaks here."
    ),
    "speaker_silent": gettext_noop(
        "The rule asks for the %(speaker)s's words, and the transcript holds none."
    ),
    "perhaps_said": gettext_noop("The phrase was said, but by a speaker who is not known."),
    "empty_transcript": gettext_noop("The transcript holds no words."),
    "half_heard": gettext_noop(
        "This call was half heard, and no phrase of the rule stands in its transcript word for word."
    ),
    "poor_transcript": gettext_noop("The transcript is too poor to score: %(reasons)s"),
    "met_exact": gettext_noop("The %(speaker)s said the phrase “%(phrase)s”."),
    "met_near": gettext_noop("The %(speaker)s's words are nearly the phrase “%(phrase)s”."),
    "met_meaning": gettext_noop(
        "The %(speaker)s's words are close in meaning to the phrase “%(phrase)s” (likelihood %(percent)s %%)."
    ),
    "unsure_meaning": gettext_noop(
        "The %(speaker)s's words “%(quote)s” may mean the phrase “%(phrase)s” or something else "
        "(likelihood %(percent)s %%)."
    ),
    "met_pattern": gettext_noop("The %(speaker)s's words match the pattern “%(phrase)s”."),
    "forbidden_pattern": gettext_noop("The %(speaker)s's words match the forbidden pattern “%(phrase)s”."),
    "parts_held": gettext_noop("%(held)s of %(count)s parts were found; needed: %(needed)s."),
    "parts_missing": gettext_noop("Not found: %(missing)s."),
    "parts_unsure": gettext_noop("Nobody can tell whether this was said: %(missing)s."),
    "out_of_order": gettext_noop("Said, but not where it counts: %(missing)s."),
    "order_unknown": gettext_noop(
        "Nobody can tell whether that was said before or after which the rule wants its words."
    ),
    "too_often": gettext_noop(
        "The phrase “%(phrase)s” and its like were said more than %(most)s times "
        "by the %(speaker)s%(window)s."
    ),
    "not_too_often": gettext_noop(
        "The phrases were said %(times)s times by the %(speaker)s%(window)s; at most %(most)s are allowed."
    ),
    "silence": gettext_noop("A wait of %(seconds)s seconds; at most %(most)s are allowed."),
    "no_silence": gettext_noop("No wait was longer than %(most)s seconds."),
    "pattern_too_slow": gettext_noop("The pattern “%(phrase)s” takes too long in this call."),
    "nearest": gettext_noop("The words that come nearest in meaning have a likelihood of %(percent)s %%."),
    "not_met": gettext_noop("None of the phrases was said by the %(speaker)s%(window)s."),
    "met_absent": gettext_noop("None of the forbidden phrases was said by the %(speaker)s%(window)s."),
    "forbidden": gettext_noop("The %(speaker)s said the forbidden phrase “%(phrase)s”."),
    "does_not_apply": gettext_noop(
        "Nothing in the call makes this criterion apply: none of its conditions was mentioned."
    ),
    "window_first": gettext_noop(" in the first %(seconds)s seconds"),
    "window_last": gettext_noop(" in the last %(seconds)s seconds"),
    "not_determined": gettext_noop("not determined"),
    "unverified": gettext_noop(
        "The language model would give points, but the words that it cites do not stand in the transcript, "
        "or it cites none."
    ),
    "unverified_critical": gettext_noop(
        "No points: the words that the language model cites do not stand in the transcript, or it cites none."
    ),
    "for_person": gettext_noop(
        "For a person: on this criterion machine and people agree too little, so the machine's answer does "
        "not count."
    ),
    "answer_refused": gettext_noop("The language model's answer was refused: %(problem)s"),
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
