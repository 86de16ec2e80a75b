"""Calls chosen by chance for a calibration: spread over the scores, and seen by nobody before."""

import random

import pytest

from callscope.calls.models import Call
from callscope.pipeline.decisions.calibration_choice import choose_for_calibration
from callscope.pipeline.decisions.calibration_edits import open_calibration
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.reviews.sampling.draw import InvalidSample
from tests.web.conftest import CONFIGURATION, bring, line

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(alice):
    """Fifteen calls with as many scores."""
    from callscope.projects.services import create_project

    project = create_project(alice, "Service line", document=CONFIGURATION)
    scores = [1, 2, 3, 4, *(10 + n for n in range(11))]
    bring(project, *(line(n + 1, greeting=0, identity=score) for n, score in enumerate(scores)))
    return project


def choose(project, count=5, *, spreads=True, seed=1, **filters):
    return choose_for_calibration(
        project, count, spreads=spreads, filters=filters, chance=random.Random(seed)
    )


def places(project, chosen):
    """Return the places of the calls by score."""
    numbers = Call.objects.filter(pk__in=chosen.call_ids).values_list("file_name", flat=True)
    return sorted(int(name.split("-")[1].split(".")[0]) - 1 for name in numbers)


class TestChoice:
    @pytest.mark.parametrize("seed", range(5))
    def test_takes_one_of_each_part_of_the_scores(self, project, seed):
        assert [place // 3 for place in places(project, choose(project, seed=seed))] == [0, 1, 2, 3, 4]

    def test_is_of_all_of_them_by_chance_alone(self, project):
        seen = {
            place
            for seed in range(30)
            for place in places(project, choose(project, 2, spreads=False, seed=seed))
        }

        assert len(seen) == 15

    def test_keeps_to_the_filters(self, project):
        found = choose(project, 100, max_score="20")

        assert (places(project, found), found.candidates) == ([0, 1, 2, 3], 4)
        with pytest.raises(InvalidSample, match="many"):
            choose(project, max_score="many")

    def test_leaves_out_what_somebody_rates_or_has_reviewed(self, project, alice):
        first = choose(project, 10)
        open_calibration(project.pk, CalibrationPlan(first.call_ids, [alice.email]), alice)

        rest = choose(project, 10)

        assert (len(rest.call_ids), rest.candidates, rest.left_out) == (5, 5, 10)
        assert not set(first.call_ids) & set(rest.call_ids)
