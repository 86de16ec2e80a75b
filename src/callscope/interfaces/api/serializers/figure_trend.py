"""One figure by week, derived from the rows of the reports room."""

from rest_framework import serializers

from callscope.interfaces.api.serializers.derived import serializer_for
from callscope.reports.overview.figure_trend import weeks
from callscope.reports.questions.summary import AnswerCount

FigureAnswerSerializer = serializer_for(AnswerCount, "FigureAnswerSerializer")
PreviousWeekSerializer = serializer_for(weeks.WeekFigure, "PreviousWeekSerializer")
FigureWeekSerializer = serializer_for(
    weeks.WeekFigure,
    "FigureWeekSerializer",
    fields={"previous": PreviousWeekSerializer(allow_null=True)},
)
FigureTrendSerializer = serializer_for(
    weeks.FigureTrend,
    "FigureTrendSerializer",
    without=("is_compared",),
    fields={
        "figure": serializers.CharField(help_text="As it was asked for."),
        "name": serializers.CharField(help_text="Of a criterion or question; else blank.", allow_blank=True),
        "answer": serializers.CharField(help_text="Of a question: whose share is shown.", allow_blank=True),
        "answers": FigureAnswerSerializer(many=True, help_text="Of a question, the most frequent first."),
        "weeks": FigureWeekSerializer(many=True),
    },
)
