"""Query parameters and error answers that several operations document."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from callscope.interfaces.api.docs import openapi
from callscope.reports.call_list.drilldown import RESULTS
from callscope.reports.call_list.filters import DIRECTIONS, ORDERINGS, SENTIMENTS
from callscope.reports.overview.figure_trend.figures import FIGURES
from callscope.reports.window import PRESETS

ERRORS = openapi.error_responses(400)
NOT_FOUND = openapi.error_responses(404)[404]


def _query(
    name: str, kind: OpenApiTypes, description: str, enum: list[str] | None = None
) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=description, enum=enum)


SCOPE = [
    _query("project_id", OpenApiTypes.INT, "Limit to one project; without it, all visible call projects"),
    _query("team", OpenApiTypes.INT, "Limit to a team; ignored unless the caller is a member"),
]
WINDOW = [
    _query("start_date", OpenApiTypes.DATE, "First day, inclusive"),
    _query("end_date", OpenApiTypes.DATE, "Last day, inclusive"),
    _query("date_range", OpenApiTypes.STR, "A named range; wins over the dates", enum=list(PRESETS)),
]
TREND = [
    _query(
        "figure",
        OpenApiTypes.STR,
        f"{', '.join(FIGURES)}, criterion:ID or question:TEXT; by default average_score",
    ),
    _query(
        "answer", OpenApiTypes.STR, "Of a question: whose share to show; by default that of the most frequent"
    ),
]
FILTERS = [
    _query("agent", OpenApiTypes.STR, 'An agent_id of the report, or "none" for calls without an agent'),
    _query("sentiment", OpenApiTypes.STR, f"{', '.join(SENTIMENTS)}; others are ignored"),
    _query("direction", OpenApiTypes.STR, f"{', '.join(DIRECTIONS)}; others are ignored"),
    _query("critical", OpenApiTypes.STR, "true or 1: only calls with a critical error"),
    _query(
        "reviewed",
        OpenApiTypes.STR,
        "true: only calls whose review stands; false: only those without one; others are ignored",
    ),
    _query("failed", OpenApiTypes.STR, "true or 1: only calls of whose newest file an analysis failed"),
    _query("half_heard", OpenApiTypes.STR, "true or 1: only calls of which it is not known what was said"),
    _query("criterion", OpenApiTypes.STR, "A criterion_id: only calls that were judged by it"),
    _query("result", OpenApiTypes.STR, "Of that criterion; needs criterion", enum=list(RESULTS)),
    _query("min_score", OpenApiTypes.STR, "0 to 100: only calls with that score_percentage or a higher one"),
    _query("max_score", OpenApiTypes.STR, "0 to 100: only calls with that score_percentage or a lower one"),
    _query("mistakes", OpenApiTypes.STR, "true or 1: only calls in which a mistake was found"),
    _query("missed_prompts", OpenApiTypes.STR, "true or 1: only calls in which a prompt was missed"),
    _query("campaign", OpenApiTypes.STR, "Only calls of this campaign, exactly"),
    _query("min_length", OpenApiTypes.STR, "Seconds: only calls that last as long or longer"),
    _query("max_length", OpenApiTypes.STR, "Seconds: only calls that last as long or less"),
    _query("reason", OpenApiTypes.STR, "The id of a contact reason: the calls that the report counts for it"),
    _query("tracker", OpenApiTypes.STR, "The id of a tracker: only calls in which it holds"),
    _query("search", OpenApiTypes.STR, "Text in file name, topic, contact reason, caller number or campaign"),
    _query(
        "transcript",
        OpenApiTypes.STR,
        "Words that are said in the call, all of them; in quotes, one after the other. Items gain snippets",
    ),
    _query(
        "ordering",
        OpenApiTypes.STR,
        f"{', '.join(ORDERINGS)}, - before it turns it round; others are ignored",
    ),
    _query("page", OpenApiTypes.STR, 'A number from 1, or "last"'),
]
