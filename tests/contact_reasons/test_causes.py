"""Each move of a regrouping comes with its reason, in figures."""

import datetime as dt
import re

import numpy as np
import pytest
from django.utils import translation

from callscope.contact_reasons import grouping, listing
from callscope.contact_reasons.clusters.causes import describe_cause, explain_move
from callscope.contact_reasons.clusters.continuity import NONE
from callscope.contact_reasons.clusters.move_measures import measure_moves
from callscope.contact_reasons.models import ReasonChange
from callscope.interfaces.web.presenters import reasons as presenter
from callscope.messages.reason_catalog import REASON_CAUSES
from tests.contact_reasons.test_grouping import BILLS, PASSWORDS, SHIPPING, add_call, regroup

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]


def measure(rows, former, result):
    ones = np.ones(len(rows), dtype=np.int64)
    return measure_moves(np.array(rows, dtype=np.float32), np.array(former), np.array(result), ones)


class TestMeasures:
    def test_say_how_near_waiting_calls_lie_to_each_other_and_to_what_was_there(self):
        measured = measure([EAST, EAST, NORTH], [7, 7, NONE], [7, 7, -2])

        assert measured == {-2: {0: {"here": 1.0, "there": 0.0}}}

    def test_know_nothing_to_compare_with_where_no_reason_was_there(self):
        assert measure([EAST, EAST], [NONE, NONE], [-2, -2]) == {-2: {0: {"here": 1.0, "there": None}}}

    def test_know_nothing_to_compare_with_where_one_reason_was_there(self):
        measured = measure([EAST, EAST], [7, NONE], [7, 7])

        assert measured == {7: {0: {"here": 1.0, "there": None}}}
        cause = explain_move(measured[7][0], 0, is_new=False, is_gone=False)
        assert str(describe_cause(cause)).endswith("Similarity to it: 1.00.")

    def test_compare_what_moved_with_the_reason_it_had(self):
        measured = measure([EAST, EAST, EAST, NORTH, NORTH], [7, 7, 7, 7, 8], [7, 7, 7, 8, 8])

        assert measured == {8: {7: {"here": 1.0, "there": 0.32}}}


class TestCauses:
    @pytest.mark.parametrize(
        ("former", "is_new", "is_gone", "code"),
        [
            (0, True, False, "waiting_formed"),
            (0, False, False, "waiting_joined"),
            (7, True, False, "split_off"),
            (7, False, True, "merged_into"),
            (7, False, False, "moved_nearer"),
        ],
    )
    def test_differ_by_where_calls_were(self, former, is_new, is_gone, code):
        cause = explain_move({"here": 0.7, "there": 0.4}, former, is_new=is_new, is_gone=is_gone)

        assert cause == {"code": code, "figures": {"here": 0.7, "there": 0.4}}
        assert "0.70" in str(describe_cause(cause)) and "0.40" in str(describe_cause(cause))

    def test_without_measures_are_named_too(self):
        assert explain_move(None, 7, is_new=False, is_gone=False)["code"] == "follows_topic"
        assert explain_move(None, 7, is_new=True, is_gone=True)["code"] == "regrouped_again"
        assert (
            explain_move({"here": 0.7, "there": None}, 0, is_new=True, is_gone=False)["code"]
            == "first_of_all"
        )


@pytest.mark.django_db
class TestAHistory:
    def test_says_why_for_every_move(self, project, monkeypatch):
        monkeypatch.setattr(grouping, "SETTLES_AFTER", dt.timedelta(seconds=-1))
        for topic in [*BILLS, *PASSWORDS]:
            add_call(project, topic)
        regroup(project)
        for topic in [*SHIPPING, "wrong invoice once more"]:
            add_call(project, topic)
        regroup(project)

        causes = [move["cause"] for c in ReasonChange.objects.order_by("pk") for move in c.summary["moves"]]
        assert {cause["code"] for cause in causes} >= {"first_of_all", "waiting_formed", "waiting_joined"}
        assert {cause["code"] for cause in causes} <= REASON_CAUSES.keys()
        formed = next(cause["figures"] for cause in causes if cause["code"] == "waiting_formed")
        assert formed["here"] > formed["there"]

    def test_is_written_in_words(self, project):
        for topic in BILLS:
            add_call(project, topic)
        regroup(project)
        (row,) = listing.list_history([project.pk])

        line = presenter.describe_change(row, {})

        assert any("there was no reason yet. Similarity to each other: 0." in text for text in line.first)
        with translation.override("es"):
            said = " ".join(presenter.describe_change(row, {}).first)
        assert re.search(r"Parecido entre ellas: [01],\d\d\.", said)
