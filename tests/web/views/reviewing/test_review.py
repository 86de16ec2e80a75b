"""The page on which a person reviews a call, and what the call's page shows of it."""

import pytest

from callscope.interfaces.web.presenters.reviewing.summary import name_role
from callscope.transcription.models import Transcript
from tests.web.conftest import bring, give_transcript, line, page, visitor_of

ANSWERS = {"answer:greeting": "met", "answer:identity": "met"}


@pytest.fixture
def call(world):
    """The perfect call, with its transcript."""
    give_transcript(world[0], audio=False)
    return world[0]


@pytest.fixture
def share(project):
    """Return a function that gives somebody a role in the project and returns their browser."""
    from callscope.projects.services import share_project

    def give(user, role):
        share_project(project, user, role=role)
        return visitor_of(user)

    return give


def address(call):
    return f"/calls/{call.pk}/review/"


def send(client, call, do="submit", **fields):
    return client.post(address(call), {**ANSWERS, "do": do, **fields})


def reviews(call):
    from callscope.reviews.models import Review

    return list(Review.objects.filter(call=call).order_by("revision"))


def answers_of(review):
    return {row.criterion_id: (row.answer, row.comment, row.quote) for row in review.answers.all()}


def chosen(found):
    radios = found.all("input", type="radio")
    return {a["name"]: a["value"] for a in radios if "checked" in a and a["value"]}


def shown(client, call):
    return page(client.get(f"/calls/{call.pk}/")).text


@pytest.mark.django_db
class TestTheAgentAndTheReason:
    @pytest.fixture
    def reason(self, call):
        from callscope.contact_reasons.models import ContactReason

        return ContactReason.objects.create(project=call.project, name="Moving house")

    def test_are_chosen_from_lists_and_move_the_call(self, as_alice, call, reason):
        from callscope.calls.models import Agent

        before = call.agent.name
        other = Agent.objects.filter(calls__project=call.project).exclude(pk=call.agent_id).first()
        found = page(as_alice.get(address(call)))
        names = [each["name"] for each in found.all("select") if each["name"].startswith("place:")]
        assert names == ["place:agent", "place:contact_reason"]
        assert f"Without a review: {before}" not in found.text

        places = {"place:agent": str(other.pk), "place:contact_reason": str(reason.pk)}
        send(as_alice, call, "draft", **places)
        draft = page(as_alice.get(address(call)))
        assert f"Without a review: {before}" in draft.text
        spanish = page(visitor_of(call.project.owner, headers={"accept-language": "es"}).get(address(call)))
        assert "Sin revisión: ninguno" in spanish.text
        chosen = [each["value"] for each in draft.all("option") if "selected" in each]
        assert chosen == list(places.values())
        send(as_alice, call, review=str(reviews(call)[0].pk), **places)

        call.refresh_from_db()
        assert (call.agent, call.reason.reason) == (other, reason)
        text = shown(as_alice, call)
        assert f"Agent {before} {other.name}" in text and "Moving house" in text
        send(as_alice, call, **{"place:agent": "none"})
        call.refresh_from_db()
        assert call.agent is None

    def test_stay_chosen_in_a_draft_when_the_reason_gets_another_name(self, as_alice, call, reason):
        send(as_alice, call, "draft", **{"place:contact_reason": str(reason.pk)})
        reason.name = "Moves"
        reason.save()

        options = page(as_alice.get(address(call))).all("option")

        assert str(reason.pk) in [each["value"] for each in options if "selected" in each]

    def test_that_are_in_no_list_are_refused_next_to_the_field(self, as_alice, call, reason):
        answer = send(as_alice, call, **{"place:agent": "99", "place:contact_reason": "name:Weather"})

        assert answer.status_code == 400 and reviews(call) == []
        assert page(answer, 400).text.count("This is no longer in the list.") == 2

    def test_tell_that_the_call_was_placed_elsewhere_since(self, as_alice, call, reason):
        from callscope.contact_reasons.models import ContactReason
        from callscope.pipeline.decisions.reason_edits import move_calls

        send(as_alice, call, **{"place:contact_reason": str(reason.pk)})
        later = ContactReason.objects.create(project=call.project, name="Later")

        move_calls(later.pk, [call.pk], call.project.owner)

        assert "This was changed after the review, and the change counts: Contact reason" in shown(
            as_alice, call
        )


