"""People change contact reasons: what moves, what stays over regroupings, what can be undone."""

import pytest

from callscope.contact_reasons import editing, forgetting, grouping, history
from callscope.contact_reasons.assignment import assign_reason
from callscope.contact_reasons.editing import InvalidReason
from callscope.contact_reasons.history import ReasonConflict
from callscope.contact_reasons.listing import list_history, list_reasons
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange
from tests.contact_reasons.test_grouping import BILLS, SHIPPING, add_call, reasons_of, regroup

pytestmark = pytest.mark.django_db


def reason_of(call) -> ContactReason:
    return CallReason.objects.select_related("reason__project").get(call=call).reason


def ids(calls) -> list[int]:
    return sorted(call.pk for call in calls)


def state(project):
    """Return everything that an undo has to put back."""
    fields = ("id", *history.ReasonState.__annotations__)
    reasons = list(ContactReason.objects.filter(project=project).order_by("id").values(*fields))
    return reasons, sorted(CallReason.objects.values_list("call_id", "reason_id", "is_fixed"))


class TestEditing:
    def test_a_name_is_kept_by_regroupings(self, project, grouped):
        reason = reason_of(grouped["bills"][0])

        assert editing.edit_reason(reason, {"name": " Billing  errors "}, None) == ids(grouped["bills"])

        regroup(project)
        assert set(reasons_of(grouped["bills"])) == {"Billing errors"}

    @pytest.mark.parametrize("name", ["", " \t", "x" * 256, "a\x00b", "bell\x07", "\ud800"])
    def test_a_wrong_name_is_refused(self, grouped, name):
        with pytest.raises(InvalidReason, match="1 to 255 characters") as caught:
            editing.edit_reason(reason_of(grouped["bills"][0]), {"name": name}, None)

        assert caught.value.field == "name"

    def test_a_name_is_used_once_whatever_its_case(self, grouped):
        taken = reason_of(grouped["passwords"][0]).name

        with pytest.raises(InvalidReason, match="Another contact reason"):
            editing.edit_reason(reason_of(grouped["bills"][0]), {"name": taken.upper()}, None)

    def test_there_are_two_levels(self, grouped):
        bills, passwords, shipping = (reason_of(grouped[each][0]) for each in grouped)
        editing.edit_reason(bills, {"parent": passwords.pk}, None)

        for child, parent in ((shipping, bills), (passwords, shipping), (shipping, shipping)):
            with pytest.raises(InvalidReason) as caught:
                editing.edit_reason(child, {"parent": parent.pk}, None)
            assert caught.value.field == "parent"

    def test_what_says_the_same_is_no_change(self, project, grouped):
        before = ReasonChange.objects.count()
        reason = reason_of(grouped["bills"][0])

        assert editing.edit_reason(reason, {"name": reason.name, "parent": None}, None) == []
        assert ReasonChange.objects.count() == before

    def test_a_pinned_reason_stays_without_calls(self, project, grouped):
        reason = reason_of(grouped["shipping"][0])
        editing.edit_reason(reason, {"is_pinned": True}, None)
        for call in grouped["shipping"]:
            call.delete()

        regroup(project)

        assert [(row.id, row.calls) for row in list_reasons([project.pk]) if row.is_pinned] == [
            (reason.pk, 0)
        ]


class TestMerging:
    def test_holds_over_regroupings_and_for_new_calls(self, project, grouped):
        into, other = reason_of(grouped["bills"][0]), reason_of(grouped["passwords"][0])

        assert editing.merge_reasons(into, [other], None) == ids(grouped["passwords"])
        grouping.learn_centers(project, [into.pk])
        new = add_call(project, "reset my password please")
        assign_reason(new, {"topic": "reset my password please"}, project.configuration)
        regroup(project)

        merged = [*grouped["bills"], *grouped["passwords"], new]
        assert set(reasons_of(merged)) == {into.name}
        assert not ContactReason.objects.filter(pk=other.pk).exists()

    def test_takes_no_reason_of_another_project_nor_itself(self, project, grouped, bob):
        from callscope.projects.services import create_project

        elsewhere = ContactReason.objects.create(project=create_project(bob, "Other"), name="There")
        into = reason_of(grouped["bills"][0])

        for merged in ([elsewhere], [into], []):
            with pytest.raises(InvalidReason) as caught:
                editing.merge_reasons(into, merged, None)
            assert caught.value.field == "from"


