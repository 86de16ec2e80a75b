"""Reasons become the codes of a project: which calls stay, where the others go, and how it is undone."""

import pytest

from callscope.contact_reasons import editing, history
from callscope.contact_reasons.assignment import assign_reason
from callscope.contact_reasons.codes import adopting, proposal
from callscope.contact_reasons.codes.phrases import choose_phrases
from callscope.contact_reasons.codes.proposal import complete_wish, propose_codes
from callscope.contact_reasons.codes.wish import ChosenReason, Wish
from callscope.contact_reasons.editing import InvalidReason
from callscope.contact_reasons.history import ReasonConflict
from callscope.contact_reasons.listing import list_history, list_reasons
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange
from callscope.engines.errors import EngineUnavailable
from callscope.pipeline.decisions import reason_edits
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from tests.contact_reasons.edited.test_editing import ids, reason_of, state
from tests.contact_reasons.test_grouping import BILLS, PASSWORDS, SHIPPING, add_call, reasons_of

pytestmark = pytest.mark.django_db


def read_project(project) -> Project:
    return Project.objects.get(pk=project.pk)


def config_of(project) -> Configuration:
    return read_project(project).configuration


def adopt(project, calls, *, mode="predefined", replaces=False, phrases=True, by=None):
    """Make codes of the reasons of these calls, with the phrases that are proposed."""
    proposed = {each.reason: each for each in propose_codes(project)}
    reasons = [reason_of(each).pk for each in calls]
    chosen = [
        ChosenReason(each, phrases=proposed[each].phrases if phrases and each in proposed else ())
        for each in reasons
    ]
    project = Project.objects.get(pk=project.pk)
    return adopting.adopt_codes(project, Wish(chosen, mode, replaces), by, {})


def undo(project, by=None):
    change = ReasonChange.objects.filter(undone_at=None).latest("pk")
    change.project = Project.objects.get(pk=project.pk)
    return history.undo_change(change, by)


class TestPhrases:
    @pytest.fixture
    def embedder(self, project):
        from callscope.calls.private_words import engines_for_projects

        return engines_for_projects(project).embedder

    def test_are_the_most_typical_topics(self, embedder):
        counts = {"lost my bank card": 5, "my bank card is lost": 3, "the weather in spring": 1}

        chosen = choose_phrases(counts, "en", embedder)

        assert chosen[-1] == "the weather in spring"
        assert len(chosen) == 3

    def test_say_more_than_a_word_and_nothing_of_other_reasons(self, embedder):
        counts = {"invoice": 9, "my invoice": 9, "wrong invoice amount": 1, "cancel the contract": 1}

        assert choose_phrases(counts, "en", embedder, {"cancel the contract"}) == ["wrong invoice amount"]

    def test_are_each_said_once_whatever_their_spelling(self, embedder):
        assert choose_phrases({"Lost my card!": 1, "lost my card": 2}, "en", embedder) == ["lost my card"]

    def test_are_the_most_frequent_where_the_engine_is_away(self):
        class Away:
            def encode(self, _texts):
                raise EngineUnavailable("away")

        assert choose_phrases({"late parcel again": 1, "lost my card": 2}, "en", Away()) == [
            "lost my card",
            "late parcel again",
        ]

    def test_of_an_empty_reason_are_none(self, embedder):
        assert choose_phrases({}, "en", embedder) == []


class TestProposal:
    def test_has_each_reason_with_phrases_of_its_calls(self, project, grouped):
        found = {each.code: each for each in propose_codes(project)}

        bills = found[reason_of(grouped["bills"][0]).name]
        assert bills.calls == len(BILLS)
        assert bills.phrases and set(bills.phrases) <= set(BILLS)

    def test_leaves_out_what_is_set_aside_and_what_is_a_code(self, project, grouped):
        noise, code = reason_of(grouped["bills"][0]), reason_of(grouped["passwords"][0])
        editing.edit_reason(noise, {"is_set_aside": True}, None)
        adopt(project, grouped["passwords"][:1])

        names = {each.code for each in propose_codes(Project.objects.get(pk=project.pk))}

        assert names.isdisjoint({noise.name, code.name, "Other"})


