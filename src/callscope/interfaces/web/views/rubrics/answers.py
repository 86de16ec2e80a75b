"""The answers to a criterion, as the pages about rubrics name them."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

ANSWERS: dict[str, Promise] = {
    "met": gettext_lazy("met"),
    "partly": gettext_lazy("partly"),
    "not_met": gettext_lazy("not met"),
    "not_applicable": gettext_lazy("not applicable"),
    "not_evaluated": gettext_lazy("not evaluated"),
}