@pytest.mark.django_db
class TestForm:
    def test_asks_each_criterion_with_exactly_its_answers(self, as_alice, call):
        found = page(as_alice.get(address(call)))

        choices = {}
        for radio in found.all("input", type="radio"):
            if radio["name"].startswith("finding-"):
                continue
            choices.setdefault(radio["name"], []).append(radio["value"])
        assert choices == {
            "answer:greeting": ["met", "not_met"],
            "answer:identity": ["met", "not_met", "not_applicable"],
        }
        assert chosen(found) == {}
        assert "The agent greets." in found.text
        assert "Good morning, Ana here." in found.text

    @pytest.mark.parametrize("half_heard", [True, False])
    def test_says_in_a_blind_review_too_that_a_transcript_is_unreliable(self, as_alice, call, half_heard):
        quality = {"ok": not half_heard, "reasons": [], "half_heard": half_heard}
        Transcript.objects.filter(file=call.newest_file).update(quality=quality)

        text = page(as_alice.get(f"/calls/{call.pk}/review/")).text

        assert ("so listen to the recording" in text) == half_heard

    def test_hides_the_answers_of_the_machine_in_a_blind_review(self, as_alice, call):
        new = page(as_alice.get(address(call)))
        assert "checked" in new.all("input", name="blind")[0]
        assert "The machine:" not in new.text

        send(as_alice, call, "draft", blind="true")
        assert reviews(call)[0].blind
        assert "The machine:" not in page(as_alice.get(address(call))).text

    def test_shows_them_in_a_draft_that_is_not_blind_which_stays_so(self, as_alice, call):
        send(as_alice, call, "draft")
        found = page(as_alice.get(address(call)))
        assert "The machine: met" in found.text
        assert found.all("input", name="blind") == []

        [draft] = reviews(call)
        send(as_alice, call, "submit", review=draft.pk, blind="true")

        [review] = reviews(call)
        assert (review.state, review.blind) == ("submitted", False)

    def test_says_that_a_call_without_scores_has_nothing_to_review(self, as_alice, project):
        [bare] = bring(project, {**line(9), "copc": None})

        found = page(as_alice.get(address(bare)))

        assert "no scores to review" in found.text
        assert found.all("input", type="radio") == []
        assert send(as_alice, bare).status_code == 409

    def test_names_every_input(self, as_alice, call):
        found = page(as_alice.get(address(call)))

        labeled = {label["for"] for label in found.all("label") if "for" in label}
        texts = [a for tag, a in found.elements if tag == "textarea" or a.get("autocomplete") == "off"]
        assert len(texts) == 11
        assert {each["id"] for each in texts} <= labeled
        assert len(found.all("fieldset")) >= 2
        assert len(found.all("legend")) == len(found.all("fieldset"))


@pytest.mark.django_db
class TestSaving:
    def test_keeps_a_draft_and_goes_on_with_it(self, as_alice, call):
        fields = {
            "answer:identity": "", "comment:greeting": "Warm.\r\nVery.", "quote:greeting": "good morning",
            "comment": "Fine <b>call</b>",
        }  # fmt: skip
        answer = send(as_alice, call, "draft", blind="true", **fields)
        assert answer["Location"] == address(call)

        [draft] = reviews(call)
        assert (draft.state, draft.comment) == ("draft", "Fine <b>call</b>")
        assert answers_of(draft) == {"greeting": ("met", "Warm.\nVery.", "Good morning, Ana here.")}
        found = page(as_alice.get(address(call)))
        assert chosen(found) == {"answer:greeting": "met"}
        assert found.all("input", name="review", value=str(draft.pk))
        assert "Fine <b>call</b>" in found.text

        send(as_alice, call, "submit", review=draft.pk, blind="true")
        [review] = reviews(call)
        assert (review.state, review.blind, review.is_current) == ("submitted", True, True)

    def test_opens_nobody_elses_draft(self, as_alice, call, bob, share):
        as_bob = share(bob, "editor")
        send(as_alice, call, "draft", comment="Mine alone")

        assert "Mine alone" not in page(as_bob.get(address(call))).text

    def test_makes_a_new_revision_after_a_submission(self, as_alice, call):
        send(as_alice, call)
        assert page(as_alice.get(address(call))).all("input", name="review") == []

        send(as_alice, call, **{"answer:greeting": "not_met"})

        assert [(r.revision, r.is_current) for r in reviews(call)] == [(1, False), (2, True)]
        text = shown(as_alice, call)
        assert text.count("replaced by a later one") == text.count("the current one") == 1

    @pytest.mark.parametrize(
        ("state", "is_current", "calibration", "role"),
        [
            ("submitted", True, None, "current"),
            ("submitted", False, None, "replaced"),
            ("submitted", False, 7, "rating"),
            ("draft", False, 7, "rating"),
            ("draft", False, None, ""),
            ("withdrawn", False, None, ""),
        ],
    )
    def test_says_of_each_revision_whether_it_counts(self, state, is_current, calibration, role):
        row = {"state": state, "is_current": is_current, "calibration_id": calibration}

        assert name_role(row) == role

    def test_withdraws_and_keeps_it(self, as_alice, call):
        send(as_alice, call)

        answer = as_alice.post(address(call), {"do": "withdraw", "review": reviews(call)[0].pk})

        assert answer["Location"] == f"/calls/{call.pk}/#review-title"
        assert [r.state for r in reviews(call)] == ["withdrawn"]
        text = shown(as_alice, call)
        assert "The review of this call was withdrawn." in text
        assert "Revision 1, withdrawn: alice@example.com" in text

    def test_is_the_result_of_the_call_at_once(self, as_alice, call):
        send(as_alice, call, **{"answer:greeting": "not_met"})

        assert "20 of 30 points" in shown(as_alice, call)


