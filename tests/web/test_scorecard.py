"""The rows of a scorecard, and quotes, which a tag writes."""

from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.template import engines
from django.template.loader import render_to_string
from django.utils.translation import override

from callscope.interfaces.web.presenters.call_page.call import RESULTS, CriterionResult, ScoredSection
from callscope.interfaces.web.presenters.evidence import Quote, ShownAbsence

TRANSCRIBED = SimpleNamespace(transcript=object())
AUDIO = "/api/files/1/content/"


def render(source, **context):
    template = engines["django"].from_string("{% load scorecard %}" + source)
    return template.render(context)


def rows(*criteria, **context):
    section = SimpleNamespace(criteria=criteria)
    return render("{% criterion_rows section %}", section=section, **context)


def criterion(result="met", **fields):
    word, icon, tone = RESULTS[result]
    given = {
        "id": "a/b",
        "name": "Name & <title>",
        "guideline": "",
        "earned": Decimal(1),
        "possible": Decimal(2),
    }
    given |= {"word": word, "icon": icon, "tone": tone, "justification": "", **fields}
    return CriterionResult(**given)


def test_a_row_escapes_what_the_project_wrote():
    row = rows(criterion(justification="Said <b>", quote=Quote("R&D", 3.0)), correct_url="/calls/7/review/")

    assert "<summary>Name &amp; &lt;title&gt;</summary>" in row
    assert '<span class="why">Said &lt;b&gt;</span>' in row
    assert "<q>R&amp;D</q>" in row
    assert 'href="/calls/7/review/?correct=a%2Fb"' in row
    assert '<td class="n">1 / 2</td>' in row


def test_a_row_without_evidence_has_nothing_to_unfold():
    assert "<details" not in rows(criterion())
    assert "<details" in rows(criterion(justification="Because"))


def test_what_failed_is_open_and_the_rest_can_be_hidden():
    failed = rows(criterion("not_met", justification="Because", has_failed=True))

    assert '<details class="fold" open>' in failed
    assert 'class="passed"' not in failed
    assert 'class="passed"' in rows(criterion(justification="Because"))


@pytest.mark.parametrize(
    ("context", "opens"),
    [({"detail": TRANSCRIBED}, "Show it in the transcript"), ({"audio_url": AUDIO}, "Play it"), ({}, "")],
)
def test_a_quote_leads_to_what_the_page_has_of_the_call(context, opens):
    shown = render("{% quote said %}", said=Quote("Hello", 61.5), **context)

    assert ("<button" in shown) == bool(opens)
    assert opens in shown
    assert '<span class="at">1:01</span>' in shown


def test_a_short_quote_is_read_out_and_not_shown():
    shown = render("{% quote said short=True %}", said=Quote("Hello", 3.0), audio_url=AUDIO)

    assert '<span class="vh"> Hello</span>' in shown
    assert "<q>" not in shown


def test_words_follow_the_language_of_the_page():
    absence = ShownAbsence(None, ["hello", "good <day>"], 3, 0.0, 30.0)
    missed = criterion("not_met", has_failed=True, absence=absence)
    with override("en"):
        english = rows(missed)
    with override("es"):
        spanish = rows(missed)

    assert "Looked for: <q>hello</q>, <q>good &lt;day&gt;</q>, and 3 more" in english
    assert "It should have been said between 0:00 and 0:30" in english
    assert "not met" in english
    assert "Looked for" not in spanish
    assert "not met" not in spanish


@pytest.mark.parametrize(
    ("language", "said"), [("en", "of the points: not applicable"), ("es", "de los puntos: no aplicable")]
)
def test_a_section_says_how_many_points_come_from_what_does_not_apply(language, said):
    def head(*results):
        section = ScoredSection("Security", [criterion(each) for each in results], "25", "25")
        with override(language):
            table = render_to_string("web/call/scorecard.html", {"sections": [section]})
        return table.split('<th scope="rowgroup"')[1].split("</th>")[0]

    earned = str(criterion("not_applicable").earned)
    assert f"{earned} {said}" in head("met", "not_applicable")
    assert said not in head("met", "not_met")