class TestSwitching:
    def test_keeps_calls_under_their_codes_and_classifies_the_others(self, project, grouped):
        late = add_call(project, "my parcel is late")
        bills, shipping = reason_of(grouped["bills"][0]), reason_of(grouped["shipping"][0])

        outcome = adopt(project, [grouped["bills"][0], grouped["shipping"][0]])

        reasons = config_of(project).contact_reasons
        assert reasons.mode == "predefined"
        assert [each.code for each in reasons.codes] == [bills.name, shipping.name]
        assert all(each.phrases for each in reasons.codes)
        assert {reason_of(call).pk for call in grouped["bills"]} == {bills.pk}
        assert reasons_of([late]) == [shipping.name]
        assert set(reasons_of(grouped["passwords"])) == {"Other"}
        assert (outcome.kept, outcome.coded, outcome.other) == (len(BILLS + SHIPPING), 1, len(PASSWORDS))
        assert set(outcome.changed) == {late.pk, *ids(grouped["passwords"])}
        assert {row.name for row in list_reasons([project.pk])} == {bills.name, shipping.name, "Other"}

    def test_follows_codes_that_somebody_adds_while_topics_are_compared(
        self, project, grouped, alice, monkeypatch
    ):
        late = add_call(project, "my parcel is late")
        shipping = {"code": "Late parcels", "phrases": ["my parcel is late", "parcel is late again"]}
        classify = adopting.classify_topics

        def classify_slowly(*arguments):
            classify(*arguments)
            monkeypatch.setattr(adopting, "classify_topics", classify)
            configure_project(read_project(project), {"contact_reasons": {"codes": [shipping]}})

        monkeypatch.setattr(adopting, "classify_topics", classify_slowly)
        wish = Wish([ChosenReason(reason_of(grouped["bills"][0]).pk)], "predefined")

        reason_edits.adopt_codes(read_project(project), wish, alice)

        assert reasons_of([late]) == ["Late parcels"]

    def test_holds_when_a_call_is_analyzed_again(self, project, grouped):
        code = reason_of(grouped["bills"][0]).name
        adopt(project, grouped["bills"][:1])

        assign_reason(grouped["bills"][0], {"topic": "x", "contact_reason_code": ""}, config_of(project))

        assert reasons_of(grouped["bills"][:1]) == [code]

    def test_lets_a_call_without_topic_and_reason_be(self, project, grouped):
        silent = add_call(project, "")

        adopt(project, grouped["bills"][:1])

        assert reasons_of([silent]) == [None]

    def test_leaves_what_is_set_aside(self, project, grouped):
        noise = reason_of(grouped["passwords"][0])
        editing.edit_reason(noise, {"is_set_aside": True}, None)

        adopt(project, grouped["bills"][:1])

        assert {reason_of(call).pk for call in grouped["passwords"]} == {noise.pk}

    def test_says_other_in_the_language_of_the_project(self, project, grouped):
        project.config = {**project.config, "language": "es"}
        project.save()

        adopt(project, grouped["bills"][:1])

        assert set(reasons_of(grouped["passwords"])) == {"Otros"}

    def test_sends_rare_topics_where_others_of_their_reason_go(self, project, grouped, monkeypatch):
        monkeypatch.setattr(adopting, "MOST_TOPICS", 1)
        repeated = [add_call(project, SHIPPING[0]) for _ in range(3)]  # the topic that is compared
        editing.move_calls(reason_of(grouped["shipping"][0]), ids(repeated), None)
        late = ContactReason.objects.create(project=project, name="Late parcels")
        editing.move_calls(late, ids(grouped["shipping"][1:2]), None)

        adopt(project, grouped["shipping"][1:2])

        assert set(reasons_of([*repeated, *grouped["shipping"]])) == {"Late parcels"}
        assert set(reasons_of([*grouped["bills"], *grouped["passwords"]])) == {"Other"}

    def test_adds_to_a_list_that_is_in_use(self, project, grouped):
        bills, passwords = reason_of(grouped["bills"][0]), reason_of(grouped["passwords"][0])
        adopt(project, grouped["bills"][:1])
        new = ContactReason.objects.create(project=project, name="Logins")
        editing.move_calls(new, ids(grouped["passwords"][:2]), None)

        adopt(project, grouped["passwords"][:1])

        assert [each.code for each in config_of(project).contact_reasons.codes] == [bills.name, "Logins"]
        assert set(reasons_of(grouped["passwords"])) <= {"Logins", "Other"}
        assert passwords.name not in {row.name for row in list_reasons([project.pk])}

    def test_replaces_a_list(self, project, grouped):
        configure_project(project, {"contact_reasons": {"codes": [{"code": "Old"}]}})

        adopt(project, grouped["bills"][:1], replaces=True)

        codes = [each.code for each in config_of(project).contact_reasons.codes]
        assert codes == [reason_of(grouped["bills"][0]).name]

    def test_takes_a_whole_list_that_was_only_saved_before(self, project, grouped):
        adopt(project, grouped["bills"][:1], mode="open_ended")

        adopt(project, grouped["bills"][:1], replaces=True)

        assert config_of(project).contact_reasons.mode == "predefined"

    def test_waits_for_the_engine(self, project, grouped, monkeypatch):
        def fail(*_):
            raise EngineUnavailable("away")

        monkeypatch.setattr(adopting, "choose_by_topic", fail)

        with pytest.raises(ReasonConflict, match="Try again later"):
            adopt(project, grouped["bills"][:1])