@pytest.mark.django_db
class TestErrors:
    def refused(self, client, call, do="submit", status=400, **fields):
        before = [(r.pk, r.state) for r in reviews(call)]
        found = page(send(client, call, do, **fields), status)
        assert [(r.pk, r.state) for r in reviews(call)] == before
        assert found.all("div", role="alert")
        assert "Nothing was saved." in found.text
        return found

    def test_stand_next_to_the_field_and_keep_the_input(self, as_alice, call):
        found = self.refused(
            as_alice,
            call,
            **{"quote:greeting": "never said", "comment:identity": "Asked twice", "comment": "So so"},
        )

        [wrong] = [a for a in found.all("input") if a.get("aria-invalid") == "true"]
        assert (wrong["name"], wrong["value"]) == ("quote:greeting", "never said")
        assert found.all("p", id=wrong["aria-describedby"])
        assert "These words are not in the transcript." in found.text
        assert chosen(found) == ANSWERS
        assert "Asked twice" in found.text
        assert "So so" in found.text

    def test_name_a_criterion_without_an_answer(self, as_alice, call):
        found = self.refused(as_alice, call, **{"answer:identity": ""})

        assert found.text.count("Choose an answer.") == 1
        assert "Nothing was saved. 1 criterion has no answer." in found.text
        assert "See the messages next to the fields." not in found.text
        assert f"{len(ANSWERS) - 1} of {len(ANSWERS)} answered" in found.text
        assert not [a for a in found.all("details") if a.get("class") == "more" and "open" in a]
        described = [a.get("aria-describedby", "") for a in found.all("fieldset")]
        assert [each for each in described if "answer-2-error" in each]

    def test_let_no_comment_of_a_draft_get_lost(self, as_alice, call):
        found = self.refused(as_alice, call, "draft", **{"answer:identity": "", "comment:identity": "Hm"})

        assert "so that the comment and the quote are kept" in found.text
        assert "Hm" in found.text

    def test_name_an_answer_that_the_criterion_does_not_allow(self, as_alice, call):
        found = self.refused(as_alice, call, **{"answer:greeting": "not_applicable"})

        assert '"not_applicable" is not an answer to criterion "greeting"' in found.text

    @pytest.mark.parametrize("name", ["comment", "comment:greeting"])
    @pytest.mark.parametrize("text", ["x" * 5001, "a\0b"], ids=["long", "unstorable"])
    def test_name_a_comment_that_cannot_be_kept(self, as_alice, call, name, text):
        found = self.refused(as_alice, call, **{name: text})

        assert [a["name"] for a in found.all("textarea") if a.get("aria-invalid") == "true"] == [name]

    def test_name_a_quote_where_there_is_no_transcript(self, as_alice, world):
        found = self.refused(as_alice, world[0], **{"quote:greeting": "good morning"})

        assert "The call has no transcript to quote from." in found.text

    def test_keep_what_was_typed_into_a_draft_that_was_submitted_meanwhile(self, as_alice, call):
        send(as_alice, call, "draft")
        [draft] = reviews(call)
        send(as_alice, call, "submit", review=draft.pk)

        found = self.refused(as_alice, call, "draft", 409, review=draft.pk, comment="Too late")

        assert "Only a draft can be changed" in found.text
        assert "Too late" in found.text
        assert found.all("input", name="review") == []

    def test_answer_a_button_that_does_not_exist(self, as_alice, call):
        assert as_alice.post(address(call), {"do": "x" * 5000}).status_code == 400
        assert reviews(call) == []

    def test_of_a_review_of_another_call_say_only_that_it_is_not_there(self, as_alice, call, world):
        send(as_alice, world[1])
        [other] = reviews(world[1])

        for do in ("draft", "submit", "withdraw"):
            for named in (other.pk, 10**30, "x", "-1"):
                assert send(as_alice, call, do, review=named).status_code == 404
        assert as_alice.post(address(call), {"do": "withdraw"}).status_code == 404
        assert [r.state for r in reviews(world[1])] == ["submitted"]