class TestSplitting:
    def test_holds_over_regroupings(self, project, grouped):
        reason, moved = reason_of(grouped["bills"][0]), grouped["bills"][:2]

        new, changed = editing.split_reason(reason, ids(moved), "Double charges", None)
        regroup(project)

        assert changed == ids(moved)
        assert set(reasons_of(moved)) == {"Double charges"}
        assert "Double charges" not in reasons_of(grouped["bills"][2:])
        assert new.renamed

    def test_takes_calls_of_the_reason_and_not_all(self, grouped):
        reason = reason_of(grouped["bills"][0])

        for calls in ([], ids(grouped["bills"]), [grouped["shipping"][0].pk], [10**12]):
            with pytest.raises(InvalidReason) as caught:
                editing.split_reason(reason, calls, "New", None)
            assert caught.value.field == "call_ids"


class TestMoving:
    def test_a_moved_call_stays_also_after_another_analysis(self, project, grouped):
        call, into = grouped["shipping"][0], reason_of(grouped["bills"][0])

        editing.move_calls(into, [call.pk], None)
        assign_reason(call, {"topic": SHIPPING[0]}, project.configuration)
        regroup(project)

        assert reasons_of([call]) == [into.name]

    def test_takes_calls_of_the_project_alone(self, grouped):
        with pytest.raises(InvalidReason, match="No analyzed call"):
            editing.move_calls(reason_of(grouped["bills"][0]), [10**12], None)


