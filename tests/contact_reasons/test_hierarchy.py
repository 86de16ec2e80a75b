"""More than twenty reasons come under headings, which stay and which people can change."""

import datetime as dt
import json

import pytest

from callscope.contact_reasons import forgetting, history, listing
from callscope.contact_reasons.editing import edit_reason, merge_reasons, move_calls
from callscope.contact_reasons.hierarchy import DISSOLVED, MOST_FLAT, name_heading
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange
from callscope.reports.call_list.drilldown import find_reason_topics
from callscope.reports.overview.builder import TOP_REASONS
from callscope.reports.overview.report import build_report
from callscope.reports.store import facts
from callscope.reports.window import ALL_TIME
from tests.contact_reasons.test_grouping import add_call, regroup

pytestmark = pytest.mark.django_db
THINGS = ["invoice", "parcel", "password", "router", "contract", "refund"]
MATTERS = ["broken", "late", "missing", "renewal", "address", "price"]
TOPICS = [f"{thing} {matter}" for thing in THINGS for matter in MATTERS]


@pytest.fixture(autouse=True)
def each_topic_is_a_reason(monkeypatch):
    """The number of groups is not what is tested here."""
    from callscope.contact_reasons.clusters import clustering

    monkeypatch.setattr(clustering, "choose_number", lambda tree, ties, spread: len(tree) + 1)


@pytest.fixture
def settled(monkeypatch):
    """Reasons and headings last from the first regrouping on."""
    from callscope.contact_reasons import grouping

    monkeypatch.setattr(grouping, "SETTLES_AFTER", dt.timedelta(seconds=-1))


@pytest.fixture
def calls(project):
    return [add_call(project, topic) for topic in TOPICS]


def headings(project):
    return ContactReason.objects.filter(project=project, is_heading=True)


def places(project):
    return dict(ContactReason.objects.values_list("name", "parent__name"))


class TestHeadings:
    def test_stand_over_reasons_that_share_a_word(self, project, calls):
        regroup(project)

        assert 3 <= headings(project).count() <= 12
        for row in headings(project):
            named_after = row.name.removesuffix(" and similar")
            assert named_after in {child.name for child in row.children.all()}, row.name
        under = ContactReason.objects.filter(parent__isnull=False)
        assert under.count() > len(TOPICS) / 2
        assert not CallReason.objects.filter(reason__is_heading=True).exists()

    def test_are_not_made_for_twenty_reasons(self, project):
        for topic in TOPICS[:MOST_FLAT]:
            add_call(project, topic)

        regroup(project)

        assert ContactReason.objects.count() == MOST_FLAT
        assert not headings(project).exists()

    def test_are_the_same_after_reruns(self, project, calls):
        regroup(project)
        before = places(project), sorted(headings(project).values_list("pk", "name"))

        regroup(project)
        regroup(project)

        assert (places(project), sorted(headings(project).values_list("pk", "name"))) == before

    def test_keep_their_ids_and_reasons_when_calls_come_in(self, project, calls, settled):
        regroup(project)
        before = dict(ContactReason.objects.values_list("pk", "parent_id"))

        for topic in ["invoice wrong again", "parcel damaged", "router slow"]:
            add_call(project, topic)
        regroup(project)

        after = dict(ContactReason.objects.values_list("pk", "parent_id"))
        assert before.items() <= after.items()
        new = ContactReason.objects.get(name="Invoice wrong again")
        invoices = ContactReason.objects.filter(name__startswith="Invoice", parent__isnull=False)
        assert new.parent_id is None or new.parent_id in invoices.values_list("parent_id", flat=True)

    def test_go_when_few_reasons_are_left(self, project, calls, settled):
        regroup(project)
        for call in calls[DISSOLVED:]:
            call.delete()

        regroup(project)

        assert not headings(project).exists()
        assert not ContactReason.objects.filter(parent__isnull=False).exists()

    def test_are_undone_with_their_regrouping_and_come_back(self, project, calls, alice):
        regroup(project)
        change = ReasonChange.objects.get()

        history.undo_change(change, alice)
        assert not ContactReason.objects.exists()

        regroup(project)
        assert headings(project).exists()


