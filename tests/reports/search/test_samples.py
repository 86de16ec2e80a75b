"""A sample of the texts tells which pieces are rare, and keeps nothing of texts that are erased."""

import pytest

from callscope.pipeline.operation import processes
from callscope.reports.models import CallText, ErasedTexts
from callscope.reports.search import samples
from callscope.reports.search.call_texts import SEPARATOR, index_texts
from callscope.reports.search.samples import Sample

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_samples_of_other_tests():
    samples.drop_sample()
    yield
    samples.drop_sample()


def erase_elsewhere():
    """Erase all texts as another process does, of which this one hears nothing."""
    CallText.objects.all().delete()
    known = samples._keeper.kept
    samples.note_erasure()
    assert samples._keeper.kept is known


@pytest.fixture
def sampled(project):
    """A text of which this process has a sample."""
    CallText.objects.create(call_id=1, project=project, text="marisa")
    index_texts([(1, "marisa")])
    processes.beat("web")
    assert "mar" in samples.take_sample(1).holders


class TestForgetErased:
    def test_drops_what_another_process_has_erased(self, sampled):
        erase_elsewhere()

        processes.beat("web")

        assert "mar" not in samples.take_sample(1).holders

    def test_keeps_the_sample_where_nothing_was_erased(self, sampled):
        taken = samples.take_sample(1)

        processes.beat("web")

        assert samples.take_sample(1) is taken

    def test_drops_what_was_erased_while_the_sample_was_taken(self, sampled, monkeypatch):
        samples.drop_sample()

        class Meanwhile(Sample):
            def __init__(self, texts):
                super().__init__(texts)
                erase_elsewhere()
                samples.forget_erased()

        with monkeypatch.context() as patch:
            patch.setattr(samples, "Sample", Meanwhile)
            samples.take_sample(1)

        assert "mar" not in samples.take_sample(1).holders

    def test_the_process_that_erases_forgets_at_once(self, sampled, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            CallText.objects.all().delete()
            samples.note_erasure()

        assert "mar" not in samples.take_sample(1).holders

    def test_keeps_one_row(self, db):
        for _ in range(2):
            samples.note_erasure()

        assert ErasedTexts.objects.count() == 1


def apart(*parts):
    """Texts of which no piece reaches into the next."""
    return SEPARATOR.join(parts)


class TestSample:
    def test_chooses_the_rarest_piece_alone_where_it_finds_few(self):
        sample = Sample(["abc-def"] * 10 + ["xyz-def"] * 90)

        assert sample.choose(apart("abc", "def")) == (["abc"], 0.1)

    def test_adds_a_piece_that_stands_elsewhere(self):
        sample = Sample(["abc"] * 10 + ["def"] * 20 + ["ghi"] * 70)

        chosen, share = sample.choose(apart("abc", "def"))

        assert chosen == ["abc", "def"]
        assert share == pytest.approx(0.1 * 0.2), "none of the sample holds both"

    def test_prefers_a_piece_that_stands_apart_to_a_rarer_one_that_comes_along(self):
        sample = Sample(["abc def"] * 10 + ["ghi"] * 20 + ["def"] * 5 + ["none"] * 65)

        assert sample.choose(apart("abc", "def", "ghi"))[0][:2] == ["abc", "ghi"]

    def test_takes_pieces_that_overlap_to_depend_on_each_other(self):
        sample = Sample(["482"] * 10 + ["821"] * 10 + ["agent"] * 980)

        chosen, share = sample.choose("4821")

        assert sorted(chosen) == ["482", "821"]
        assert share == pytest.approx(0.01 * 0.1), "a character more leaves a tenth"

    def test_chooses_a_piece_that_no_text_holds(self):
        assert Sample(["abc"] * 10).choose(apart("abc", "xyz")) == (["xyz"], 0.1)
        assert Sample([]).choose("abc") == (["abc"], 1.0)
        assert Sample(["abc"]).choose(apart("é", "ß")) == ([], 1.0)
