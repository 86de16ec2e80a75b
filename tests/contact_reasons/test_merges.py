"""Reasons of a few early topics merge into those that continue their groups."""

import datetime as dt

import numpy as np
import pytest
from django.utils import timezone

from callscope.contact_reasons import grouping, history
from callscope.contact_reasons.clusters.continuity import MAX_MOVED, NONE, PAID, continue_reasons
from callscope.contact_reasons.clusters.merges import MANY_MORE, order_merges
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange
from tests.contact_reasons.test_continuity import ones, scatter
from tests.contact_reasons.test_grouping import BILLS, PASSWORDS, SHIPPING, add_call, regroup

MEANINGS, EACH = 4, 20
ALONE = [20, 41, 62, 63]  # texts that became reasons of their own when there were few


def scattered():
    """Return 20 texts of each of four meanings, all reasons 1 to 4 but for four texts with one each."""
    former = np.repeat([1, 2, 3, 4], EACH)
    former[ALONE] = [11, 12, 13, 14]
    return scatter(MEANINGS, EACH), np.repeat(np.arange(MEANINGS), EACH), former


def continue_with_new(new, kept=()):
    """Return the reasons of the first 80 texts after so many new ones of the first meaning came."""
    vectors, groups, former = scattered()
    vectors = np.vstack([vectors, scatter(1, new, seed=9)])
    groups, former = np.append(groups, np.zeros(new, dtype=int)), np.append(former, np.full(new, NONE))
    return continue_reasons(vectors, groups, former, ones(vectors), kept=kept, new_calls=new)[:80]


class TestMerging:
    def test_takes_in_reasons_of_one_text_down_to_some_more_than_there_are_groups(self):
        _, groups, former = scattered()

        found = continue_with_new(40)

        assert len(set(found.tolist())) == int(MANY_MORE * MEANINGS)
        changed = np.flatnonzero(found != former)
        assert set(changed.tolist()) < set(ALONE)
        assert (found[changed] == groups[changed] + 1).all()

    def test_moves_no_more_than_new_calls_pay_for(self):
        former = scattered()[2]

        assert [int((continue_with_new(new) != former).sum()) for new in (0, 3, 4, 8)] == [0, 0, 1, 2]
        assert PAID * 8 == 2 and MAX_MOVED * 80 > 3

    def test_leaves_reasons_that_a_person_named(self):
        former = scattered()[2]

        found = continue_with_new(40, kept=[11, 12, 13])

        assert (found[ALONE[:3]] == [11, 12, 13]).all() and found[ALONE[3]] == 4
        assert (np.delete(found, ALONE) == np.delete(former, ALONE)).all()

    def test_begins_with_the_nearest_pair(self):
        vectors, groups, former = scattered()
        vectors[62] = vectors[65]
        vectors[41] = vectors[60]  # of another meaning

        merged = order_merges(vectors, groups, former, np.arange(1, 5), np.zeros(80, dtype=bool))

        assert merged[0].tolist() == [62]
        assert [41] not in [rows.tolist() for rows in merged]

    def test_leaves_as_many_reasons_as_groups_and_some_more_alone(self):
        vectors, groups, former = scattered()
        former[ALONE[1:]] = [2, 3, 4]

        merged = order_merges(vectors, groups, former, np.arange(1, 5), np.zeros(80, dtype=bool))

        assert merged == []

    def test_takes_no_reason_part_of_which_begins_another_one(self):
        """The group of the last meaning continues no reason: what lies in it is no part of an old one."""
        vectors, groups, former = scattered()
        target = np.array([1, 2, 3, -2])

        merged = order_merges(vectors, groups, former, target, np.zeros(80, dtype=bool))

        assert {row for rows in merged for row in rows.tolist()} <= {20, 41}

    def test_is_the_same_in_three_runs(self):
        runs = [continue_with_new(40).tolist() for _ in range(3)]

        assert runs[0] == runs[1] == runs[2]


@pytest.mark.django_db
class TestARegrouping:
    def fill(self, project):
        """Return a call whose reason holds nothing else, next to calls that say nearly the same."""
        now = timezone.now() - dt.timedelta(hours=2)
        made = [
            ContactReason.objects.create(project=project, name=name, provisional_until=now)
            for name in ("Bills", "Passwords", "Shipping", "Invoices", "Parcels")
        ]
        said = [(each, topics * 5) for each, topics in zip(made, [BILLS, PASSWORDS, SHIPPING], strict=False)]
        said += [(made[3], ["wrong invoice again"]), (made[4], ["my parcel has not arrived"])]
        alone = []
        for reason, topics in said:
            calls = [add_call(project, topic) for topic in topics]
            CallReason.objects.bulk_create(
                CallReason(call=call, project=project, reason=reason) for call in calls
            )
            alone = calls if len(calls) == 1 else alone
        for topic in PASSWORDS:
            add_call(project, topic)
        return made

    def test_stores_what_merged_into_what_and_why_and_undoes_it(self, project):
        made = self.fill(project)

        regroup(project)

        left = set(CallReason.objects.values_list("reason_id", flat=True))
        assert left < {each.pk for each in made} and len(left) == 4
        (gone,) = {each.pk for each in made} - left
        change = ReasonChange.objects.latest("pk")
        (cause,) = {move["cause"]["code"] for move in change.summary["moves"] if move["from"] == gone}
        assert cause == "merged_into"

        history.undo_change(change, None)

        assert CallReason.objects.filter(reason_id=gone).count() == 1

    def test_never_merges_one_that_a_person_named(self, project):
        made = self.fill(project)
        ContactReason.objects.filter(pk__in=[made[3].pk, made[4].pk]).update(renamed=True)

        grouping.apply_plan(grouping.propose_reasons(project))

        assert CallReason.objects.filter(reason__in=made[3:]).count() == 2