class TestAPerson:
    @pytest.fixture
    def heading(self, project, calls, settled):
        regroup(project)
        return headings(project).order_by("pk").first()

    def test_renames_a_heading_for_good(self, project, alice, heading):
        edit_reason(heading, {"name": "My heading"}, alice)

        regroup(project)

        assert headings(project).get(pk=heading.pk).name == "My heading"

    def test_takes_a_reason_out_for_good(self, project, alice, heading):
        child = heading.children.first()

        edit_reason(child, {"parent": None}, alice)
        regroup(project)

        child.refresh_from_db()
        assert (child.parent_id, child.is_placed) == (None, True)

    def test_saves_a_reason_without_placing_it(self, project, alice, heading):
        child = heading.children.first()

        edit_reason(child, {"parent": heading.pk, "description": "x"}, alice)

        child.refresh_from_db()
        assert not child.is_placed

    def test_empties_a_heading_which_is_gone_then_and_comes_back_by_undoing(self, project, alice, heading):
        for child in heading.children.all():
            edit_reason(child, {"parent": None}, alice)
        assert not headings(project).filter(pk=heading.pk).exists()

        last = ReasonChange.objects.latest("id")
        history.undo_change(last, alice)

        assert headings(project).get(pk=heading.pk).children.count() == 1

    def test_moves_calls_to_a_heading_which_is_a_reason_then(self, project, calls, alice, heading):
        move_calls(heading, [calls[0].pk], alice)

        heading.refresh_from_db()
        assert not heading.is_heading
        regroup(project)
        assert CallReason.objects.get(call=calls[0]).reason_id == heading.pk

    def test_merges_two_headings(self, project, alice, heading):
        other = headings(project).exclude(pk=heading.pk).first()
        children = [*heading.children.all(), *other.children.all()]

        merge_reasons(heading, [other], alice)

        assert not headings(project).filter(pk=other.pk).exists()
        assert {row.pk for row in heading.children.all()} == {row.pk for row in children}


class TestWhatIsShown:
    def test_counts_the_calls_of_the_reasons_under_a_heading(self, project, calls):
        regroup(project)

        rows = {row.id: row for row in listing.list_reasons([project.pk])}
        for heading in headings(project):
            assert rows[heading.pk].calls == 0
            assert rows[heading.pk].calls_in_all == heading.children.count()

    def test_holds_the_groups_of_the_report_and_their_calls(self, project, calls):
        facts.refresh([call.pk for call in calls])
        facts.refresh(regroup(project))

        report = build_report([project], ALL_TIME)

        assert len(report.contact_reasons) == TOP_REASONS + 1
        assert sum(row.calls for row in report.reason_groups) == len(TOPICS)
        for row in report.reason_groups:
            if row.reason_id is None:
                assert row.name == ""
            else:
                assert len(find_reason_topics([project.pk], row.reason_id)) == row.reasons

    def test_is_nothing_without_headings(self, project):
        call = add_call(project, "wrong invoice")
        facts.refresh([call.pk])

        assert build_report([project], ALL_TIME).reason_groups == []


class TestErasure:
    def test_takes_a_word_that_no_call_says_any_more_out_of_headings(self, project, calls):
        said = [f"zweistein {matter}" for matter in MATTERS]
        secret = [add_call(project, topic) for topic in said]
        regroup(project)
        assert headings(project).filter(name__icontains="zweistein").exists()
        for call in secret:
            call.delete()

        forgetting.forget_calls(project, said)

        assert not ContactReason.objects.filter(name__icontains="zweistein").exists()
        assert (
            "zweistein" not in json.dumps([change.summary for change in ReasonChange.objects.all()]).lower()
        )


class TestAName:
    OTHERS = [[("Refund lost", [5, 6])], [("Refund not working", [7])], [("Clave olvidada", [8])]]

    def name(self, inside):
        return name_heading(inside, [*(topics for _, topics in inside), *self.OTHERS])[0]

    def test_is_after_the_most_frequent_of_its_reasons(self):
        inside = [("Card stolen", [("Card stolen", [1])]), ("Card lost", [("Card lost", [2, 3])])]

        assert self.name(inside) == "Card lost and similar"

    def test_is_after_a_reason_that_holds_what_tells_them_from_others(self):
        cards = [(name, [(name, [n])]) for n, name in enumerate(["Card stolen", "Card blocked"], 20)]
        inside = [("Not working", [("Not working", [1, 2])]), *cards]

        assert self.name(inside) == "Card blocked and similar"

    def test_is_in_the_language_of_the_reason(self):
        new = "Solicitar una tarjeta nueva"
        inside = [(new, [(new, [1])]), ("Tarjeta perdida", [("Tarjeta perdida", [2, 3])])]

        assert self.name(inside) == "Tarjeta perdida y similares"

    def test_is_a_phrase_where_no_reason_has_a_short_name(self):
        long = "I have been waiting for this card for weeks, and now?"
        inside = [(long, [("My lost card again", [1, 2]), ("Card stolen", [3])]), ("Card", [("Card", [4])])]

        assert self.name(inside) == "Lost card and similar"

    def test_is_words_where_nothing_longer_is_said(self):
        inside = [("Card?", [("Card", [1, 2])]), ("Card", [("Card", [4])])]

        assert self.name(inside) == "Card"

    def test_is_no_name_that_says_nothing_where_another_says_something(self):
        inside = [
            ("Check it out", [("Check it out", [1, 2])]),
            ("Getting the card", [("Getting the card", [3])]),
        ]

        assert self.name(inside) == "Getting the card and similar"

    def test_holds_two_words_where_one_is_not_said_by_most(self):
        inside = [("Facturación", [("Facturación", [1, 2])]), ("Recibo", [("Recibo", [3])])]

        assert self.name(inside) == "Facturación"
        inside = [("Facturación", [("Facturación", [1])]), ("Recibo", [("Recibo", [3])])]
        assert self.name(inside) == "Facturación, recibo"
