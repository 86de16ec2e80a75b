"""What the analysis status says of the types of analysis that projects enable."""

import pytest
from pipeline.conftest import RUBRIC, configure

from callscope.pipeline.files.progress import load_analysis_status
from callscope.projects.models import Project

pytestmark = pytest.mark.django_db


def enabled(*projects):
    names = load_analysis_status(projects)["analysis_status"]
    return {name.removeprefix("calls_analysis_") for name in names}


class TestLoadAnalysisStatus:
    def test_names_the_types_that_any_of_the_projects_enables(self, project, alice):
        other_project = configure(Project.objects.create(name="Other line", owner=alice), RUBRIC)

        assert enabled(project) == {"insights"}
        assert enabled(project, other_project) == {"insights", "copc"}
        assert enabled() == set()

    def test_follows_a_changed_configuration_at_once(self, project):
        before = enabled(project)
        configure(project, RUBRIC)
        changed = enabled(project)
        configure(project, {"custom_questions": ["Did they call before?"]})

        assert (before, changed) == ({"insights"}, {"insights", "copc"})
        assert enabled(project) == {"insights", "custom_questions"}