@pytest.mark.django_db
class TestAccess:
    def test_is_for_who_may_write(self, call, bob, share):
        assert page(share(bob, "editor").get(address(call))).all("input", type="radio")

    def test_gives_viewers_no_form(self, as_alice, call, bob, share):
        as_bob = share(bob, "viewer")
        send(as_alice, call)

        assert page(as_bob.get(address(call)), 403).all("input", type="radio") == []
        for do in ("draft", "submit", "withdraw"):
            assert send(as_bob, call, do, review=reviews(call)[0].pk).status_code == 403
        assert [r.state for r in reviews(call)] == ["submitted"]
        text = shown(as_bob, call)
        assert "alice@example.com reviewed this call on" in text
        assert "Revisions" not in text
        assert address(call).encode() not in as_bob.get(f"/calls/{call.pk}/").content

    def test_does_not_exist_for_others(self, as_carol, call):
        assert as_carol.get(address(call)).status_code == 404
        assert send(as_carol, call).status_code == 404

    def test_wants_the_token_of_its_form(self, alice, call):
        strict = visitor_of(alice, enforce_csrf_checks=True)

        assert send(strict, call).status_code == 403
        assert reviews(call) == []


@pytest.mark.django_db
class TestCallPage:
    def test_leads_to_the_review(self, as_alice, call):
        assert page(as_alice.get(f"/calls/{call.pk}/")).all("a", href=address(call))

    def test_shows_who_decided_and_where_the_machine_differs(self, as_alice, call):
        send(as_alice, call, blind="true", comment="Good.", **{"answer:identity": "not_applicable"})

        text = shown(as_alice, call)

        assert "alice@example.com reviewed this call on" in text
        assert "revision 1. blind Good." in text
        assert "Verifies the caller met not applicable" in text
        assert (
            "Greets met" not in text.split("Where the person and the machine differ")[1].split("Revisions")[0]
        )
        assert "Revision 1, submitted: alice@example.com" in text

    def test_says_next_to_score_and_answers_that_they_are_a_persons(self, as_alice, call):
        assert "met by a person" not in shown(as_alice, call)
        send(as_alice, call, **{"answer:greeting": "not_met"})

        text = shown(as_alice, call)

        assert "66.7 % 20 of 30 points below by a person; the machine gave 100.0 %" in text
        assert "All of these answers were given by a person." in text  # once, not in each row
        assert "not met 0 / 10" in text

    def test_says_whose_reason_it_is_where_a_person_gave_none(self, as_alice, call):
        assert "The machine:" not in shown(as_alice, call)
        send(as_alice, call)

        assert "The machine: Said at the start." in shown(as_alice, call)

        send(as_alice, call, **{"comment:greeting": "Too late."})
        text = shown(as_alice, call)
        assert "Too late." in text
        assert "The machine: Too late." not in text

    def test_says_which_answers_are_a_persons_where_the_others_are_the_machines(self, as_alice, call):
        scored = call.analyses.get(is_live=True)
        send(as_alice, call, **{"answer:greeting": "not_met"})
        scored.refresh_from_db()
        scored.copc["criterion_scores"][1]["source"] = "machine"  # as of a criterion added since the review
        scored.save()

        text = shown(as_alice, call)

        assert "not met by a person 0 / 10" in text
        assert "met 20 / 20" in text
        assert "All of these answers" not in text

    def test_says_of_an_unreliable_transcript_whose_answers_count(self, as_alice, call):
        quality = {"ok": False, "reasons": ["The mean confidence is 0.20."], "half_heard": True}
        Transcript.objects.filter(file__call=call).delete()
        give_transcript(call, quality=quality)
        machines = shown(as_alice, call)
        send(as_alice, call, **{"answer:greeting": "not_met", "comment:greeting": "Nothing at 0:02."})

        text = shown(as_alice, call)

        assert "so its score can be too high" in machines
        assert "is unreliable, but a person gave every answer that counts." in text
        assert "says-little" not in as_alice.get(f"/calls/{call.pk}/").content.decode()
        assert "too high" not in text
        scored = call.analyses.get(is_live=True)
        scored.copc["criterion_scores"][1]["source"] = "machine"  # as of a criterion added since the review
        scored.save()
        assert "so its score can be too high" in shown(as_alice, call)

    def test_says_that_both_agree(self, as_alice, call):
        send(as_alice, call)

        assert "The person and the machine agree on everything that the person answered." in shown(
            as_alice, call
        )

    def test_says_that_a_review_is_outdated(self, as_alice, call):
        from callscope.reviews.models import Review

        send(as_alice, call)
        Review.objects.filter(call=call).update(outdated_criteria=["greeting"])
        assert "so the answers of the machine count for them: Greets" in shown(as_alice, call)

        Review.objects.filter(call=call).update(is_outdated=True)
        assert "This review is outdated" in shown(as_alice, call)

    def test_says_that_the_machine_counts_where_the_settings_say_so(self, as_alice, call, project):
        from callscope.projects.services import configure_project

        send(as_alice, call)
        configure_project(project, {**project.config, "reviews": {"counts": "machine"}}, project.owner)

        assert "In the settings of the project, the answers of the machine count." in shown(as_alice, call)

    def test_shows_texts_as_texts(self, as_alice, call):
        hostile = "</textarea><script>alert(1)</script>"
        send(as_alice, call, comment=hostile, **{"comment:greeting": hostile})
        refused = send(as_alice, call, **{"quote:greeting": '"><b id=x>', "answer:identity": hostile})

        for answer in (as_alice.get(f"/calls/{call.pk}/"), refused):
            assert b"<script>alert" not in answer.content
            assert b"<b id=x>" not in answer.content

    def test_speaks_spanish(self, as_alice, call):
        send(as_alice, call)
        page(as_alice.get("/calls/?project_id="))  # shows the toast, in English

        for place in (f"/calls/{call.pk}/", address(call)):
            text = page(as_alice.get(place, headers={"accept-language": "es"})).text
            assert "Review" not in text, place
            assert "Revisión" in text, place


