"""Share links: what people without an account see of a call or a report, and when they see nothing."""

import copy
import dataclasses
import datetime as dt
import re

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from callscope.accounts import organization
from callscope.accounts.models import AuditEvent
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import Agent, AgentUser, Call, ShareLink, UploadedFile
from callscope.calls.share_links import digest, forget_expired_links
from callscope.pipeline.decisions import calibration_edits
from callscope.pipeline.erasure import removal
from callscope.projects import services
from callscope.reports.models import CallFact
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.reviews.reading_records import ResultsRead
from callscope.transcription.models import Transcript
from tests.web.conftest import bring, give_transcript, line, page, remove_results, visitor_of
from tests.web.views.reviewing.test_samples import judge

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

LINK = re.compile(r"http://testserver(/shared/[\w-]{43}/)")
MARCH = "start_date=2026-03-01&end_date=2026-03-31"


@pytest.fixture
def call(world):
    """A call with a caller's number and a transcript."""
    Call.objects.filter(pk=world[1].pk).update(caller_number="+34600111222")
    give_transcript(world[1])
    return Call.objects.get(pk=world[1].pk)


def share(client, query, days=7):
    """Return the address of a new link, as its maker sees it once."""
    answer = client.post(f"/shares/?{query}", {"days": days})
    assert answer.status_code == 200, answer.content[:500]
    return LINK.search(answer.content.decode())[1]


def opens(address):
    answer = Client().get(address)
    assert answer.status_code in (200, 404)
    assert "Ben Okafor" not in answer.content.decode() or answer.status_code == 200
    return answer.status_code == 200


