"""How the pages of probes name kinds, states and groups of copies."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

GROUP_NAMES: dict[str, Promise] = {
    "repeat": gettext_lazy("the same words again"),
    "names_english_women": gettext_lazy("English names of women"),
    "names_english_men": gettext_lazy("English names of men"),
    "names_hispanic_women": gettext_lazy("Hispanic names of women"),
    "names_hispanic_men": gettext_lazy("Hispanic names of men"),
    "names_african_american_women": gettext_lazy("African American names of women"),
    "names_african_american_men": gettext_lazy("African American names of men"),
    "names_arabic_women": gettext_lazy("Arabic names of women"),
    "names_arabic_men": gettext_lazy("Arabic names of men"),
    "names_andean_women": gettext_lazy("Andean names of women"),
    "names_andean_men": gettext_lazy("Andean names of men"),
    "dialect_british": gettext_lazy("British spelling"),
    "dialect_american": gettext_lazy("American spelling"),
    "dialect_informal": gettext_lazy("informal pronunciation"),
    "dialect_latin_american": gettext_lazy("Latin American words"),
    "dialect_peninsular": gettext_lazy("words of Spain"),
    "order": gettext_lazy("facts in another order"),
}
STATE_NAMES: dict[str, Promise] = {
    "queued": gettext_lazy("Queued"),
    "running": gettext_lazy("Running"),
    "completed": pgettext_lazy("a probe", "Completed"),
    "stopped": pgettext_lazy("a probe", "Stopped"),
    "failed": gettext_lazy("Failed"),
}
KIND_NAMES: dict[str, Promise] = {
    "steadiness": gettext_lazy("Steadiness"),
    "fairness": gettext_lazy("Fairness"),
}
QUESTIONS: dict[str, Promise] = {
    "steadiness": gettext_lazy("Start the steadiness probe?"),
    "fairness": gettext_lazy("Start the fairness probe?"),
}
