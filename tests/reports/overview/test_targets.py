"""Targets of projects: read from their settings, and said in words next to a figure."""

import pytest

from callscope.projects import configuration
from callscope.projects.models import Project
from callscope.reports.overview.targets import describe_target, find_targets

pytestmark = pytest.mark.one_database
CRITERION = {"id": "greeting", "name": "Greets", "max_points": 10, "target_pct": 95}


def project(**targets) -> Project:
    document = {
        "targets": targets,
        "rubric": {"sections": [{"name": "Opening", "criteria": [CRITERION]}]},
    }
    return Project(name="P", config=configuration.parse(document).as_document())


def say(name, value, interval=None, target=85.0):
    return describe_target(
        name, value, interval, {name: target}, lambda number, places: f"{number:.{places}f}"
    )


class TestTargets:
    def test_are_those_that_all_projects_share(self):
        first, second = project(average_score=85, goal_reached_pct=60), project(average_score=85)

        assert find_targets([first]) == {
            "average_score": 85.0,
            "goal_reached_pct": 60.0,
            "criterion:greeting": 95.0,
        }
        assert find_targets([first, second]) == {"average_score": 85.0, "criterion:greeting": 95.0}
        assert find_targets([]) == {}
        assert find_targets([Project(name="Old", config={})]) == {}

    @pytest.mark.parametrize("target", [-1, 100.5, True, "x", float("nan")])
    def test_are_percentages(self, target):
        with pytest.raises(configuration.InvalidConfiguration, match=r"targets\.average_score"):
            configuration.parse({"targets": {"average_score": target}})

    def test_are_said_with_how_far_a_figure_is_off(self):
        assert say("average_score", 85.0) == "Target 85\u00a0%: met"
        assert say("average_score", 82.6, (81.0, 84.0)) == "Target 85\u00a0%: missed by 2.4 points"
        assert (
            say("average_score", 82.6, (80.0, 85.2))
            == "Target 85\u00a0%: missed by 2.4 points, within the margin of error"
        )
        assert (
            say("average_score", 86.0, (80.0, 92.0))
            == "Target 85\u00a0%: met by 1.0 points, within the margin of error"
        )
        assert say("average_score", 86.0, (85.0, 87.0)) == "Target 85\u00a0%: met"
        assert say("critical_error_pct", 1.5, target=2.5) == "Target 2.5\u00a0%: met"
        assert say("critical_error_pct", 4.0, target=2.5) == "Target 2.5\u00a0%: missed by 1.5 points"
        assert say("average_score", None) == ""
        assert describe_target("average_score", 80.0, None, {}, str) == ""
