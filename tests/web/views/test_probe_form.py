"""The form of a probe: which copies it asks for, and what it says before it starts one."""

import pytest

from callscope.pipeline.models import Probe
from tests.web.conftest import bring, line, page

pytestmark = pytest.mark.django_db
FAIRNESS = {"kind": "fairness", "sample": "2"}


def test_plans_no_groups_that_nobody_chose(as_alice, project):
    found = page(as_alice.post(f"/projects/{project.pk}/probes/", FAIRNESS), 400)

    assert "Choose at least one group." in found.text
    assert [each for each in found.all("fieldset") if "data-wrong" in each]
    assert found.all("input", name="sample", value="2")
    assert not [each for each in found.all("input", name="groups") if "checked" in each]
    assert not Probe.objects.exists()


def test_names_the_groups_before_it_starts(as_alice, project):
    bring(project, line(1))
    asked = FAIRNESS | {"groups": ["names_arabic_women", "order"]}

    shown = page(as_alice.post(f"/projects/{project.pk}/probes/", asked)).text

    assert "Start the fairness probe?" in shown
    assert "Judge each call again with: Arabic names of women, facts in another order." in shown


def test_says_what_is_tested(as_alice, project):
    shown = page(as_alice.get(f"/projects/{project.pk}/probes/")).text

    assert "Probes test the judge, not the agents." in shown
    assert shown.count("Estimate the cost") == 2