class TestHistory:
    def changes(self, grouped):
        bills, passwords = reason_of(grouped["bills"][0]), reason_of(grouped["passwords"][0])
        return {
            "edited": lambda: editing.edit_reason(
                bills, {"name": "Billing", "parent": passwords.pk, "is_set_aside": True}, None
            ),
            "merged": lambda: editing.merge_reasons(bills, [passwords], None),
            "split": lambda: editing.split_reason(bills, ids(grouped["bills"][:2]), "New", None),
            "moved": lambda: editing.move_calls(bills, ids(grouped["shipping"][:2]), None),
        }

    @pytest.mark.parametrize("kind", ["edited", "merged", "split", "moved"])
    def test_undoing_puts_everything_back(self, project, grouped, kind, alice):
        before = state(project)
        self.changes(grouped)[kind]()
        assert state(project) != before

        change = ReasonChange.objects.latest("pk")
        affected = history.undo_change(change, alice)

        assert state(project) == before
        assert change.kind == kind
        assert affected
        with pytest.raises(ReasonConflict, match="already undone"):
            history.undo_change(change, alice)

    def test_a_regrouping_is_undone_in_one_step(self, project, grouped):
        before = state(project)
        for topic in ["cancel my contract", "cancel the contract", "contract cancellation"] * 3:
            add_call(project, topic)
        regroup(project)
        change = ReasonChange.objects.latest("pk")
        assert change.kind == "regrouped"
        assert sum(move["calls"] for move in change.summary["moves"]) >= 9

        history.undo_change(change, None)

        assert state(project) == before

    def test_what_a_later_change_touched_is_undone_after_it(self, project, grouped):
        changes = self.changes(grouped)
        changes["moved"]()
        moved = ReasonChange.objects.latest("pk")
        changes["edited"]()
        edited = ReasonChange.objects.latest("pk")

        with pytest.raises(ReasonConflict, match=f"Change {edited.pk} affected"):
            history.undo_change(moved, None)
        rows = {row.id: row.can_undo for row in list_history([project.pk])}
        assert (rows[moved.pk], rows[edited.pk]) == (False, True)
        history.undo_change(edited, None)
        history.undo_change(ReasonChange.objects.get(pk=moved.pk), None)

    def test_calls_that_moved_on_or_are_gone_stay_where_they_are(self, project, grouped):
        first, second, _ = grouped["shipping"]
        into = reason_of(grouped["bills"][0])
        editing.move_calls(into, ids([first, second]), None)
        change = ReasonChange.objects.latest("pk")
        elsewhere = reason_of(grouped["passwords"][0])
        CallReason.objects.filter(call=first).update(reason=elsewhere)
        second.delete()

        history.undo_change(change, None)

        assert reasons_of([first]) == [elsewhere.name]

    def test_a_name_that_was_given_away_is_a_conflict(self, project, grouped):
        reason = reason_of(grouped["bills"][0])
        former = reason.name
        editing.edit_reason(reason, {"name": "Billing"}, None)
        change = ReasonChange.objects.latest("pk")
        ContactReason.objects.create(project=project, name=former.upper())

        with pytest.raises(ReasonConflict, match="Another contact reason"):
            history.undo_change(change, None)

    def test_keeps_no_words_of_erased_calls(self, project, grouped):
        reason = reason_of(grouped["bills"][0])
        said = reason.name
        editing.edit_reason(reason, {"name": "Billing"}, None)
        for call in grouped["bills"]:
            call.delete()

        forgetting.forget_calls(project, BILLS)

        shown = repr([change.summary for change in ReasonChange.objects.all()])
        assert said not in shown
        assert "Billing" in shown
        assert not any(said.encode() in bytes(c.rows_before or b"") for c in ReasonChange.objects.all())

    def test_old_regroupings_keep_their_summary_alone(self, project, grouped, monkeypatch):
        monkeypatch.setattr(history, "KEPT_REGROUPINGS", 1)
        for topic in ("cancel my contract", "where do I park"):
            for _ in range(3):
                add_call(project, topic)
            regroup(project)

        older, newest = ReasonChange.objects.filter(kind="regrouped").order_by("pk")[1:3]
        history.undo_change(newest, None)
        with pytest.raises(ReasonConflict, match="not kept"):
            history.undo_change(older, None)


class TestRegroupingMeanwhile:
    def test_a_plan_is_outdated_by_a_change_and_by_undoing(self, project, grouped):
        plan = grouping.propose_reasons(project)
        assert not grouping.is_outdated(plan)

        editing.edit_reason(reason_of(grouped["bills"][0]), {"name": "Billing"}, None)
        assert grouping.is_outdated(plan)

        later = grouping.propose_reasons(project)
        history.undo_change(ReasonChange.objects.latest("pk"), None)
        assert grouping.is_outdated(later)


class TestCodes:
    @pytest.fixture
    def predefined(self, project, grouped):
        project.config = {
            **project.config,
            "contact_reasons": {"mode": "predefined", "codes": [{"code": "Billing"}, {"code": "Access"}]},
        }
        project.save()
        project.refresh_from_db()
        return project

    @pytest.mark.parametrize(
        ("insights", "shown"),
        [
            ({"topic": "x", "contact_reason_code": "Billing"}, "Billing"),
            ({"topic": "x", "contact_reason_code": ""}, "Other"),
            ({"topic": "x", "contact_reason_code": "Gone"}, "Other"),
            ({"topic": "", "contact_reason_code": ""}, None),
        ],
    )
    def test_what_fits_no_code_counts_as_other(self, predefined, insights, shown):
        call = add_call(predefined, insights["topic"])

        assign_reason(call, insights, predefined.configuration)

        assert reasons_of([call]) == [shown]

    def test_are_named_in_the_settings(self, predefined, grouped):
        reason = reason_of(grouped["bills"][0])
        reason.project = predefined

        with pytest.raises(ReasonConflict, match="its codes"):
            editing.edit_reason(reason, {"name": "New"}, None)