FOUND = {
    "finding-answer:mistake:rude": "made",
    "finding-quote:mistake:rude": "good morning",
    "finding-comment:mistake:rude": "Cold.",
    "finding-answer:goal:": "not_reached",
}


@pytest.mark.django_db
class TestFindings:
    """Mistakes, prompts, goal and sentiment in the form, and on the page of the call."""

    @pytest.fixture
    def call(self, call, project):
        from callscope.projects.services import configure_project

        mistakes = [{"id": "rude", "text": "Is rude", "any_of": ["no way"]}]
        protocol = {**project.config["no_protocol"], "mistakes": mistakes}
        configure_project(project, {**project.config, "no_protocol": protocol}, project.owner)
        return call

    def test_are_asked_without_what_the_machine_found(self, as_alice, call):
        found = page(as_alice.get(address(call)))

        asked = {each["name"] for each in found.all("input", type="radio") if "finding" in each["name"]}
        keys = ("mistake:rude", "prompt:recording", "goal:", "sentiment:")
        assert asked == {f"finding-answer:{key}" for key in keys}
        assert "The machine:" not in found.text

    def test_are_not_asked_because_the_machine_found_them_while_it_is_hidden(self, as_alice, call):
        from callscope.analysis.models import CallAnalysis

        analysis = CallAnalysis.objects.get(call=call, is_live=True)
        analysis.no_protocol["mistakes"].append({"id": "gone", "description": "Is late", "quote": ""})
        analysis.save()

        assert "Is late" not in page(as_alice.get(address(call))).text
        send(as_alice, call, "draft")  # without blindness
        assert "Is late" in page(as_alice.get(address(call))).text

    def test_are_kept_in_a_draft_and_count_once_submitted(self, as_alice, call):
        send(as_alice, call, "draft", **FOUND)
        found = page(as_alice.get(address(call)))
        assert chosen(found).items() >= {k: v for k, v in FOUND.items() if "-answer" in k}.items()
        assert "The machine: not made" in found.text
        assert "Cold." in found.text

        send(as_alice, call, review=reviews(call)[0].pk, **FOUND)

        text = shown(as_alice, call)
        assert "Is rude by a person Cold." in text
        assert "Is rude not made made" in text
        assert "Goal reached not reached" in text
        assert "Goal missed by a person" in text

    def test_name_what_is_wrong_next_to_its_field(self, as_alice, call):
        answer = send(as_alice, call, **{**FOUND, "finding-quote:mistake:rude": ""})
        found = page(answer, 400)
        assert [a["name"] for a in found.all("input") if a.get("aria-invalid")] == [
            "finding-quote:mistake:rude"
        ]
        assert "Quote the words that show it." in found.text and "needs evidence" not in found.text
        unsaid = send(as_alice, call, **{**FOUND, "finding-quote:mistake:rude": "nobody said this"})
        assert "not in the transcript. Select those that show it." in page(unsaid, 400).text

        lost = page(send(as_alice, call, **{"finding-comment:goal:": "Hm"}), 400)
        assert "so that the comment and the quote are kept" in lost.text
        wrong = page(send(as_alice, call, **{"finding-answer:goal:": "met"}), 400)
        assert '"met" is not an answer to finding "goal"' in wrong.text
        assert reviews(call) == []

    def test_take_a_comment_for_words_that_an_unreliable_transcript_lacks(self, as_alice, call):
        quality = {"ok": False, "reasons": [], "half_heard": True}
        Transcript.objects.filter(file=call.newest_file).update(quality=quality)
        bare = {**FOUND, "finding-quote:mistake:rude": "", "finding-comment:mistake:rude": ""}

        assert "or a comment that says what is heard and when." in page(as_alice.get(address(call))).text
        found = page(send(as_alice, call, **bare), 400)
        assert "Write here what is heard and when, or quote the words that show it." in found.text
        [wrong] = [each for tag, each in found.elements if each.get("aria-invalid")]
        assert wrong["name"] == "finding-comment:mistake:rude"
        assert found.all("fieldset", **{"data-comment-shows": None})
        unsaid = page(send(as_alice, call, **{**bare, "finding-quote:mistake:rude": "go away"}), 400).text
        assert "or leave this empty and write in the comment what is heard and when." in unsaid
        assert (
            send(as_alice, call, **{**bare, "finding-comment:mistake:rude": "0:21 Go away."}).status_code
            == 302
        )

        assert "Is rude by a person 0:21 Go away." in shown(as_alice, call)

    def test_say_where_a_mistake_needs_a_quote(self, as_alice, call):
        found = page(as_alice.get(address(call)))

        needing = [each for each in found.all("fieldset") if "data-quote-shows" in each]
        assert len(needing) == 1  # of the one mistake, of which the machine quotes nothing

    def test_speak_of_quotes_without_ids(self, as_alice, call):
        answer = send(as_alice, call, **{"quote:greeting": "nobody said this"})

        text = page(answer, 400).text
        assert "These words are not in the transcript. Select them there, or leave this empty." in text
        assert 'criterion "greeting"' not in text