class TestACall:
    def test_is_shown_to_all_who_have_the_link_and_nothing_else_is(self, as_alice, call, world):
        address = share(as_alice, f"call={call.pk}")
        stranger = Client()

        answer = stranger.get(address)

        found = page(answer)
        assert "33.3 % 10 of 30 points" in found.text
        assert "Good morning, Ana here." in found.text
        assert "+34600111222" not in found.text
        assert "+34600111222" in page(as_alice.get(f"/calls/{call.pk}/")).text
        assert [a["href"] for a in found.all("a") if a["href"][0] != "#"] == [f"{address}recording/"]
        assert not found.all("form", method="post")
        assert answer["X-Robots-Tag"] == "noindex, nofollow, noarchive"
        assert answer["Referrer-Policy"] == "no-referrer"
        assert answer["Cache-Control"] == "no-store"
        for closed in (f"/calls/{call.pk}/", f"/calls/{world[0].pk}/", "/shares/"):
            assert stranger.get(closed).status_code == 302

    def test_says_before_sharing_what_is_not_redacted(self, as_alice, call, project):
        form = page(as_alice.get(f"/shares/?call={call.pk}"))
        of_report = page(as_alice.get(f"/shares/?project_id={project.pk}"))
        services.configure_project(project, {**project.config, "redact": ["emails", "phones"]}, project.owner)
        other = page(as_alice.get(f"/shares/?call={call.pk}"))

        assert "This project takes out: Card numbers, Security codes of cards." in form.text
        assert "It leaves in: Other long numbers, E-mail addresses, Phone numbers." in form.text
        assert "Names, addresses and dates of birth are never taken out." in form.text
        assert "takes out: E-mail addresses, Phone numbers." in other.text
        assert "dates of birth" not in of_report.text
        assert not of_report.all("input", name="results_only")

    def test_promises_what_the_call_has(self, as_alice, call):
        address = f"/shares/?call={call.pk}"
        CallAnalysis.objects.filter(call=call).update(custom_questions_state=AnalysisState.FAILED)

        heard = page(as_alice.get(address))
        UploadedFile.objects.filter(call=call).update(file_type="srt")
        text = page(as_alice.get(address))
        UploadedFile.objects.filter(call=call).update(transcript_removed_at=timezone.now())
        results = page(as_alice.get(address))

        assert "People with the link see the recording the transcript the results the name" in heard.text
        assert "Anyone with the link can read and hear what the caller said." in heard.text
        assert "Only the results, without recording, transcript and quotes" in heard.text
        assert "People with the link see the transcript the results the name" in text.text
        assert "People with the link see the results the name" in results.text
        for shown, label in ((text, "Only the results, without transcript and quotes"),
                             (results, "Only the results, without quotes")):  # fmt: skip
            assert "Anyone with the link can read what the caller said." in shown.text
            assert "recording" not in shown.text
            assert label in shown.text

    def test_makes_no_link_that_shows_nothing(self, as_alice, call):
        address = f"/shares/?call={call.pk}"
        remove_results(call.project)

        form = page(as_alice.get(address))
        refused = page(as_alice.post(address, {"days": 7, "results_only": "on"}), 400)

        assert "People with the link see the recording the transcript" in form.text
        assert "the results" not in form.text
        assert not form.all("input", name="results_only")
        assert "The call has no results, so a link to them alone would show nothing." in refused.text
        assert opens(share(as_alice, f"call={call.pk}"))

        Transcript.objects.all().delete()
        UploadedFile.objects.filter(call=call).update(content_removed_at=timezone.now(), storage_key="")
        said = "The call has no recording, no transcript and no results that a link could show."
        form = page(as_alice.get(address))
        assert said in form.text
        assert not form.all("form", action=f"{address}")
        assert said in page(as_alice.post(address, {"days": 7}), 403).text
        assert ShareLink.objects.count() == 1

    def test_says_that_nothing_could_be_judged_and_offers_no_results_alone(self, as_alice, call):
        address = f"/shares/?call={call.pk}"
        analysis = CallAnalysis.objects.get(call=call, is_live=True)
        rows = [{"criterion_id": "greeting", "name": "Greets", "section": "Opening", "reason": "Unclear."}]
        analysis.copc = {"criterion_scores": [], "not_evaluated": rows}
        analysis.insights = {**analysis.insights, "sentiment": None, "goal_reached": None}
        analysis.save()

        form = page(as_alice.get(address))
        refused = page(as_alice.post(address, {"days": 7, "results_only": "on"}), 400)
        analysis.insights |= {"sentiment": "negative"}
        analysis.save()
        with_sentiment = page(as_alice.get(address))

        assert "the transcript no score: nothing could be judged" in form.text
        assert "the results" not in form.text
        assert not form.all("input", name="results_only")
        assert "a link to them alone would show nothing" in refused.text
        assert "nothing could be judged" not in with_sentiment.text
        assert with_sentiment.all("input", name="results_only")

    def test_shows_its_results_alone_where_that_was_chosen(self, as_alice, call):
        file = call.newest_file
        file.status, file.storage_key = "transcribed", default_storage.save("1/x.wav", ContentFile(b"R" * 64))
        file.save()
        analysis = CallAnalysis.objects.get(call=call, is_live=True)
        said = "Rose Ortiz, born on May third"
        for entry in analysis.copc["criterion_scores"]:
            entry |= {
                "quote": f"[00:03] {said}",
                "justification": said,
                "quotes": [{"text": said}],
                "new": said,
            }
        analysis.no_protocol = {
            "mistakes": [{"id": "m", "description": "Dismisses", "quote": said, "justification": said}],
            "missing_prompts": [], "prompts": [],
        }  # fmt: skip
        analysis.insights = {"topic": said, "goal_quote": said, "sentiment": "neutral", "trackers": []}
        analysis.custom_questions = {"answers": {"Who?": {"answer": said, "quotes": [said]}}}
        for part in ("no_protocol", "insights", "custom_questions"):
            setattr(analysis, f"{part}_state", AnalysisState.COMPLETED)
        analysis.save()

        whole = share(as_alice, f"call={call.pk}")
        answer = as_alice.post(f"/shares/?call={call.pk}", {"days": 7, "results_only": "on"})
        address = LINK.search(answer.content.decode())[1]

        assert "Rose Ortiz" in page(Client().get(whole)).text
        found = page(Client().get(address))
        for hidden in ("Rose", "Good morning, Ana here."):
            assert hidden not in Client().get(address).content.decode()
        for shown in ("33.3 % 10 of 30 points", "Dismisses", "What was said in the call is not shared"):
            assert shown in found.text
        assert Client().get(f"{address}recording/").status_code == 404
        assert Client().get(f"{whole}recording/").getvalue() == b"R" * 64
        assert "only the results" in page(as_alice.get("/shares/")).text
        analysis.refresh_from_db()
        assert analysis.insights["topic"] == said

    def test_says_that_its_transcript_is_unreliable_and_shows_no_review(self, as_alice, alice, call):
        transcript = call.newest_file.transcript
        transcript.quality = {"ok": False, "reasons": ["The mean confidence is 0.20."], "half_heard": True}
        transcript.save()
        CallFact.objects.filter(call=call).update(half_heard=True)
        whole = share(as_alice, f"call={call.pk}")
        sent = as_alice.post(f"/shares/?call={call.pk}", {"days": 7, "results_only": "on"})
        addresses = (whole, LINK.search(sent.content.decode())[1])
        machines = [page(Client().get(address)) for address in addresses]
        judge(call, alice, "met")
        CallFact.objects.filter(call=call).update(half_heard=True)

        found = [page(Client().get(address)) for address in addresses]
        spanish = page(Client(headers={"accept-language": "es"}).get(whole)).text

        for shown in machines:
            assert "is unreliable. Only phrases found in it word for word were judged" in shown.text
        for shown in found:
            assert "is unreliable, but a person gave every answer that counts." in shown.text
            assert "too high" not in shown.text
            assert "by a person" in shown.text
            assert "the machine gave" not in shown.text
        assert ["The call has no contact reason." in each.text for each in found] == [False, False]
        assert ["The mean confidence is 0.20." in each.text for each in found] == [True, False]
        assert [a["href"] for a in found[0].all("a") if a["href"][0] != "#"] == [f"{whole}recording/"]
        assert "by a person; the machine gave 33.3" in page(as_alice.get(f"/calls/{call.pk}/")).text
        assert "es poco fiable, pero" in spanish
        assert "por una persona" in spanish

    def test_plays_in_ranges_from_the_link_alone(self, as_alice, call):
        file = call.newest_file
        file.status, file.storage_key = (
            "transcribed",
            default_storage.save("1/heard.wav", ContentFile(b"R" * 64)),
        )
        file.save()
        address = share(as_alice, f"call={call.pk}")

        part = Client().get(f"{address}recording/", headers={"range": "bytes=0-3"})

        assert (part.status_code, b"".join(part.streaming_content)) == (206, b"RRRR")
        assert part["Referrer-Policy"] == "no-referrer"
        assert Client().get(f"/api/files/{file.pk}/content/").status_code == 401
        assert (
            Client().get(share(as_alice, f"project_id={call.project_id}") + "recording/").status_code == 404
        )

    def test_hides_its_answers_while_the_maker_rates_it(self, as_alice, alice, call):
        from callscope.pipeline.decisions.calibration_edits import open_calibration
        from callscope.reviews.calibration.sessions import CalibrationPlan

        address = share(as_alice, f"call={call.pk}")
        open_calibration(call.project_id, CalibrationPlan([call.pk], [alice.email]), alice)

        shown = page(Client().get(address)).text

        assert "hidden while people rate it" in shown
        assert "10 of 30 points" not in shown


