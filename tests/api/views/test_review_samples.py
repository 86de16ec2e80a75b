"""Samples of calls to review: what is drawn, for whom, from which seed, and what is refused."""

import io
import json
from collections import Counter

import pytest

from callscope.accounts.models import AuditEvent
from callscope.calls.models import Call
from callscope.pipeline.erasure.users import erase_user
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.services import configure_project, share_project
from callscope.reviews.models import ReviewSample
from tests.api.review_samples import judge_call, review

URL = "/calls/api/review-samples/"


WITH_AN_OPEN_CRITERION = {
    "rubric": {
        "sections": [
            {
                "name": "S",
                "criteria": [
                    {"id": name, "name": name, "guideline": "G", "max_points": 10, "rule": {"any_of": [name]}}
                    for name in ("greeting", "open-0")
                ],
            }
        ]
    }
}


def line(name, agent, *, undecided=0):
    criterion = {"criterion_id": "greeting", "name": "Greets", "score": 5, "max_points": 10}
    open_ones = [
        {"criterion_id": f"open-{n}", "name": "Open", "section": "", "reason": "Unknown."}
        for n in range(undecided)
    ]
    return {
        "file_name": name,
        "call_datetime": "2026-03-02T10:00:00+00:00",
        **({"agent_id": agent, "agent_name": agent} if agent else {}),
        "copc": {"criterion_scores": [criterion], "not_evaluated": open_ones},
    }


def scored(name, points):
    """Return a call of Ana's with so many of ten points."""
    found = line(name, "ana")
    found["copc"]["criterion_scores"][0]["score"] = points
    return found


def load(project, lines):
    result = import_calls(project, io.BytesIO("\n".join(map(json.dumps, lines)).encode()), by=project.owner)
    assert result.errors == []


@pytest.fixture
def calls(project):
    """Ten calls each of Ana and Ben, three without an agent, and one without scores."""
    lines = [line(f"{agent}-{n}.wav", agent) for agent in ("ana", "ben") for n in range(10)]
    lines += [line(f"nobody-{n}.wav", "") for n in range(3)]
    load(project, [*lines, {"file_name": "unscored.wav", "agent_id": "ana", "agent_name": "ana"}])
    return project


@pytest.fixture
def draw(as_alice, project, alice):
    def draw(status=201, **fields):
        given = {"project_id": project.pk, "per_agent": 4, "reviewers": [alice.email], **fields}
        answer = as_alice.post(URL, given, format="json")
        assert answer.status_code == status, answer.content
        return answer.json()

    return draw


def names(sample):
    found = dict(Call.objects.values_list("pk", "file_name"))
    return [found[call["call_id"]] for call in sample["calls"]]


