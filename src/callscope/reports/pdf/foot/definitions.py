"""What stands at the foot of the report: each figure that it shows, and the signs around it, in words."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from callscope.reports.overview.glossary import DEFINITIONS
from callscope.reports.pdf.criterion_rows import RATES
from callscope.reports.pdf.noise import NOISE_SIGN

DEFINED = (  # at the foot of the report
    "average_score",
    "weighted_compliance",
    "critical_error_pct",
    "negative_sentiment_pct",
    "goal_reached_pct",
    "calls_with_metadata",
    "interval",
    "within_noise",
    "weight_pct",
    "critical_errors",
    "not_applicable_calls",
    *RATES,
)
NOTES = {  # at the foot of the report, around the definitions
    "dash": gettext_lazy("A dash (–) means that nothing was measured; it is not a zero."),
    "dash_waits": gettext_lazy(
        "A dash (–) means that nothing was measured, or that the figure waits for your review: see the first "
        "page. It is not a zero."
    ),
    "few": gettext_lazy(
        "A number in parentheses, or after n, is how many calls a figure is based on. Figures based on "
        "fewer than 10 calls are gray: they say little."
    ),
    "before": gettext_lazy(
        "Before and Change compare with the period of the same length that ends the day before this one."
    ),
    "noise_sign": gettext_lazy(
        "%(sign)s marks a change that is within the margin of error, or over too few calls to say."
    ),
    "effect": gettext_lazy(
        "Effect on the score: the change of a criterion times its weight. It is about how many points of the "
        "average score it explains."
    ),
    "part_week": gettext_lazy(
        "A hollow dot in the chart, and an asterisk in its table, is a week of which only a part is in the "
        "period or has passed."
    ),
    "dots": gettext_lazy(
        "Where it is not known to which calls a criterion applies, its dots show the average over all calls."
    ),
    "talk": gettext_lazy(
        "Talk measures are averages over the calls in which they are known. They are unknown where the "
        "speakers of a recording cannot be told apart, and where a transcript has no overlaps."
    ),
}


def list_definitions(data: Mapping[str, Any], *, waits: bool) -> list[tuple[str, str]]:
    """Return what stands at the foot in the active language: the name of a figure or "", and its meaning.

    `data` is layout.PageData. Of what this report shows alone. `waits`: figures wait for the reader's review.
    """
    has_noise = data["is_compared"] or bool(data["shifts"])
    rows = [row for section in data["sections"] for row in section["rows"]]
    shows = {
        "within_noise": has_noise or bool(data["projects"]),
        "weight_pct": bool(rows),
        "critical_errors": bool(rows),
        "not_applicable_calls": bool(rows),
        "before": data["is_compared"],
        "noise_sign": has_noise,
        "effect": bool(data["causes"]),
        "part_week": bool(data["trend"]["chart"]),
        "dots": bool(rows),
        "talk": bool(data["talk"]),
    }
    return [
        ("", str(NOTES["dash_waits" if waits else "dash"])),
        *(
            (_name_definition(name), str(DEFINITIONS[name].meaning))
            for name in DEFINED
            if shows.get(name, True)
        ),
        *(
            ("", str(note).replace("%(sign)s", NOISE_SIGN))
            for name, note in NOTES.items()
            if not name.startswith("dash") and shows.get(name, True)
        ),
    ]


def _name_definition(name: str) -> str:
    # Two figures have the same name: one in the headline, one in the scorecard.
    if name == "critical_errors":
        return _("Critical errors of a criterion")
    # The head of a narrow column on pages; here it stands in words next to its criterion.
    return _("Not applicable") if name == "not_applicable_calls" else DEFINITIONS[name].label