class TestACallToReview:
    """A shared page goes around no review of who opens it signed in."""

    @pytest.fixture
    def address(self, as_alice, alice, bob, project, call):
        services.share_project(project, bob, role="editor")
        address = share(as_alice, f"call={call.pk}")
        sent = {"per_agent": "50", "uncertain_pct": "0", "reviewer": [bob.email]}
        assert as_alice.post(f"/projects/{project.pk}/samples/", sent).status_code == 302
        return address

    def test_is_shown_to_its_reviewer_only_after_saying_so(self, address, bob, call):
        as_bob = visitor_of(bob)

        first = page(as_bob.get(address))
        assert "Its results are hidden until you submit the review" in first.text
        assert "Greets" not in first.text
        assert not ResultsRead.objects.filter(user=bob).exists()

        answer = as_bob.post(f"/calls/{call.pk}/results/", {"shared": address.split("/")[-2]})
        assert answer.url == address
        assert ResultsRead.objects.filter(user=bob, call=call).exists()
        assert "Greets" in page(as_bob.get(address)).text
        assert "This review is not blind" in page(as_bob.get(f"/calls/{call.pk}/review/")).text

    def test_is_not_shown_to_who_rates_it(self, address, bob, alice, project, call):
        plan = CalibrationPlan([call.pk], [bob.email])
        calibration_edits.open_calibration(project.pk, plan, alice)

        shown = page(visitor_of(bob).get(address))

        assert "You are rating this call in a calibration." in shown.text
        assert "Greets" not in shown.text

    def test_is_shown_to_all_others_at_once(self, address, as_alice):
        assert "Greets" in page(Client().get(address)).text
        assert "Greets" in page(as_alice.get(address)).text

    def test_is_known_to_who_read_it_before_it_was_drawn(self, as_alice, alice, call):
        page(as_alice.get(share(as_alice, f"call={call.pk}")))

        assert ResultsRead.objects.filter(user=alice, call=call).exists()


