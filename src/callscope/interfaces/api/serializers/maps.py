"""The two maps of a report, derived from the rows of the reports room."""

from rest_framework import serializers

from callscope.interfaces.api.serializers.derived import serializer_for
from callscope.reports.overview.maps import agent_criteria, week_hours

MapCriterionSerializer = serializer_for(agent_criteria.RowName, "MapCriterionSerializer")
MapCellSerializer = serializer_for(agent_criteria.MapCell, "MapCellSerializer")
MapAgentSerializer = serializer_for(
    agent_criteria.MapAgent,
    "MapAgentSerializer",
    without=agent_criteria.NOT_IN_MAP,
    fields={"cells": MapCellSerializer(many=True, help_text="One for each of `criteria`, in their order.")},
)
AgentMapSerializer = serializer_for(
    agent_criteria.AgentMap,
    "AgentMapSerializer",
    without=agent_criteria.NOT_IN_MAP,
    fields={"criteria": MapCriterionSerializer(many=True), "agents": MapAgentSerializer(many=True)},
)
HourFigureSerializer = serializer_for(
    week_hours.HourFigure,
    "HourFigureSerializer",
    fields={"weekday": serializers.IntegerField(min_value=0, max_value=6, help_text="0 is Monday.")},
)
WeekHoursSerializer = serializer_for(
    week_hours.WeekHours, "WeekHoursSerializer", fields={"hours": HourFigureSerializer(many=True)}
)