class TestSample:
    def test_draws_so_many_of_each_agent(self, draw, calls):
        drawn = draw()

        assert Counter(name.split("-")[0] for name in names(drawn)) == {"ana": 4, "ben": 4, "nobody": 3}
        assert {call["reason"] for call in drawn["calls"]} == {"random"}
        assert {call["state"] for call in drawn["calls"]} == {"open"}
        assert (drawn["candidates"], drawn["per_agent"], drawn["due"]) == (23, 4, None)

    def test_with_the_same_seed_is_the_same(self, draw, calls):
        first, again, other = draw(seed=7), draw(seed=7), draw(seed=8)

        assert first["seed"] == 7
        assert first["calls"] == again["calls"]
        assert names(first) != names(other)

    def test_without_a_seed_says_which_one_it_took(self, draw, calls):
        drawn = draw()

        assert draw(seed=drawn["seed"])["calls"] == drawn["calls"]

    def test_leaves_out_what_was_drawn_at_random_before(self, draw, calls):
        first, second, third = draw(), draw(), draw()

        held = [{call["call_id"] for call in each["calls"]} for each in (first, second, third)]
        assert not held[0] & held[1] and not (held[0] | held[1]) & held[2]
        # Ten calls each of Ana and Ben and three of nobody: four, four and the last two of each.
        assert [len(each) for each in held] == [11, 8, 4]
        assert [each["left_out"] for each in (first, second, third)] == [0, 11, 19]
        assert [each["candidates"] for each in (first, second, third)] == [23, 12, 4]

    def test_draws_them_again_when_asked_to(self, draw, calls):
        draw(per_agent=10)

        again, wrong = draw(per_agent=10, leave_out_drawn=False), draw(400, leave_out_drawn="often")

        assert (len(again["calls"]), again["left_out"], again["candidates"]) == (23, None, 23)
        assert list(wrong) == ["leave_out_drawn"]

    def test_takes_the_seed_among_what_is_left_when_asked_to(self, draw, calls):
        first = draw(seed=5)

        rest = draw(seed=5, leave_out_drawn=True)

        assert rest["left_out"] == len(first["calls"])
        assert not {c["call_id"] for c in rest["calls"]} & {c["call_id"] for c in first["calls"]}

    def test_keeps_calls_that_were_not_drawn_at_random_in_the_part_that_is(self, draw, project, as_alice):
        load(project, [line(f"ana-{n}.wav", "ana", undecided=max(n - 6, 0)) for n in range(10)])
        # Filters and doubt chose these calls: the others alone would not speak for all.
        draw(per_agent=10, filters={"max_score": 100})

        unsure, again = draw(per_agent=4, uncertain_pct=100), draw(per_agent=10, filters={"min_score": 0})

        assert {call["reason"] for call in unsure["calls"]} == {"random"}
        assert (len(unsure["calls"]), unsure["left_out"]) == (4, 0)
        assert (again["calls"], again["left_out"]) == ([], 10)

    def test_with_filters_leaves_out_what_was_reviewed_without_a_draw(self, draw, as_alice, project):
        draw_filtered = {"per_agent": 5, "filters": {"min_score": 0}}
        review(as_alice, judge_call(as_alice, project))

        drawn = draw(**draw_filtered)

        assert (drawn["calls"], drawn["left_out"]) == ([], 1)

    def test_is_split_evenly_between_the_reviewers(self, draw, calls, alice, bob):
        share_project(calls, bob, role="editor")

        drawn = draw(reviewers=[alice.email, bob.email.upper()])

        counts = Counter(call["reviewer"] for call in drawn["calls"])
        assert set(counts) == {alice.email, bob.email}
        assert abs(counts[alice.email] - counts[bob.email]) <= 1

    def test_gives_a_share_to_calls_with_undecided_criteria(self, draw, project):
        load(project, [line(f"ana-{n}.wav", "ana", undecided=max(n - 6, 0)) for n in range(10)])

        drawn = draw(per_agent=4, uncertain_pct=50, seed=1)

        reasons = dict(zip(names(drawn), (call["reason"] for call in drawn["calls"]), strict=True))
        assert [name for name in sorted(reasons) if reasons[name] == "uncertain"] == [
            "ana-8.wav",
            "ana-9.wav",
        ]
        assert len(reasons) == 4

    def test_gives_a_share_to_calls_whose_results_say_that_the_machine_was_unsure(
        self, as_alice, draw, project
    ):
        stored = {
            "near": {"margin": 0.03},
            "asked": {"asked_again": True},
            "unquoted": {"verified": False},
            "far": {"margin": 0.35},
            "plain": {"asked_again": False, "verified": True},
            "old": {},
        }
        lines = [line(f"{name}-{n}.wav", "ana") for name in stored for n in range(2)]
        for each in lines:
            each["copc"]["criterion_scores"][0] |= stored[each["file_name"].split("-")[0]]
        load(project, lines)

        drawn = draw(per_agent=11, uncertain_pct=100, seed=2)

        reasons = dict(zip(names(drawn), (call["reason"] for call in drawn["calls"]), strict=True))
        uncertain = {name for name, reason in reasons.items() if reason == "uncertain"}
        by_chance = {name for name, reason in reasons.items() if reason == "random"}
        unsure = {f"{name}-{n}.wav" for name in ("near", "asked", "unquoted") for n in range(2)}
        # All that are unsure are drawn: by chance, or because the machine was least sure of them.
        assert uncertain | (by_chance & unsure) == unsure
        assert uncertain
        (call, *_) = drawn["calls"]
        shown = as_alice.get(f"/calls/api/calls/{call['call_id']}/").json()["copc"]["criterion_scores"][0]
        assert not {"margin", "asked_again"} & shown.keys()

    def test_draws_the_same_after_a_person_decided_what_was_open(self, as_alice, draw, project):
        configure_project(project, {**project.config, **WITH_AN_OPEN_CRITERION}, project.owner)
        load(project, [line(f"ana-{n}.wav", "ana", undecided=n % 2) for n in range(6)])
        before = draw(uncertain_pct=50, seed=3)
        decided = [{"criterion_id": name, "answer": "met"} for name in ("greeting", "open-0")]
        uncertain = [call["call_id"] for call in before["calls"] if call["reason"] == "uncertain"]

        answers = [review(as_alice, call, criteria=decided) for call in uncertain]

        assert [answer.status_code for answer in answers] == [201, 201]
        after = draw(uncertain_pct=50, seed=3)["calls"]
        assert [(c["call_id"], c["reason"]) for c in after] == [
            (c["call_id"], c["reason"]) for c in before["calls"]
        ]

    def test_without_undecided_criteria_is_all_random(self, draw, calls):
        assert {call["reason"] for call in draw(uncertain_pct=100)["calls"]} == {"random"}

    def test_keeps_to_the_days_of_the_calls(self, draw, calls):
        assert draw(start_date="2026-03-03")["calls"] == []
        same_day = draw(start_date="2026-03-02", end_date="2026-03-02", due="2026-03-09")
        assert len(same_day["calls"]) == 11
        assert (same_day["start_date"], same_day["due"]) == ("2026-03-02", "2026-03-09")

    def test_draws_only_what_its_filters_leave(self, as_alice, draw, project):
        load(project, [scored(f"ana-{n}.wav", n) for n in range(10)])

        drawn = draw(per_agent=9, filters={"max_score": 30, "min_score": "10", "critical": ""})

        assert sorted(names(drawn)) == ["ana-1.wav", "ana-2.wav", "ana-3.wav"]
        assert (drawn["candidates"], drawn["filters"]) == (3, {"max_score": "30", "min_score": "10"})
        listed = as_alice.get("/calls/api/calls/", {"project_id": project.pk, **drawn["filters"]}).json()
        assert {call["id"] for call in listed["results"]} == {call["call_id"] for call in drawn["calls"]}

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            ({"criterion": "greeting", "result": "met"}, 1),
            ({"criterion": "greeting", "result": "not_met"}, 1),
            ({"agent": "none"}, 0),
            ({"reviewed": False}, 10),
            ({"goal": True}, 0),
            ({"tracker": "nothing"}, 0),
        ],
    )
    def test_takes_the_filters_of_the_call_list(self, draw, project, filters, expected):
        load(project, [scored(f"ana-{n}.wav", n * 10 / 9) for n in range(10)])

        assert draw(per_agent=50, filters=filters)["candidates"] == expected

    def test_estimates_what_people_would_score_from_the_same_calls(self, as_alice, draw, project):
        load(project, [scored(f"ana-{n}.wav", 10 if n % 3 else 0) for n in range(10)])
        drawn = draw(per_agent=5, seed=3)
        machine = sum(100 if int(name[4:-4]) % 3 else 0 for name in names(drawn)) / 5
        for call in drawn["calls"]:
            review(as_alice, call["call_id"], criteria=[{"criterion_id": "greeting", "answer": "met"}])

        report = as_alice.get("/calls/api/report/", {"project_id": project.pk}).json()

        found, counted = report["reviews"], report["headline"]["average_score"]
        assert (found["sampled_calls"], found["sampled_score"]) == (5, 100.0)
        assert found["sampled_machine_score"] == machine
        # Half of the calls are scored by the machine alone.
        assert found["true_score"] == pytest.approx(min(counted + (100 - machine) / 2, 100))
        low, high = found["true_score_interval"]
        assert low <= found["true_score"] <= high

    def test_counts_in_the_estimate_once_it_is_reviewed_for_the_draw(self, as_alice, draw, project):
        """What somebody had chosen to review before is no random part of a draw."""
        load(project, [scored(f"ana-{n}.wav", n) for n in range(4)])
        chosen, *others = Call.objects.order_by("pk")
        answers = [{"criterion_id": "greeting", "answer": "met"}]
        review(as_alice, chosen.pk, criteria=answers)

        def count():
            report = as_alice.get("/calls/api/report/", {"project_id": project.pk}).json()["reviews"]
            return report["reviewed_calls"], report["sampled_calls"]

        draw(per_agent=9)
        assert count() == (1, 0)
        review(as_alice, others[0].pk, criteria=answers)
        assert count() == (2, 1)
        review(as_alice, chosen.pk, criteria=answers)
        assert count() == (2, 2)

    def test_stays_in_the_estimate_once_its_reviewer_is_erased(self, as_alice, as_bob, draw, project, bob):
        share_project(project, bob, "editor")
        load(project, [scored(f"ana-{n}.wav", n) for n in range(2)])
        drawn = draw(per_agent=9, reviewers=[bob.email])
        call = drawn["calls"][0]["call_id"]
        review(as_bob, call, criteria=[{"criterion_id": "greeting", "answer": "met"}])

        erase_user(bob)

        report = as_alice.get("/calls/api/report/", {"project_id": project.pk}).json()["reviews"]
        assert report["sampled_calls"] == 1

    def test_waits_for_its_reviewer_after_another_who_is_erased(
        self, as_alice, as_bob, draw, project, alice, bob
    ):
        share_project(project, bob, "editor")
        load(project, [scored("ana.wav", 1)])
        call = draw(per_agent=9, reviewers=[alice.email])["calls"][0]["call_id"]
        review(as_bob, call, criteria=[{"criterion_id": "greeting", "answer": "met"}])

        erase_user(bob)

        report = as_alice.get("/calls/api/report/", {"project_id": project.pk}).json()["reviews"]
        assert (report["reviewed_calls"], report["sampled_calls"]) == (1, 0)

    def test_with_filters_is_no_part_of_the_estimate(self, as_alice, draw, project):
        load(project, [scored(f"ana-{n}.wav", n) for n in range(3)])
        drawn = draw(per_agent=9, filters={"max_score": 30})
        for call in drawn["calls"]:
            review(as_alice, call["call_id"], criteria=[{"criterion_id": "greeting", "answer": "met"}])

        report = as_alice.get("/calls/api/report/", {"project_id": project.pk}).json()["reviews"]

        assert (report["reviewed_calls"], report["sampled_calls"], report["true_score"]) == (3, 0, None)

    def test_shows_what_was_reviewed_since(self, as_alice, project, draw):
        call = judge_call(as_alice, project)
        review(as_alice, call)
        sample = draw()
        assert [each["state"] for each in sample["calls"]] == ["open"]

        review(as_alice, call)

        (shown,) = as_alice.get(f"{URL}{sample['id']}/").json()["calls"]
        assert (shown["call_id"], shown["state"]) == (call, "reviewed")

    def test_is_taken_back_as_far_as_nobody_has_begun(self, as_alice, draw, project):
        load(project, [scored(f"ana-{n}.wav", n) for n in range(3)])
        drawn = draw(per_agent=3)
        reviewed = drawn["calls"][0]["call_id"]
        review(as_alice, reviewed, criteria=[{"criterion_id": "greeting", "answer": "met"}])

        assert [as_alice.delete(f"{URL}{drawn['id']}/").status_code for _ in range(2)] == [204, 204]

        left = as_alice.get(f"{URL}{drawn['id']}/").json()
        assert ([call["call_id"] for call in left["calls"]], left["withdrawn"]) == ([reviewed], 2)
        # What was taken back may be drawn again.
        assert draw(per_agent=3)["left_out"] == 1

    def test_is_in_the_audit_trail(self, draw, calls, alice):
        sample = draw(seed=7)

        event = AuditEvent.objects.get(action="sample.drawn")
        assert (event.actor, event.subject) == (alice, f"sample {sample['id']}")
        assert event.detail == {"project": calls.pk, "seed": 7, "calls": 11}


