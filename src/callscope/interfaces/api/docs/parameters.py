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
    _query(
        "date_range", OpenApiTypes.STR, "A named range; takes precedence over the dates", enum=list(PRESETS)
    ),
]
TREND = [
    _query(
        "figure",
        OpenApiTypes.STR,
        f"{', '.join(FIGURES)}, criterion:ID or question:TEXT; by default average_score",
    ),
    _query(
        "answer",
        OpenApiTypes.STR,
        "For a question: the answer whose share to show; default: the most frequent",
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
        "true: only calls with a review that counts; false: only calls without one; others are ignored",
    ),
    _query("failed", OpenApiTypes.STR, "true or 1: only calls whose newest file has a failed analysis"),
    _query("half_heard", OpenApiTypes.STR, "true or 1: only calls with an unreliable transcript"),
    _query("criterion", OpenApiTypes.STR, "A criterion_id: only calls that this criterion was judged in"),
    _query("result", OpenApiTypes.STR, "The answer to `criterion`, which is required", enum=list(RESULTS)),
    _query("min_score", OpenApiTypes.STR, "0 to 100: only calls with at least this score_percentage"),
    _query("max_score", OpenApiTypes.STR, "0 to 100: only calls with at most this score_percentage"),
    _query("mistakes", OpenApiTypes.STR, "true or 1: only calls in which a mistake was found"),
    _query("missed_prompts", OpenApiTypes.STR, "true or 1: only calls in which a prompt was missed"),
    _query("campaign", OpenApiTypes.STR, "Only calls of this campaign, exactly"),
    _query("min_length", OpenApiTypes.STR, "Seconds: only calls of at least this length"),
    _query("max_length", OpenApiTypes.STR, "Seconds: only calls of at most this length"),
    _query(
        "reason", OpenApiTypes.STR, "The id of a contact reason: only calls that the report counts for it"
    ),
    _query("tracker", OpenApiTypes.STR, "The id of a tracker: only calls in which it matches"),
    _query("search", OpenApiTypes.STR, "Text in file name, topic, contact reason, caller number or campaign"),
    _query(
        "transcript",
        OpenApiTypes.STR,
        "Words that are all said in the call; in quotation marks, a phrase. Items get `snippets`",
    ),
    _query(
        "ordering",
        OpenApiTypes.STR,
        f"{', '.join(ORDERINGS)}; a leading - reverses the order; others are ignored",
    ),
    _query("page", OpenApiTypes.STR, 'Page number, from 1, or "last"'),
]