class TestSaving:
    def test_changes_the_settings_alone(self, project, grouped):
        reason = reason_of(grouped["bills"][0])
        before = state(project)

        outcome = adopt(project, grouped["bills"][:1], mode="open_ended")

        reasons = config_of(project).contact_reasons
        assert (reasons.mode, [each.code for each in reasons.codes]) == ("open_ended", [reason.name])
        assert state(project) == before
        assert outcome.changed == []
        row = list_history([project.pk])[0]
        assert (row.kind, row.can_undo) == ("coded", True)

    def test_is_undone(self, project, grouped):
        before = config_of(project).as_document()
        adopt(project, grouped["bills"][:1], mode="open_ended")

        undo(project)

        assert config_of(project).as_document() == before


class TestSeveralChanges:
    def test_are_undone_from_the_last_one(self, project, grouped):
        before, reasons = config_of(project).as_document(), state(project)
        for name in ("bills", "shipping"):
            adopt(project, grouped[name][:1], mode="open_ended")
        first, second = ReasonChange.objects.filter(kind=ReasonChange.Kind.CODED).order_by("pk")

        with pytest.raises(ReasonConflict, match=str(second.pk)):
            history.undo_change(first, None)
        undo(project)
        undo(project)

        assert (config_of(project).as_document(), state(project)) == (before, reasons)


class TestPhrasesOfCodes:
    def test_stay_where_a_code_is_replaced_by_itself(self, project, grouped):
        adopt(project, grouped["bills"][:1])
        [code] = [each for each in config_of(project).contact_reasons.codes if each.phrases]
        phrases = [*code.phrases, {"pattern": "bill(s)?"}]
        codes = [{"code": code.code, "phrases": phrases}]
        configure_project(project, {"contact_reasons": {"mode": "predefined", "codes": codes}})
        project = Project.objects.get(pk=project.pk)

        wish = Wish([ChosenReason(reason_of(grouped["bills"][0]).pk)], "predefined", replaces=True)
        adopting.adopt_codes(project, complete_wish(project, wish), None, {})

        [kept] = config_of(project).as_document()["contact_reasons"]["codes"]
        assert kept["phrases"] == phrases


class TestRefusals:
    def refuse(self, project, wish, match):
        before, config = state(project), config_of(project)
        with pytest.raises(InvalidReason, match=match) as caught:
            adopting.adopt_codes(Project.objects.get(pk=project.pk), wish, None, {})
        assert (state(project), config_of(project)) == (before, config)
        return caught.value.field

    def test_without_a_reason(self, project, grouped):
        assert self.refuse(project, Wish([], "predefined"), "at least one") == "codes"

    def test_of_a_heading(self, project, grouped):
        heading = ContactReason.objects.create(project=project, name="Money", is_heading=True)

        self.refuse(project, Wish([ChosenReason(heading.pk)], "predefined"), "is a heading")

    def test_of_a_reason_that_is_set_aside(self, project, grouped):
        reason, other = reason_of(grouped["bills"][0]), reason_of(grouped["passwords"][0])
        ContactReason.objects.filter(pk=reason.pk).update(is_set_aside=True)
        self.refuse(project, Wish([ChosenReason(reason.pk)], "predefined"), "is set aside")
        configure_project(project, {"contact_reasons": {"codes": [{"code": reason.name}]}})

        self.refuse(project, Wish([ChosenReason(other.pk)], "predefined"), "is set aside")

    def test_of_a_reason_of_another_project(self, project, grouped, bob):
        from callscope.projects.services import create_project

        there = ContactReason.objects.create(project=create_project(bob, "Other"), name="There")

        self.refuse(project, Wish([ChosenReason(there.pk)], "predefined"), "No contact reason")

    def test_of_a_name_in_the_settings(self, project, grouped):
        reason = reason_of(grouped["bills"][0])
        codes = [{"code": reason.name.upper()}]
        configure_project(project, {"contact_reasons": {"codes": codes}})

        self.refuse(project, Wish([ChosenReason(reason.pk)], "predefined"), "already have a code")

    def test_of_one_name_twice(self, project, grouped):
        both = [ContactReason.objects.create(project=project, name=name) for name in ("Fees", "FEES")]

        wish = Wish([ChosenReason(each.pk) for each in both], "predefined")
        self.refuse(project, wish, "Two of these")

    def test_of_more_codes_than_the_settings_take(self, project, grouped, monkeypatch):
        monkeypatch.setattr(adopting, "MAX_CODES", 1)
        both = [ChosenReason(reason_of(grouped[each][0]).pk) for each in ("bills", "shipping")]

        self.refuse(project, Wish(both, "predefined"), "at most 1 codes")

    def test_comes_before_phrases_are_proposed(self, project, grouped, alice, monkeypatch):
        monkeypatch.setattr(adopting, "MAX_CODES", 1)
        monkeypatch.setattr(proposal, "propose_codes", lambda *_: pytest.fail("proposed"))
        both = [ChosenReason(reason_of(grouped[each][0]).pk) for each in ("bills", "shipping")]

        with pytest.raises(InvalidReason, match="at most 1 codes"):
            reason_edits.adopt_codes(read_project(project), Wish(both, "predefined"), alice)

    def test_of_going_back_to_groups(self, project, grouped):
        adopt(project, grouped["bills"][:1])
        new = ContactReason.objects.create(project=project, name="New")

        assert self.refuse(project, Wish([ChosenReason(new.pk)], "open_ended"), "predefined") == "mode"


