"""The counts behind analysis-status are what counting the analyses would give."""

import pytest
from django.db.models import Count
from hypothesis import given
from hypothesis import strategies as st
from reports.story import SCRIPT, STEPS, Story

from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.pipeline.files.progress import load_analysis_status
from callscope.projects.models import Project
from callscope.reports.models import StateCount
from callscope.reports.store import status_counts

FIELDS = tuple(STATE_FIELDS.values())


def counted(projects):
    newest = CallAnalysis.objects.filter(project__in=projects, is_newest=True)
    rows = newest.values_list(*FIELDS).annotate(calls=Count("pk")).order_by()
    return sorted(((row[:-1], row[-1]) for row in rows), key=repr)


def kept(projects):
    return sorted(status_counts.count_by_status([project.pk for project in projects]), key=repr)


def play(story, script):
    for turn, (step, value) in enumerate(script):
        story.play(step, value, turn)
        analyses = CallAnalysis.objects.filter(project=story.projects[turn % 2])
        match turn % 3:
            case 0:
                analyses.filter(pk__in=analyses.values_list("pk")[:2]).update(
                    copc_state=AnalysisState.PROCESSING, insights_state=AnalysisState.FAILED
                )
            case 1 if turn % 2:
                analyses.update(no_protocol_state=None)


class TestStates:
    @given(script=st.lists(STEPS, min_size=1, max_size=10), compacts=st.booleans())
    @SCRIPT
    def test_are_counted_through_any_script(self, alice, script, compacts):
        story = Story(alice)

        play(story, script)
        if compacts:
            status_counts.compact_status_counts()

        assert kept(story.projects) == counted(story.projects)
        for projects in (story.projects, story.projects[:1]):
            status = load_analysis_status(projects)
            files = UploadedFile.objects.filter(project__in=projects).count()
            calls = Call.objects.filter(project__in=projects).count()
            live = CallAnalysis.objects.filter(project__in=projects, is_live=True)
            assert status["duplicate_uploads"] == files - calls
            assert status["analyzed_calls"] == live.count()

    @pytest.mark.django_db
    def test_of_a_deleted_project_leave_nothing(self, project, bring_in):
        bring_in(project, {"file_name": "c.wav", "topic": "x"}, {"file_name": "d.wav", "topic": "y"})
        assert sum(calls for _, calls in kept([project])) == 2
        gone = Project(pk=project.pk)

        project.delete()

        assert kept([gone]) == []

    @pytest.mark.django_db
    def test_that_are_compact_are_not_written_again(self, project, bring_in):
        bring_in(project, {"file_name": "c.wav", "topic": "x"}, {"file_name": "d.wav", "topic": "y"})
        status_counts.compact_status_counts()
        before = list(StateCount.objects.order_by("pk").values_list())

        status_counts.compact_status_counts()

        assert list(StateCount.objects.order_by("pk").values_list()) == before
        assert len(before) == 1
