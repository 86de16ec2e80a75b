"""What a copy changed: made again from the words of the call, with what each answer quotes."""

import pytest

from callscope.pipeline.models import ProbedCall
from callscope.pipeline.rubric_changes.probes import requests
from callscope.pipeline.rubric_changes.probes.changes import load_change, mark_words
from callscope.testing import run_due_jobs
from callscope.transcription.models import Transcript
from tests.pipeline.conftest import RUBRIC, configure
from tests.pipeline.rubric_changes.conftest import NAMED, bring


def marked(parts):
    return "".join(f"[{part.text}]" if part.is_changed else part.text for part in parts)


@pytest.mark.parametrize(
    ("before", "after", "marks"),
    [
        ("I am John.", "I am Omar.", ("I am [John].", "I am [Omar].")),
        ("It isn't, sir", "It ain't, sir", ("It [isn't], sir", "It [ain't], sir")),
        ("Sí.  Ya pagué.", "Ya pagué. Sí.", ("[Sí.  ]Ya pagué.", "Ya pagué.[ Sí.]")),
        ("ok", "", ("[ok]", "")),
    ],
)
def test_marks_the_words_that_the_other_line_lacks(before, after, marks):
    old, new = mark_words(before, after)

    assert (marked(old), marked(new)) == marks
    assert ("".join(p.text for p in old), "".join(p.text for p in new)) == (before, after)


@pytest.mark.django_db
class TestAChange:
    @pytest.fixture
    def probe(self, project, model):
        """One call, judged with other names, which cost it the greeting."""
        judged = bring(configure(project, RUBRIC), NAMED)
        model.prompts.clear()
        model.decide = lambda transcript, _number: "met" if "Smith" in transcript else "not_met"
        made = requests.request_probe(
            judged, requests.plan_fairness(judged, groups=["names_arabic_men", "order"]), by=project.owner
        )
        run_due_jobs()
        return made

    def find_call(self, probe):
        return probe.judged.values_list("call", flat=True)[0]

    def test_shows_the_copy_that_was_judged_and_both_quotes(self, probe, model):
        found = load_change(probe, self.find_call(probe), "names_arabic_men")

        [answer] = found.answers
        assert (answer.criterion_id, answer.before, answer.after) == ("greeting", "met", "not_met")
        assert [said.text[:12] for said in answer.before_quotes] == ["Good morning"]
        assert answer.after_quotes == []
        agent, customer, reply = found.lines  # "Thank you. That is all." has no name
        assert (customer.speaker, customer.start) == ("customer", 3.0)
        assert marked(customer.before) == "My name is [John] [Smith]. I have been charged twice."
        copied = "".join(part.text for part in customer.after)
        assert any(copied in transcript for transcript in model.transcripts())
        assert marked(agent.before).startswith("Good morning, this is [Ana] [Ruiz] speaking")
        assert "Mr. [Smith]" in marked(reply.before)
        assert (found.has_words, found.more_lines) == (True, 0)

    def test_stores_no_word(self, probe):
        stored = str(list(ProbedCall.objects.values_list("judgment", flat=True)))

        assert "Smith" not in stored
        assert "morning" not in stored

    def test_has_no_words_once_the_transcript_is_gone(self, probe):
        Transcript.objects.all().delete()

        found = load_change(probe, self.find_call(probe), "names_arabic_men")

        assert (found.has_words, found.lines) == (False, [])
        assert [(each.before_quotes, each.after_quotes) for each in found.answers] == [([], [])]

    @pytest.mark.parametrize("variant", ["original", "names_andean_men", "dragons"])
    def test_is_of_copies_that_were_judged(self, probe, variant):
        assert load_change(probe, self.find_call(probe), variant) is None


@pytest.mark.django_db
class TestWhatTipped:
    """An answer by rules: what is said in the call and in its copy, next to each other."""

    @pytest.fixture
    def probe(self, project):
        criterion = {
            "id": "birth", "name": "Asks for the date of birth", "max_points": 1,
            "rule": {"any_of": ["could you tell me your date of birth"]},
        }  # fmt: skip
        document = {"rubric": {"sections": [{"name": "All", "criteria": [criterion]}]}}
        spoken = [*NAMED, ("Agent", "Could you confirm your date of birth for me?")]
        judged = bring(configure(project, document), spoken)
        made = requests.request_probe(
            judged, requests.plan_fairness(judged, groups=["dialect_informal"]), by=project.owner
        )
        run_due_jobs()
        return made

    def load(self, probe):
        return load_change(probe, probe.judged.values_list("call", flat=True)[0], "dialect_informal")

    def test_is_shown_first(self, probe):
        found = self.load(probe)
        [answer] = found.answers
        [pair] = answer.words

        assert (answer.before, answer.after) == ("met", "not_met")
        assert pair.has_tipped
        assert pair.before.quote.text == "Could you confirm your date of birth for me?"
        assert pair.before.likelihood_pct >= 60
        assert (pair.after.likelihood_pct or 0) < 30
        assert [line.is_decisive for line in found.lines[:2]] == [True, False]
        assert marked(found.lines[0].before) == "Could [you] confirm your date of birth for me?"

    def test_is_not_shown_where_the_rules_have_another_answer_today(self, probe):
        row = probe.judged.get(variant="original")
        row.judgment["answers"]["criteria"]["birth"] = "partly"
        row.save()

        [answer] = self.load(probe).answers

        assert (answer.before, answer.words) == ("partly", [])

    def test_is_not_asked_of_another_machine(self, probe, monkeypatch):
        monkeypatch.setattr("callscope.engines.embeddings.built_in.BuiltInEmbedder.hosts", ["far.example"])

        [answer] = self.load(probe).answers

        assert answer.words == []
