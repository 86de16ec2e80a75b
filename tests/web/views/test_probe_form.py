"""The form of a probe: which copies it asks for, and what it says before it starts one."""

from dataclasses import replace

import pytest

from callscope.environment import EngineAddress
from callscope.pipeline.models import Probe
from callscope.pipeline.rubric_changes.probes.requests import plan_fairness
from callscope.testing import run_due_jobs
from callscope.transcription.models import Transcript
from tests.pipeline.conftest import accept
from tests.web.conftest import page

pytestmark = pytest.mark.django_db
FAIRNESS = {"kind": "fairness", "sample": "2"}


def test_plans_no_groups_that_nobody_chose(as_alice, project):
    found = page(as_alice.post(f"/projects/{project.pk}/probes/", FAIRNESS), 400)

    assert "Choose at least one group." in found.text
    assert [each for each in found.all("fieldset") if "data-wrong" in each]
    assert found.all("input", name="sample", value="2")
    assert not [each for each in found.all("input", name="groups") if "checked" in each]
    assert not Probe.objects.exists()


@pytest.mark.parametrize(
    ("typed", "field", "said"),
    [
        ({"sample": "0", "repetitions": "3"}, "p-calls", '"0" is not allowed. Allowed: 1 to'),
        ({"sample": "7", "repetitions": "1"}, "p-times", '"1" is not allowed. Allowed: 2 to'),
    ],
)
def test_says_at_its_field_what_is_wrong_and_keeps_what_was_typed(as_alice, project, typed, field, said):
    found = page(as_alice.post(f"/projects/{project.pk}/probes/", {"kind": "steadiness", **typed}), 400)

    [wrong] = [each for each in found.all("input") if "aria-invalid" in each]
    assert (wrong["id"], wrong["aria-describedby"].split()[0]) == (field, f"{field}-error")
    assert said in found.text
    assert {found.all("input", id=name)[0]["value"] for name in ("p-calls", "p-times")} == set(typed.values())
    assert len([each for each in found.all("input", name="groups") if "checked" in each]) > 1


def test_names_the_groups_before_it_starts(as_alice, project):
    accept(project)
    run_due_jobs()
    asked = FAIRNESS | {"groups": ["names_arabic_women", "order"]}

    shown = page(as_alice.post(f"/projects/{project.pk}/probes/", asked)).text

    assert "Start the fairness probe?" in shown
    assert "Judge each call again with: Arabic names of women, facts in another order." in shown


def test_starts_nothing_where_no_call_has_a_transcript(as_alice, project):
    address = f"/projects/{project.pk}/probes/"
    said = "No call has a transcript yet: there is nothing to judge."

    shown = page(as_alice.get(address))
    answer = as_alice.post(address, {**FAIRNESS, "groups": "order", "confirmed": "free"}, follow=True)

    assert said in shown.text
    assert shown.all("a", href=f"/upload/?project_id={project.pk}")
    assert said in page(answer).text
    assert not Probe.objects.exists()


def test_says_what_is_tested(as_alice, project):
    shown = page(as_alice.get(f"/projects/{project.pk}/probes/")).text

    assert "Probes test the judge, not the agents." in shown


def test_says_how_many_calls_are_needed_next_to_the_field(as_alice, project):
    shown = page(as_alice.get(f"/projects/{project.pk}/probes/"))

    assert "At least 10 needed for a verdict; 50 is a good number." in shown.text
    assert "At least 10 needed for a verdict; 30 is a good number." in shown.text
    for name in ("p-calls", "p-sample"):
        assert shown.all("input", id=name)[0]["aria-describedby"] == f"{name}-hint"


def checked(client, project):
    shown = page(client.get(f"/projects/{project.pk}/probes/"))
    return {each["value"] for each in shown.all("input", name="groups") if "checked" in each}


@pytest.mark.parametrize(
    ("language", "there", "missing"),
    [
        (
            "en",
            {"dialect_british", "names_arabic_men", "order"},
            {"dialect_latin_american", "dialect_peninsular"},
        ),
        ("es", {"dialect_peninsular", "dialect_informal"}, {"dialect_british", "dialect_american"}),
        ("auto", {"dialect_british", "dialect_peninsular"}, set()),  # there is no call yet
    ],
)
def test_chooses_the_groups_of_the_language(as_alice, project, language, there, missing):
    project.config = {**project.config, "language": language}
    project.save()

    found = checked(as_alice, project)

    assert there <= found
    assert not missing & found


def test_chooses_the_groups_of_the_languages_that_are_spoken(as_alice, project):
    project.config = {**project.config, "language": "auto"}
    project.save()
    accept(project)
    run_due_jobs()

    assert Transcript.objects.get().language == "en"
    assert not {"dialect_latin_american", "dialect_peninsular"} & checked(as_alice, project)


def test_starts_at_once_where_rules_judge(as_alice, project):
    accept(project)
    run_due_jobs()
    url = f"/projects/{project.pk}/probes/"
    shown = page(as_alice.get(url))
    assert shown.text.count("Free: rules judge.") == 2
    assert "Estimate the cost" not in shown.text
    assert len(shown.all("input", name="confirmed", value="free")) == 2

    answer = as_alice.post(url, FAIRNESS | {"groups": ["order"], "confirmed": "free"})

    assert answer.url == f"{url}{Probe.objects.get().pk}/"


def test_asks_before_a_model_judges_and_judges_the_calls_of_the_estimate(as_alice, project, settings):
    for _ in range(4):
        accept(project)
    run_due_jobs()
    settings.ENVIRONMENT = replace(
        settings.ENVIRONMENT, llm=EngineAddress("http://llm.example:8000/v1", model="m")
    )
    url = f"/projects/{project.pk}/probes/"
    form = page(as_alice.get(url))
    assert form.text.count("Estimate the cost") == 2
    assert "Free: rules judge." not in form.text

    asked = FAIRNESS | {"groups": ["order"], "confirmed": "free"}  # of a page that was loaded before
    stated = page(as_alice.post(url, asked))

    assert "Start the fairness probe?" in stated.text
    assert not Probe.objects.exists()
    [seed] = [each["value"] for each in stated.all("input", name="seed")]
    as_alice.post(url, asked | {"confirmed": "yes", "seed": seed})
    probe = Probe.objects.get()
    drawn = sorted(set(probe.judged.values_list("call", flat=True)))
    assert drawn == plan_fairness(project, sample=2, seed=int(seed)).calls
