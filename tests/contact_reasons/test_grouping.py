"""Topics become reasons, and reasons keep their identity."""

import datetime

import pytest
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.contact_reasons import forgetting, grouping
from callscope.contact_reasons.assignment import assign_reason
from callscope.contact_reasons.editing import edit_reason
from callscope.contact_reasons.listing import list_reasons
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange
from callscope.projects import configuration

BILLS = ["wrong invoice", "invoice wrong", "wrong invoices", "invoice wrong again"]
PASSWORDS = ["reset my password", "reset password", "password reset", "need my password reset"]
SHIPPING = ["where is my parcel", "parcel has not arrived", "my parcel never arrived"]


def add_call(project, topic, *, live=True):
    number = Call.objects.count()
    now = timezone.now() + datetime.timedelta(seconds=number)
    call = Call.objects.create(
        project=project,
        file_name=f"c{number}.srt",
        name_stem=f"c{number}",
        call_datetime=now,
        uploaded_at=now,
    )
    file = UploadedFile.objects.create(
        project=project,
        call=call,
        original_filename=call.file_name,
        file_type="srt",
        storage_key="",
        created_at=now,
    )
    CallAnalysis.objects.create(
        file=file, call=call, project=project, is_live=live, insights={"topic": topic}
    )
    return call


def regroup(project):
    return grouping.apply_plan(grouping.propose_reasons(project))


def reasons_of(calls):
    found = dict(CallReason.objects.values_list("call_id", "reason__name"))
    return [found.get(c.pk) for c in calls]


class TestRegrouping:
    def test_puts_alike_topics_under_one_reason_named_by_one_of_them(self, grouped):
        names = {name: set(reasons_of(calls)) for name, calls in grouped.items()}

        assert all(len(found) == 1 for found in names.values()), names
        assert len(set.union(*names.values())) == 3
        assert names["shipping"] == {"Parcel never arrived"}, (
            "which is no question, and names what is the case"
        )

    def test_changes_nothing_when_repeated(self, project, grouped):
        before = list(ContactReason.objects.order_by("id").values_list("id", "name"))

        assert regroup(project) == []
        assert list(ContactReason.objects.order_by("id").values_list("id", "name")) == before

    def test_within_the_first_hour_does_not_depend_on_earlier_ones(self, project, grouped):
        more = [add_call(project, t) for t in ("forgot my password", "password reset link", "my password")]
        every_call = [call for calls in grouped.values() for call in calls] + more
        regroup(project)
        in_steps = reasons_of(every_call)

        ContactReason.objects.all().delete()
        regroup(project)

        assert reasons_of(every_call) == in_steps

    def test_keeps_ids_and_names_when_calls_are_added(self, project, grouped):
        ContactReason.objects.update(provisional_until=timezone.now())  # an hour has passed
        before = reasons_of(grouped["passwords"])
        added = [add_call(project, t) for t in ("forgot my password", "password reset link")]

        regroup(project)

        assert reasons_of(grouped["passwords"]) == before
        assert reasons_of(added)[1] == before[0]

    def test_keeps_a_name_that_a_person_chose(self, project, grouped):
        reason = CallReason.objects.get(call=grouped["bills"][0]).reason
        assert edit_reason(reason, {"name": "Billing"}, None) == sorted(c.pk for c in grouped["bills"])
        add_call(project, "invoice of last month is wrong")

        regroup(project)

        assert set(reasons_of(grouped["bills"])) == {"Billing"}

    def test_gives_no_name_that_differs_by_case_alone(self, project, grouped):
        (named,) = set(reasons_of(grouped["shipping"]))
        ContactReason.objects.create(project=project, name=named.upper(), renamed=True)

        regroup(project)

        (name,) = set(reasons_of(grouped["shipping"]))
        assert name.casefold() != named.casefold()

    def test_keeps_a_chosen_name_without_calls_as_retired(self, project, grouped):
        reason = CallReason.objects.get(call=grouped["bills"][0]).reason
        edit_reason(reason, {"name": "Billing"}, None)
        Call.objects.filter(pk__in=[c.pk for c in grouped["bills"]]).delete()

        regroup(project)

        reason.refresh_from_db()
        assert reason.retired_at is not None

    def test_leaves_calls_without_a_topic_alone(self, project, grouped):
        silent = add_call(project, "")

        regroup(project)

        assert reasons_of([silent]) == [None]

    def test_passes_over_calls_that_were_deleted_since(self, project, grouped):
        plan = grouping.propose_reasons(project)
        name = reasons_of(grouped["bills"])[0]
        unnamed = [topic.casefold() != name.casefold() for topic in BILLS].index(True)
        grouped["bills"][unnamed].delete()

        assert grouping.apply_plan(plan) == []

    def test_names_nothing_after_a_call_that_was_erased_since(self, project, grouped):
        plan = grouping.propose_reasons(project)
        name = reasons_of(grouped["bills"])[0]
        naming = [topic.casefold() for topic in BILLS].index(name.casefold())
        grouped["bills"].pop(naming).delete()

        grouping.apply_plan(plan)

        assert name not in ContactReason.objects.values_list("name", flat=True)
        assert None not in reasons_of(grouped["bills"])

    def test_writes_nothing_into_a_project_that_became_predefined(self, project, grouped):
        add_call(project, "parcel lost")
        plan = grouping.propose_reasons(project)
        document = {"contact_reasons": {"mode": "predefined", "codes": [{"code": "Billing"}]}}
        project.config = configuration.parse(document).as_document()
        project.save()

        assert grouping.apply_plan(plan) == []

    def test_of_nothing_is_nothing(self, project):
        assert regroup(project) == []

    def test_of_one_call_names_its_reason(self, project):
        call = add_call(project, "lost my card")

        assert regroup(project) == [call.pk]
        assert reasons_of([call]) == ["Lost card"]

    def test_never_gives_an_empty_name(self, project):
        call = add_call(project, "?")

        regroup(project)

        assert reasons_of([call]) == ["?"]