class TestList:
    def test_has_the_newest_first_without_calls(self, as_alice, draw, calls):
        first, second = draw(seed=1), draw(seed=2)

        page = as_alice.get(f"{URL}?project_id={calls.pk}").json()

        assert [row["id"] for row in page["results"]] == [second["id"], first["id"]]
        assert page["count"] == 2
        assert {**page["results"][0], "calls": second["calls"]} == second

    def test_is_for_those_who_may_write(self, as_alice, as_bob, as_carol, draw, calls, bob):
        sample = draw()
        share_project(calls, bob, role="viewer")

        assert as_bob.get(URL).json()["count"] == as_carol.get(URL).json()["count"] == 0
        assert as_bob.get(f"{URL}{sample['id']}/").status_code == 403
        assert as_carol.get(f"{URL}{sample['id']}/").status_code == 404
        given = {"project_id": calls.pk, "per_agent": 1, "reviewers": [bob.email]}
        assert as_bob.post(URL, given, format="json").status_code == 403
        assert as_carol.post(URL, given, format="json").status_code == 400


class TestRefusal:
    @pytest.mark.parametrize(
        ("field", "value", "sentence"),
        [
            ("per_agent", 0, "0 is not allowed. Allowed: whole numbers, 1 to 1000."),
            ("per_agent", "five", "'five' is not allowed. Allowed: whole numbers, 1 to 1000."),
            ("per_agent", True, "True is not allowed. Allowed: whole numbers, 1 to 1000."),
            ("uncertain_pct", 101, "101 is not allowed. Allowed: whole numbers, 0 to 100."),
            ("seed", -1, "-1 is not allowed. Allowed: whole numbers, 0 to 9007199254740992."),
            ("start_date", "soon", '"soon" is not a date. Use YYYY-MM-DD.'),
            ("due", "2026-02-30", '"2026-02-30" is not a date. Use YYYY-MM-DD.'),
            ("project_id", 99999999, "99999999"),
            (
                "reviewers",
                ["carol@example.com"],
                '"carol@example.com" cannot review calls of this project. '
                "Allowed: its owner, admins and editors.",
            ),
            ("reviewers", [], "at least 1"),
        ],
    )
    def test_names_the_value_and_what_is_allowed(self, draw, calls, carol, field, value, sentence):
        errors = draw(400, **{field: value})

        assert list(errors) == [field]
        assert sentence in errors[field][0]
        assert not ReviewSample.objects.exists()

    @pytest.mark.parametrize(
        ("filters", "sentence"),
        [
            ({"agent": "Ana"}, '"Ana" is neither an agent id nor "none".'),
            ({"min_score": "90", "max_score": "10"}, "90"),
            ({"result": "met"}, '"met" is a result of a criterion: say which one in criterion.'),
            ({"sentiment": "angry"}, '"angry" is not allowed for sentiment. Allowed: '),
            ({"critical": "yes"}, '"yes" is not allowed for critical. Allowed: true, false.'),
            ({"search": "+34 600"}, '"search" is not a filter of a sample. Allowed: sentiment, '),
            ({"tracker": ["a"]}, "is not a value of the filter tracker"),
            ({"criterion": "a\x00"}, "is not a value of the filter criterion"),
            ({"criterion": "a" * 65}, "at most 64 characters"),
        ],
    )
    def test_of_a_filter_shows_it(self, draw, calls, filters, sentence):
        assert sentence in draw(400, filters=filters)["filters"][0]

    def test_of_a_reviewer_named_twice(self, draw, calls, alice):
        errors = draw(400, reviewers=[alice.email, alice.email.upper()])

        assert "is listed twice." in errors["reviewers"][0]

    def test_of_days_in_the_wrong_order(self, draw, calls):
        assert list(draw(400, start_date="2026-02-02", end_date="2026-02-01")) == ["end_date"]