class TestUndoing:
    def test_puts_back_mode_codes_reasons_and_places(self, project, grouped):
        editing.edit_reason(reason_of(grouped["passwords"][0]), {"description": "Access"}, None)
        add_call(project, "rent a boat on the lake")
        before, config = state(project), config_of(project).contact_reasons
        adopt(project, grouped["bills"][:1])

        undo(project)

        assert state(project) == before
        assert config_of(project).contact_reasons == config

    def test_lets_calls_that_came_meanwhile_wait(self, project, grouped):
        code = reason_of(grouped["bills"][0]).name
        adopt(project, grouped["bills"][:1])
        new = [add_call(project, "x"), add_call(project, "y")]
        for call, found in zip(new, (code, ""), strict=True):
            assign_reason(call, {"topic": "x", "contact_reason_code": found}, config_of(project))
        assert reasons_of(new) == [code, "Other"]

        undo(project)

        assert reasons_of(new) == [code, None]
        assert not ContactReason.objects.filter(project=project, name="Other").exists()

    def test_happens_once(self, project, grouped):
        adopt(project, grouped["bills"][:1])
        undo(project)
        change = ReasonChange.objects.get(kind="coded")

        with pytest.raises(ReasonConflict, match="already undone"):
            history.undo_change(change, None)

    @pytest.mark.parametrize("mode", ["open_ended", "predefined"])
    def test_comes_after_later_changes_of_the_settings(self, project, grouped, mode):
        adopt(project, grouped["bills"][:1], mode=mode)
        project = Project.objects.get(pk=project.pk)
        made, version = project.configuration.as_document(), project.config_version
        more = {"mode": mode, "codes": [{"code": "More"}]}
        configure_project(project, {**made, "contact_reasons": more})

        with pytest.raises(ReasonConflict, match=f"Restore version {version}"):
            undo(project)
        assert not list_history([project.pk])[0].can_undo

        configure_project(project, made)
        assert list_history([project.pk])[0].can_undo
        undo(project)
        assert config_of(project).contact_reasons.codes == []

    def test_leaves_other_settings_as_they_are_now(self, project, grouped):
        adopt(project, grouped["bills"][:1])
        project = Project.objects.get(pk=project.pk)
        configure_project(project, {**project.config, "vocabulary": ["Luz"]})

        undo(project)

        assert config_of(project).vocabulary == ["Luz"]

    def test_comes_after_a_later_change_of_the_same_reasons(self, project, grouped):
        adopt(project, grouped["bills"][:1])
        editing.move_calls(reason_of(grouped["bills"][0]), ids(grouped["passwords"][:1]), None)
        change = ReasonChange.objects.get(kind="coded")

        with pytest.raises(ReasonConflict, match="Undo that one first"):
            history.undo_change(change, None)

        undo(project)
        undo(project)
        assert CallReason.objects.count() == len(BILLS + PASSWORDS + SHIPPING)