class TestAReasonThatBegins:
    @pytest.mark.parametrize("days", [1, 0])
    def test_leaves_the_old_one_that_its_calls_got_on_arrival(self, project, days):
        """Invoices were too high, then arrived twice: their days part them, and a single day does not."""
        places = ["Madrid", "Lisbon", "Vienna", "Oslo", "Dublin", "Porto", "Ghent", "Turin", "Lyon", "Graz"]
        topics = [f"invoice of {place} is too high{end}" for end in ("", " again") for place in places]
        topics += [f"invoice of {place} arrived twice" for place in places]
        calls = [add_call(project, topic) for topic in topics]
        for number, call in enumerate(calls):
            moment = timezone.now() - datetime.timedelta(days=days * (100 - number))
            Call.objects.filter(pk=call.pk).update(call_datetime=moment)
        reason = ContactReason.objects.create(project=project, name="Invoice too high")
        CallReason.objects.bulk_create(
            CallReason(call=call, project=project, reason=reason) for call in calls
        )
        ReasonChange.objects.create(
            project=project,
            kind=ReasonChange.Kind.REGROUPED,
            made_at=timezone.now(),
            summary={"reasons": [], "moves": []},
        )
        CallAnalysis.objects.filter(call__in=calls[20:]).update(
            completed_at=timezone.now() + datetime.timedelta(seconds=1)
        )

        regroup(project)

        found = reasons_of(calls)
        moved = [name for name in found[20:] if name != "Invoice too high"]
        assert set(found[:20]) == {"Invoice too high"}
        assert (len(moved) > 5 and len(set(moved)) == 1) if days else not moved


class TestArrival:
    def test_joins_the_group_whose_middle_is_near(self, project, grouped):
        call = add_call(project, "my password reset")

        assign_reason(call, {"topic": "my password reset"}, project.configuration)

        assert reasons_of([call]) == reasons_of(grouped["passwords"][:1])

    def test_waits_without_a_reason_when_it_is_new(self, project, grouped):
        call = add_call(project, "speak with the chief accountant")

        assign_reason(call, {"topic": "speak with the chief accountant"}, project.configuration)

        assert reasons_of([call]) == [None]

    def test_loses_its_former_reason_when_it_has_another_topic_now(self, project, grouped):
        call = grouped["bills"][0]

        assign_reason(call, {"topic": "rent a boat"}, project.configuration)

        assert reasons_of([call]) == [None]

    def test_takes_the_predefined_code(self, project):
        config = configuration.parse(
            {"contact_reasons": {"mode": "predefined", "codes": [{"code": "Billing"}]}}
        )
        calls = [add_call(project, "x") for _ in range(3)]

        for call, code in zip(calls, ["Billing", "", "Invented"], strict=True):
            assign_reason(call, {"topic": "x", "contact_reason_code": code}, config)

        assert reasons_of(calls) == ["Billing", "Other", "Other"]

    @pytest.mark.parametrize("state", [{"retired_at": timezone.now()}, {"is_heading": True}])
    def test_shows_a_code_whose_reason_held_no_calls_before(self, project, state):
        ContactReason.objects.create(project=project, name="Billing", renamed=True, **state)
        config = configuration.parse(
            {"contact_reasons": {"mode": "predefined", "codes": [{"code": "Billing"}]}}
        )

        assign_reason(add_call(project, "x"), {"topic": "x", "contact_reason_code": "Billing"}, config)

        (row,) = list_reasons([project.pk])
        assert (row.name, row.calls, row.is_heading) == ("Billing", 1, False)


class TestForgettingCalls:
    def test_takes_a_reason_without_calls_along(self, project, grouped):
        Call.objects.filter(pk__in=[call.pk for call in grouped["bills"]]).delete()

        assert forgetting.forget_calls(project, BILLS) == (1, [])
        assert ContactReason.objects.count() == 2

    def test_keeps_a_name_that_a_person_chose_without_what_was_said(self, project, grouped):
        reason = CallReason.objects.get(call=grouped["bills"][0]).reason
        edit_reason(reason, {"name": "Money"}, None)
        Call.objects.filter(pk__in=[call.pk for call in grouped["bills"]]).delete()

        assert forgetting.forget_calls(project, BILLS) == (0, [])
        reason.refresh_from_db()
        assert (reason.name, reason.centroid) == ("Money", None)

    def test_renames_a_reason_whose_words_nobody_says_any_more(self, project, grouped):
        name = reasons_of(grouped["bills"])[0]
        naming = [topic.casefold() for topic in BILLS].index(name.casefold())
        grouped["bills"].pop(naming).delete()

        _, changed = forgetting.forget_calls(project, [BILLS[naming]])

        others = {topic.casefold() for n, topic in enumerate(BILLS) if n != naming}
        assert changed == [call.pk for call in grouped["bills"]]
        assert {found.casefold() for found in reasons_of(grouped["bills"])} <= others

    def test_keeps_a_name_that_another_call_says_too(self, project, grouped):
        name = reasons_of(grouped["bills"])[0]
        naming = [topic.casefold() for topic in BILLS].index(name.casefold())
        same = add_call(project, BILLS[naming])
        regroup(project)
        before = reasons_of([same])
        grouped["bills"][naming].delete()

        assert forgetting.forget_calls(project, [BILLS[naming]]) == (0, [])
        assert reasons_of([same]) == before