class TestList:
    def test_says_which_period_a_report_is_of_and_leads_to_it(self, as_alice, alice, project):
        for days in ({}, {"start_date": dt.date(2026, 3, 2), "end_date": dt.date(2026, 3, 8)}):
            ShareLink.objects.create(
                project=project,
                created_by=alice,
                created_at=timezone.now(),
                expires_at=timezone.now() + dt.timedelta(days=7),
                token_digest=digest(str(days)),
                **days,
            )

        found = page(as_alice.get("/shares/"))

        assert "Report, all time" in found.text
        assert "Report, Mar 2, 2026 – Mar 8, 2026" in found.text
        assert found.all("a", href=f"/report/?project_id={project.pk}")
        assert found.all(
            "a", href=f"/report/?project_id={project.pk}&start_date=2026-03-02&end_date=2026-03-08"
        )


class TestAReport:
    def test_offers_the_period_on_the_screen_and_others(self, as_alice, project):
        address = f"/shares/?project_id={project.pk}&start_date=2026-01-01&end_date=2026-01-31"

        shown = page(as_alice.get(address))

        assert shown.all("input", name="start_date", value="2026-01-01")
        assert shown.all("input", name="end_date", value="2026-01-31")
        assert shown.all("a", href=f"/shares/?project_id={project.pk}&date_range=last_90_days")
        assert not shown.all("a", **{"aria-current": "true"})
        preset = f"/shares/?project_id={project.pk}&date_range=last_90_days"
        assert page(as_alice.get(preset)).all("a", href=preset)[0]["aria-current"] == "true"
        assert "names of agents and callers" in shown.text
        assert "Days of time zone" in shown.text

    def test_leads_back_with_its_period_before_and_after_it_is_shared(self, as_alice, project):
        for days in (MARCH, "date_range=last_90_days"):
            query = f"project_id={project.pk}&{days}"
            asked = page(as_alice.get(f"/shares/?{query}"))
            made = page(as_alice.post(f"/shares/?{query}", {"days": 7, "start_date": "2026-01-01"}))

            for shown in (asked, made):
                assert "Back to the report" in shown.text
                assert shown.all("a", href=f"/report/?{query}")
        assert "Back to the report" not in page(as_alice.get("/shares/")).text

    def test_of_days_without_calls_warns_when_it_is_shared(self, as_alice, project, world):
        said = "There are no calls with results on these days yet."
        address = f"/shares/?project_id={project.pk}&{MARCH}"
        february = {"days": 7, "start_date": "2026-02-01", "end_date": "2026-02-28"}

        assert said not in page(as_alice.get(address)).text
        assert said not in page(as_alice.post(address, {"days": 7})).text
        assert said in page(as_alice.post(address, february)).text
        empty = f"/shares/?project_id={project.pk}&start_date=2020-01-01&end_date=2020-01-02"
        assert said in page(as_alice.get(empty)).text

    def test_shows_the_days_that_were_chosen(self, as_alice, project):
        address = f"/shares/?project_id={project.pk}&start_date=2026-01-01&end_date=2026-01-31"

        wrong = {"days": 7, "start_date": "2026-03-02", "end_date": "2026-03-01"}
        said = "The last day (Mar 1, 2026) is before the first (Mar 2, 2026)."
        assert said in page(as_alice.post(address, wrong), 400).text
        assert not ShareLink.objects.exists()
        made = as_alice.post(address, wrong | {"start_date": "2026-02-01"})
        all_time = as_alice.post(address, {"days": 7, "start_date": "", "end_date": ""})

        assert "Report, Feb 1, 2026 – Mar 1, 2026" in page(made).text
        assert all_time.status_code == 200
        days = ShareLink.objects.order_by("pk").values_list("start_date", "end_date")
        assert list(days) == [(dt.date(2026, 2, 1), dt.date(2026, 3, 1)), (None, None)]

    def test_shows_figures_without_calls_agents_or_rare_reasons(self, as_alice, project):
        moment = "2026-03-10T10:00:00+00:00"
        bring(project, *[line(n, call_datetime=moment, topic="late fee") for n in range(1, 13)])
        bring(project, line(30, topic="my words alone", call_datetime="2026-04-10T10:00:00+00:00"))
        query = f"project_id={project.pk}"

        march, ever = (page(Client().get(share(as_alice, q))) for q in (f"{query}&{MARCH}", query))

        assert "Calls 12" in march.text
        assert "Calls 13" in ever.text
        assert "late fee 12" in ever.text
        for found in (march, ever):
            assert "Ana Ruiz" not in found.text
            assert "my words alone" not in found.text
            assert not [a["href"] for a in found.all("a") if a["href"][0] != "#"]

    def test_has_the_caveats_of_the_report(self, as_alice, project, world):
        bring(project, line(20, call_datetime="2026-02-20T10:00:00+00:00"))
        CallFact.objects.filter(call=world[0]).update(half_heard=True)
        query = f"project_id={project.pk}&{MARCH}"

        text = page(Client().get(share(as_alice, query))).text

        signed_in = page(as_alice.get(f"/report/?{query}")).text
        for caveat in ("1 call has an unreliable transcript.", "Too few calls to say what changed"):
            assert caveat in signed_in
            assert caveat in text
        assert "Days of time zone UTC." in text
        assert "have unreliable" not in text

    def test_says_how_many_calls_people_reviewed(self, as_alice, alice, project, world):
        query = f"project_id={project.pk}&{MARCH}"
        before = page(Client().get(share(as_alice, query))).text
        judge(world[0], alice, "met")

        text = page(Client().get(share(as_alice, query))).text

        assert "Reviewed by people" not in before
        assert "Reviewed by people 1 of 3 calls" in text

    def test_names_failed_calls_by_their_number_alone(self, as_alice, project, world):
        CallAnalysis.objects.filter(call=world[1]).update(insights_state=AnalysisState.FAILED)

        html = Client().get(share(as_alice, f"project_id={project.pk}")).content.decode()

        assert "1 call could not be analyzed, or only in part." in html
        assert "call-2.wav" not in html

    def test_says_why_it_names_no_contact_reasons(self, as_alice, project, world):
        found = page(Client().get(share(as_alice, f"project_id={project.pk}")))

        assert "outage" not in found.text
        assert "No contact reason has 10 calls yet." in found.text

    def test_has_its_weeks_next_to_many_criteria(self, as_alice, alice, project, world):
        address = share(as_alice, f"project_id={project.pk}")
        of_few = Client().get(address).content.decode()
        document = copy.deepcopy(project.config)
        opening = document["rubric"]["sections"][0]["criteria"]
        opening += [{**opening[0], "id": f"more-{n}", "name": f"More {n}"} for n in range(8)]
        services.configure_project(project, document, by=alice)

        of_many = Client().get(address).content.decode()

        few, many = (
            html.split('<div class="beside">')[1].split("</div></div>\n") for html in (of_few, of_many)
        )
        assert '<div class="columns">' not in of_few  # no reason is named, and the weeks take the width
        assert ('id="trend-title"' in few[0], 'id="trend-title"' in "".join(few[1:])) == (False, True)
        assert '<div class="columns">' in of_many
        assert 'id="trend-title"' in many[0]

    def test_draws_criteria_as_the_report_does_next_to_the_targets_of_the_project(self, as_alice, project):
        project.config = {**project.config, "targets": {"average_score": 99}}
        project.save()
        bring(project, *[line(n, greeting=5, applies=n > 2) for n in range(1, 13)])

        answer = Client().get(share(as_alice, f"project_id={project.pk}"))

        html = answer.content.decode()
        assert "Target 99\u00a0%: missed by" in html
        assert "on target" not in html.split('<div class="tile hero"')[1].split("</div>")[0]
        row = page(answer).text.split("Verifies the caller")[1]
        assert row.startswith(" 100.0 10 ")  # where it applies
        assert html.count('<circle class="now"') == 3  # the legend and two criteria

    def test_says_so_where_no_call_lies_in_its_days(self, as_alice, project, world):
        address = share(as_alice, f"project_id={project.pk}&start_date=2020-01-01&end_date=2020-01-02")

        assert "There are no calls on these days" in page(Client().get(address)).text


