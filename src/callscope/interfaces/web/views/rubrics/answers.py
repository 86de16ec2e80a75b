"""The answers to a criterion, as the pages about rubrics name them."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

ANSWERS: dict[str, Promise] = {
    "met": gettext_lazy("met"),
    "partly": gettext_lazy("partly"),
    "not_met": gettext_lazy("not met"),
    "not_applicable": gettext_lazy("not applicable"),
    "not_evaluated": gettext_lazy("not evaluated"),
    "": gettext_lazy("not asked"),  # the settings do not have the criterion
}
#: Why a criterion is not evaluated.
LEFT_OPEN_BY: dict[str, Promise] = {
    "half_heard": gettext_lazy("unreliable transcript: a missing phrase proves nothing"),
    "no_rule": gettext_lazy("no rule, and no language model judges"),
    "rule_without_phrases": gettext_lazy("the rule has no phrases, and no language model judges"),
    "speakers_unknown": gettext_lazy("it is unknown who is speaking"),
    "speaker_silent": gettext_lazy("the transcript has no words of who has to say it"),
    "perhaps_said": gettext_lazy("it is said, but it is unknown by whom"),
    "empty_transcript": gettext_lazy("the transcript has no words"),
    "unsure_meaning": gettext_lazy("the words may mean the phrase or something else"),
    "parts_unsure": gettext_lazy("it is unknown whether a part was said"),
    "order_unknown": gettext_lazy("it is unknown in which order it was said"),
    "pattern_too_slow": gettext_lazy("a pattern takes too long"),
    "unverified": gettext_lazy("the words that the language model quotes are not in the transcript"),
}