REVEAL = "Show the results; your review will no longer be blind"


@pytest.mark.django_db
class TestBlindness:
    """No review by somebody who saw the results on a page counts as blind."""

    @pytest.fixture
    def drawn(self, call, alice):
        from callscope.reviews.sampling.draw import collect_sample

        collect_sample(call.project, [call.pk], alice)
        return call

    def counted(self, call):
        from callscope.reviews.agreement.blind_pairs import load_blind_pairs

        return len(load_blind_pairs([call.project_id], first=None, after=None))

    def test_hides_the_results_of_a_call_that_waits_for_a_review(self, as_alice, drawn):
        found = page(as_alice.get(f"/calls/{drawn.pk}/"))

        assert REVEAL in found.text and "Scorecard" not in found.text and "100.0" not in found.text
        assert "Blind review" in page(as_alice.get(address(drawn))).text

    def test_hides_them_while_there_is_a_blind_draft(self, as_alice, call):
        send(as_alice, call, "draft", blind="true")

        assert REVEAL in shown(as_alice, call)

    def test_shows_them_to_others(self, as_bob_who_writes, drawn):
        assert REVEAL not in shown(as_bob_who_writes, drawn)

    def test_shows_them_again_once_the_review_is_submitted(self, as_alice, drawn):
        send(as_alice, drawn, blind="true")

        assert REVEAL not in shown(as_alice, drawn)
        assert (reviews(drawn)[0].blind, self.counted(drawn)) == (True, 2)

    def test_ends_by_the_button(self, as_alice, drawn):
        send(as_alice, drawn, "draft", blind="true")

        answer = as_alice.post(f"/calls/{drawn.pk}/results/?sort=score")

        assert answer["Location"] == f"/calls/{drawn.pk}/?sort=score"
        assert REVEAL not in shown(as_alice, drawn)
        found = page(as_alice.get(address(drawn)))
        assert "This review is not blind: you have opened the results of this call." in found.text
        assert "The machine: met" in found.text and found.all("input", name="blind") == []
        send(as_alice, drawn, review=str(reviews(drawn)[0].pk))
        assert (reviews(drawn)[0].blind, self.counted(drawn)) == (False, 0)

    def test_is_not_there_after_the_page_of_the_call_was_read(self, as_alice, call):
        page(as_alice.get(f"/calls/{call.pk}/"))

        assert page(as_alice.get(address(call))).all("input", name="blind") == []

    def test_ends_when_the_call_is_opened_next_to_the_form(self, as_alice, call):
        page(as_alice.get(address(call)))  # blind
        page(as_alice.get(f"/calls/{call.pk}/"))  # in another tab

        answer = as_alice.post(address(call), {**ANSWERS, "do": "submit", "blind": "true"}, follow=True)

        assert "It is not blind: you had opened the results of this call." in page(answer).text
        assert (reviews(call)[0].blind, self.counted(call)) == (False, 0)

    def test_ends_with_the_form_that_corrects_one_answer(self, as_alice, drawn):
        page(as_alice.get(address(drawn) + "?correct=greeting"))

        assert page(as_alice.get(address(drawn))).all("input", name="blind") == []

    def test_of_a_review_by_other_means_does_not_count_either(self, as_alice, call, alice):
        from callscope.pipeline.decisions.review_edits import create_review
        from callscope.reviews.answers import GivenAnswer
        from callscope.reviews.revisions import GivenReview

        page(as_alice.get(f"/calls/{call.pk}/"))
        answers = [GivenAnswer("greeting", "met"), GivenAnswer("identity", "met")]
        create_review(call.pk, GivenReview(answers, blind=True, submits=True), alice)

        assert (reviews(call)[0].blind, self.counted(call)) == (True, 0)

    def test_keeps_the_blind_form_from_leading_to_the_results(self, as_alice, drawn):
        blind = page(as_alice.get(address(drawn)))
        as_alice.post(f"/calls/{drawn.pk}/results/")
        open_ = page(as_alice.get(address(drawn)))

        links = [[a.get("href") for a in each.all("a")] for each in (blind, open_)]
        assert [f"/calls/{drawn.pk}/" in each for each in links] == [False, True]

    def test_shows_them_to_no_viewer_by_the_button(self, share, drawn, carol):
        assert share(carol, "viewer").post(f"/calls/{drawn.pk}/results/").status_code == 403

    def test_is_kept_from_raters_of_an_open_calibration(self, as_alice, call, alice, bob, share):
        from callscope.reviews.calibration.sessions import CalibrationPlan, open_calibration
        from callscope.reviews.reading_records import ResultsRead

        share(bob, "editor")
        open_calibration(call.project, CalibrationPlan([call.pk], [alice.email, bob.email]), alice)

        as_alice.post(f"/calls/{call.pk}/results/")

        assert not ResultsRead.objects.exists()
        assert "You are rating this call" in shown(as_alice, call)

    @pytest.fixture
    def as_bob_who_writes(self, share, bob):
        return share(bob, "editor")