class TestALink:
    @pytest.mark.parametrize("query", ["call={call}", "project_id={project}"])
    def test_says_who_made_it_when_and_in_which_zone_it_ends(self, as_alice, call, settings, query):
        settings.TIME_ZONE = "Europe/Madrid"
        query = query.format(call=call.pk, project=call.project_id)
        form = page(as_alice.get(f"/shares/?{query}")).text
        address = share(as_alice, query)
        made, ends = (dt.datetime(year, 6, 9, 22, 30, tzinfo=dt.UTC) for year in (2026, 2199))
        ShareLink.objects.update(created_at=made, expires_at=ends)

        shown = page(Client().get(address)).text
        organization.set_name("Acme")
        of_acme = page(Client().get(address)).text
        form_of_acme = page(as_alice.get(f"/shares/?{query}")).text

        assert "Shared with a link by alice@example.com on Jun 10, 2026. The link is valid until" in shown
        assert "Jun 10, 2199 00:30 (Europe/Madrid) unless it is revoked." in shown
        assert "by alice@example.com (Acme) on Jun 10, 2026." in of_acme
        assert "who shared it and on which day, to have somebody to ask: alice@example.com They" in form
        assert "to have somebody to ask: alice@example.com (Acme) They" in form_of_acme

    def test_that_no_longer_works_names_nobody(self, as_alice, alice, call):
        expired, revoked = (share(as_alice, f"call={call.pk}") for _ in range(2))
        first, second = ShareLink.objects.order_by("pk")
        ShareLink.objects.filter(pk=first.pk).update(expires_at=timezone.now())
        as_alice.post(f"/shares/{second.pk}/revoke/")

        gone = {Client().get(each).content.decode() for each in (expired, revoked, f"/shared/{'a' * 43}/")}

        assert len({re.sub(r'(?<="X-CSRFToken": ")\w+', "", each) for each in gone}) == 1
        assert not any(alice.email in each for each in gone)

    def test_says_how_it_is_made_and_leads_back_to_its_call(self, as_alice, call):
        hint = "To make a link, open a report or a call and choose Share."

        assert hint in page(as_alice.get("/shares/")).text
        made = page(as_alice.post(f"/shares/?call={call.pk}", {"days": 7}))
        assert hint not in made.text
        assert f"Back to {call.file_name}" in made.text
        assert made.all("a", href=f"/calls/{call.pk}/")

    def test_is_shown_once_and_stored_as_a_hash(self, as_alice, call):
        address = share(as_alice, f"call={call.pk}")

        token = address.split("/")[2]
        assert ShareLink.objects.get().token_digest == digest(token) != token
        assert token not in as_alice.get("/shares/").content.decode()

    def test_ends_by_itself(self, as_alice, call):
        address = share(as_alice, f"call={call.pk}", days=1)
        link = ShareLink.objects.get()
        assert dt.timedelta(hours=23) < link.expires_at - timezone.now() <= dt.timedelta(days=1)
        assert opens(address)

        ShareLink.objects.update(expires_at=timezone.now())

        assert not opens(address)
        assert forget_expired_links(now=timezone.now()) == 1

    def test_ends_when_its_maker_or_a_manager_revokes_it(self, as_alice, bob, call):
        services.share_project(call.project, bob, "editor")
        as_bob = visitor_of(bob)
        addresses = [share(as_bob, f"call={call.pk}"), share(as_bob, f"project_id={call.project_id}")]
        first, second = ShareLink.objects.order_by("pk").values_list("pk", flat=True)
        assert as_alice.get(f"/shares/{first}/revoke/").status_code == 405

        as_bob.post(f"/shares/{first}/revoke/")
        as_alice.post(f"/shares/{second}/revoke/")

        assert not any(map(opens, addresses))
        assert as_bob.post(f"/shares/{first}/revoke/").status_code == 404

    def test_of_others_is_neither_listed_nor_revoked(self, as_alice, as_carol, bob, call):
        services.share_project(call.project, bob, "editor")
        address = share(as_alice, f"call={call.pk}")

        for client in (as_carol, visitor_of(bob)):
            assert call.file_name not in page(client.get("/shares/")).text
            assert client.post(f"/shares/{ShareLink.objects.get().pk}/revoke/").status_code == 404
        assert opens(address)

    @pytest.mark.parametrize("lost", ["role", "share", "account", "private project", "private file", "call"])
    def test_ends_with_the_right_to_make_it(self, bob, call, lost):
        services.share_project(call.project, bob, "editor")
        address = share(visitor_of(bob), f"call={call.pk}")
        assert opens(address)

        if lost == "role":
            services.share_project(call.project, bob, "viewer")
        elif lost == "share":
            services.unshare_project(call.project, bob)
        elif lost == "account":
            bob.is_active = False
            bob.save()
        elif lost == "private project":
            call.project.config = {**call.project.config, "private_transcription": True}
            call.project.save()
        elif lost == "private file":
            call.files.update(is_private=True)
        else:
            removal.erase_call(call)
            assert not ShareLink.objects.exists()

        assert not opens(address)
        assert lost != "share" or call.file_name not in page(visitor_of(bob).get("/shares/")).text

    def test_is_made_by_who_may_change_the_project_alone(self, as_alice, as_carol, carol, bob, call):
        services.share_project(call.project, bob, "viewer")
        linked = AgentUser.objects.create(
            created_at=timezone.now(),
            project=call.project,
            email=carol.email,
            agent=Agent.objects.get(pk=call.agent_id),
        )
        asked = (f"call={call.pk}", f"project_id={call.project_id}")

        for query in asked:
            assert (
                "Ask alice@example.com for the role of editor"
                in page(visitor_of(bob).get(f"/shares/?{query}")).text
            )
            assert visitor_of(bob).post(f"/shares/?{query}", {"days": 7}).status_code == 403
            assert as_carol.post(f"/shares/?{query}", {"days": 7}).status_code == 404
        assert linked.agent_id and as_carol.get(f"/calls/{call.pk}/").status_code == 200
        assert not ShareLink.objects.exists()

    @pytest.mark.parametrize(
        "query",
        [
            "call=x",
            f"call={10**17}",
            "call=-1",
            "project_id=0",
            "project_id=a",
            "",
            "project_id={project}&start_date=x",
        ],
    )
    def test_to_nothing_is_not_made(self, as_alice, project, query):
        assert as_alice.post(f"/shares/?{query.format(project=project.pk)}", {"days": 7}).status_code == 404

    @pytest.mark.parametrize("days", ["", "0", "-1", "31", "x", "7\x00", "9" * 40])
    def test_opens_for_the_days_that_are_offered_alone(self, as_alice, call, days):
        assert as_alice.post(f"/shares/?call={call.pk}", {"days": days}).status_code == 400
        assert not ShareLink.objects.exists()

    @pytest.mark.parametrize("token", ["x", "a" * 43, "%00", "é" * 300, "..%2F.."])
    def test_that_was_never_made_opens_nothing(self, db, token):
        for address in (f"/shared/{token}/", f"/shared/{token}/recording/"):
            answer = Client().get(address)
            assert answer.status_code == 404
            assert Client().post(address).status_code in (404, 405)
        assert Client().get("/shared/x/")["X-Robots-Tag"]

    def test_is_limited_by_the_address_of_who_opens_it(self, as_alice, call, settings):
        import dataclasses

        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, rate_limit="3/hour")
        address = f"/shared/{'a' * 43}/"

        statuses = [Client(REMOTE_ADDR="203.0.113.7").get(address).status_code for _ in range(5)]

        assert statuses == [404] * 3 + [429] * 2
        assert Client(REMOTE_ADDR="203.0.113.8").get(address).status_code == 404

    def test_leaves_its_making_opening_and_end_in_the_audit_trail(self, as_alice, call, monkeypatch):
        noted = []
        monkeypatch.setattr(
            "callscope.interfaces.web.views.sharing.shared.note_once",
            lambda actor, action, subject, **detail: noted.append((actor, action, subject)),
        )

        Client().get(share(as_alice, f"call={call.pk}"))
        as_alice.post(f"/shares/{ShareLink.objects.get().pk}/revoke/")

        assert noted == [(None, "share_link.opened", f"call {call.pk}")]
        events = AuditEvent.objects.filter(action__startswith="share_link", subject=f"call {call.pk}")
        assert [(event.action, event.actor.email) for event in events.order_by("pk")] == [
            ("share_link.created", "alice@example.com"),
            ("share_link.revoked", "alice@example.com"),
        ]


class TestTurnedOff:
    @pytest.fixture
    def turn(self, settings):
        """Return a function that turns share links on or off, as CALLSCOPE_SHARE_LINKS does."""

        def change(is_on):
            settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, share_links=is_on)

        return change

    def test_no_link_is_made_or_offered(self, as_alice, call, project, turn):
        turn(False)

        assert as_alice.post(f"/shares/?call={call.pk}", {"days": 7}).status_code == 403
        assert not ShareLink.objects.exists()
        shown = page(as_alice.get(f"/shares/?call={call.pk}"))
        assert shown.text.count("has turned share links off") == 1
        assert not shown.all("button", text="Create link")
        for path in (f"/calls/{call.pk}/", f"/report/?project_id={project.pk}"):
            assert "/shares/?" not in as_alice.get(path).content.decode()

    def test_no_link_opens_until_they_are_turned_on_again(self, as_alice, call, turn):
        address = share(as_alice, f"call={call.pk}")
        assert opens(address)

        turn(False)
        assert not opens(address)

        turn(True)
        assert opens(address)
