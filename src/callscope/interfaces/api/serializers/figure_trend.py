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
        "figure": serializers.CharField(help_text="The figure, as requested."),
        "name": serializers.CharField(
            help_text="Name of the criterion or question; otherwise empty.", allow_blank=True
        ),
        "answer": serializers.CharField(
            help_text="The answer to the question whose share is shown.", allow_blank=True
        ),
        "answers": FigureAnswerSerializer(
            many=True, help_text="Answers to the question, most frequent first."
        ),
        "weeks": FigureWeekSerializer(many=True),
    },
)
