"""Projects, people, files, teams, keys, usage, the account and the first steps."""

import datetime as dt
import re

import pytest
from django.contrib.messages import get_messages
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.interfaces.web import project_access
from callscope.interfaces.web.views.upload import list_states
from callscope.projects.models import Project
from tests.web.conftest import bring, give_transcript, line, page, remove_results, visitor_of
from tests.web.views.test_upload import upload


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def as_bob(bob):
    return visitor_of(bob)


def share_with(project, user, role="viewer"):
    from callscope.projects.services import share_project

    return share_project(project, user, role)


def said(answer):
    return [str(message) for message in get_messages(answer.wsgi_request)]


@pytest.mark.django_db
class TestNewProject:
    FIELDS = {"name": "Support", "type": "call", "start": "starter"}

    def test_starts_from_the_starter_rubric_in_the_language_of_the_page(self, as_alice, alice):
        as_alice.post("/projects/new/", self.FIELDS, headers={"accept-language": "es"})

        project = alice.projects.get()
        assert project.configuration.language == "es"
        assert project.configuration.rubric.criteria()

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_has_a_starter_that_the_rules_can_judge_whole(self, language):
        from callscope.interfaces.web.settings_parts.starts import load_starter
        from callscope.projects.configuration import parse

        config = parse(load_starter(language))
        assert config.language == language
        assert config.rubric.total_points == 100
        for _, criterion in config.rubric.criteria():
            assert criterion.rule
            assert not criterion.rule.is_empty

    def test_finds_the_language_by_itself_where_the_rubric_is_empty(self, as_alice, alice):
        as_alice.post("/projects/new/", self.FIELDS | {"start": "empty"})

        assert alice.projects.get().configuration.language == "auto"

    def test_ignores_the_rubric_where_nothing_is_judged(self, as_alice, alice, project):
        for start in ("starter", f"copy-{project.pk}", "copy-999"):
            as_alice.post("/projects/new/", self.FIELDS | {"name": start, "type": "general", "start": start})

        made = [each.configuration for each in alice.projects.filter(type="general")]
        assert [(each.rubric.criteria(), each.language) for each in made] == [([], "auto")] * 3
        shown = page(as_alice.get("/projects/new/"))
        names = [a["name"] for a in shown.all("select") if a["name"] in ("type", "start")]
        assert names == ["type", "start"]
        assert "For customer calls: other recordings are not judged." in shown.text

    def test_can_copy_the_settings_of_another(self, as_alice, alice, project):
        as_alice.post("/projects/new/", self.FIELDS | {"start": f"copy-{project.pk}"})

        assert alice.projects.get(name="Support").config == project.config

    def test_cannot_copy_what_is_not_visible(self, as_carol, carol, project):
        answer = as_carol.post("/projects/new/", self.FIELDS | {"start": f"copy-{project.pk}"})

        assert answer.status_code == 400
        assert not carol.projects.exists()

    def test_takes_only_teams_of_the_visitor(self, as_alice, alice, carol):
        from callscope.accounts.services import create_team

        team = create_team("Elsewhere", admin=carol)

        assert as_alice.post("/projects/new/", self.FIELDS | {"team": team.pk}).status_code == 400
        assert not alice.projects.exists()

    @pytest.mark.parametrize("name", ["", "   ", "x" * 256, "a\x00b"])
    def test_says_what_is_wrong_with_a_name(self, as_alice, alice, name):
        found = page(as_alice.post("/projects/new/", self.FIELDS | {"name": name}), 400)

        assert found.all("p", id="id_name_error")
        assert not alice.projects.exists()


class TestProjects:
    def test_say_when_the_latest_file_came_and_lead_to_the_report(self, as_alice, project):
        assert "No file has been uploaded yet" in as_alice.get("/projects/").content.decode()

        upload(as_alice, project)

        shown = page(as_alice.get("/projects/"))
        assert "No file has been uploaded yet" not in shown.text
        assert shown.all("a", href=f"/report/?project_id={project.pk}")

    def test_break_the_address_of_the_owner_before_its_host(self, as_alice, project):
        assert "alice<wbr>@example.com" in as_alice.get("/projects/").content.decode()

    def test_leave_out_one_that_is_deleted_while_they_are_read(self, as_alice, alice, project, monkeypatch):
        gone = Project.objects.create(name="Gone", owner=alice)
        read = project_access.list_projects

        def read_and_delete(request):
            found = read(request)
            Project.objects.filter(pk=gone.pk).delete()
            return found

        monkeypatch.setattr(project_access, "list_projects", read_and_delete)

        shown = page(as_alice.get("/projects/"))

        assert project.name in shown.text
        assert "Gone" not in shown.text


@pytest.mark.django_db
class TestPeople:
    def test_lets_the_owner_share_and_take_back(self, as_alice, as_bob, bob, project):
        address = f"/projects/{project.pk}/people/"
        as_alice.post(address, {"email": "Bob@example.com", "role": "editor"})
        assert not project.shares.exists()
        as_bob.post(f"/invitations/{project.invitations.get().pk}/", {"do": "accept"})
        assert project.shares.get().role == "editor"
        assert "bob@example.com" in page(as_alice.get(address)).text

        as_alice.post(f"{address}{bob.pk}/")
        assert not project.shares.exists()
        assert as_bob.get(address).status_code == 404

    @pytest.mark.parametrize(
        "fields",
        [
            {"email": "alice@example.com", "role": "viewer"},
            {"email": "bob@example.com", "role": "owner"},
            {"email": "bob", "role": "viewer"},
            {"email": "a\x00@example.com", "role": "viewer"},
        ],
    )
    def test_says_why_a_share_is_not_possible(self, as_alice, bob, project, fields):
        found = page(as_alice.post(f"/projects/{project.pk}/people/", fields), 400)

        assert [a for a in found.all("p") if a.get("class") == "error"]
        assert not project.shares.exists()

    @pytest.mark.parametrize("role", ["viewer", "editor"])
    def test_is_only_for_owners_and_admins_to_change(self, as_bob, bob, carol, project, role):
        share_with(project, bob, role)
        address = f"/projects/{project.pk}/"

        for part, fields in [
            ("people/", {"email": "carol@example.com", "role": "viewer"}),
            (f"people/{bob.pk}/", {}),
            ("name/", {"name": "Mine"}),
            ("delete/", {"name": project.name}),
        ]:
            assert as_bob.post(address + part, fields).status_code == 403
        project.refresh_from_db()
        assert project.name == "Service line"
        forms = page(as_bob.get(address + "people/")).all("form")
        assert not [form for form in forms if "/people/" in form.get("action", "")]

    @pytest.mark.parametrize("role", ["viewer", "editor"])
    def test_lets_a_person_leave(self, as_bob, bob, carol, project, role):
        share_with(project, bob, role)
        share_with(project, carol, role)
        shown = page(as_bob.get(f"/projects/{project.pk}/people/"))

        answer = as_bob.post(f"/projects/{project.pk}/leave/")

        [button] = [
            each for each in shown.all("button") if "Leave the project" in each.get("data-confirm", "")
        ]
        assert f"You lose your access as {role.capitalize()}" in button["data-confirm"]
        assert answer["Location"] == "/projects/"
        assert "You have left the project “Service line”." in page(as_bob.get("/projects/")).text
        assert [each.user for each in project.shares.all()] == [carol]
        assert AuditEvent.objects.filter(action="project.left", actor=bob).count() == 1
        assert as_bob.post(f"/projects/{project.pk}/leave/").status_code == 404

    def test_keeps_the_owner(self, as_alice, project):
        shown = page(as_alice.get(f"/projects/{project.pk}/people/"))

        said = page(as_alice.post(f"/projects/{project.pk}/leave/", follow=True)).text

        assert not shown.all("form", action=f"/projects/{project.pk}/leave/")
        assert "You own this project or administer its team" in said
        assert not AuditEvent.objects.filter(action="project.left").exists()

    def test_names_each_person_once_with_all_that_gives_access(self, as_alice, alice, bob, project):
        from callscope.accounts.services import add_team_member, create_team

        team = create_team("Quality", admin=alice)
        add_team_member(team, bob, admin=True)
        share_with(project, bob, "viewer")
        project.team = team
        project.save(update_fields=["team"])

        found = page(as_alice.get(f"/projects/{project.pk}/people/"))

        assert "Person Role Actions alice@example.com Owner · Admin of the team Quality" in found.text
        assert "bob@example.com Admin of the team Quality · Viewer Remove" in found.text
        assert [text.strip() for text in found.texts].count("bob@example.com") == 1

    def test_renames_the_project(self, as_alice, project):
        as_alice.post(f"/projects/{project.pk}/name/", {"name": "  New   name "})

        project.refresh_from_db()
        assert project.name == "New name"

    def test_shows_what_is_wrong_with_a_name(self, as_alice, project):
        found = page(as_alice.post(f"/projects/{project.pk}/name/", {"name": " "}), 400)

        assert [a for a in found.all("p") if a.get("class") == "error"]

    def test_deletes_only_after_the_name_was_typed(self, as_alice, alice, project):
        address = f"/projects/{project.pk}/delete/"
        refused = page(as_alice.post(address, {"name": "something"}), 400)
        assert (
            f"Nothing was deleted: “something” is not the name of the project, “{project.name}”."
            in refused.text
        )
        assert refused.all("input", id="d-name", value="something")[0]["aria-describedby"] == "d-name-error"
        assert alice.projects.exists()

        as_alice.post(address, {"name": project.name})
        assert not alice.projects.exists()


@pytest.mark.django_db
class TestFiles:
    def test_lists_them_with_their_state(self, as_alice, project):
        upload(as_alice, project)

        found = page(as_alice.get(f"/projects/{project.pk}/files/"))

        assert "a.srt" in found.text
        assert "Waiting" in found.text
        assert re.search(r"Files File name", found.text)
        assert re.search(r"Size .* a\.srt .* \d+\sbytes", found.text)

    def test_are_found_by_name_and_state(self, as_alice, project):
        upload(as_alice, project, "one.srt")
        upload(as_alice, project, "two.srt")

        assert "two.srt" not in page(as_alice.get(f"/projects/{project.pk}/files/?search=ONE")).text
        assert "No file matches" in page(as_alice.get(f"/projects/{project.pk}/files/?state=failed")).text

    def test_are_found_by_the_state_that_their_row_says(self, as_alice, project):
        from callscope.analysis.models import AnalysisState

        made = upload(as_alice, project, "one.srt")
        project.files.update(status="transcribed")
        project.analyses.update(copc_state=AnalysisState.COMPLETED, insights_state=AnalysisState.COMPLETED)
        project.analyses.update(no_protocol_state=None, custom_questions_state=None)

        analyzed = page(as_alice.get(f"/projects/{project.pk}/files/?state=done")).text

        assert made["original_filename"] in analyzed
        assert "State All Failed Waiting Being transcribed Being analyzed Analyzed" in analyzed
        for state in ("transcribed", "analysing", "failed"):
            assert (
                "No file matches" in page(as_alice.get(f"/projects/{project.pk}/files/?state={state}")).text
            )

    def test_say_where_their_results_were_removed(self, as_alice, project):
        [call] = bring(project, line(1))
        give_transcript(call)
        remove_results(project)

        address = f"/projects/{project.pk}/files/"
        assert "Results removed" in page(as_alice.get(f"{address}?state=removed")).text
        assert "No file matches" in page(as_alice.get(f"{address}?state=done")).text

    def test_can_be_deleted(self, as_alice, project):
        made = upload(as_alice, project)

        as_alice.post(f"/projects/{project.pk}/files/{made['id']}/", {"do": "delete"})

        assert not project.files.exists()

    def test_are_tried_again(self, as_alice, project):
        from callscope.pipeline.models import Job

        made = upload(as_alice, project)
        Job.objects.update(state="failed")
        project.files.update(status="failed", error_reason="private_transcription_unavailable")

        answer = as_alice.post(f"/projects/{project.pk}/files/{made['id']}/", {"do": "retry"})

        assert said(answer) == ["Retrying the file."]
        assert Job.objects.get().state == "queued"
        assert project.files.get().status == "uploaded"

    def test_are_tried_again_all_at_once(self, as_alice, project):
        from callscope.pipeline.models import Job

        for name in ("a.srt", "b.srt"):
            upload(as_alice, project, name)
        Job.objects.update(state="failed")
        project.files.update(status="failed", error_detail="The key is wrong.")
        listed = page(as_alice.get(f"/projects/{project.pk}/files/?state=failed"))
        assert "2 files failed" in listed.text

        answer = as_alice.post(f"/projects/{project.pk}/retry-failed/")

        assert said(answer) == ["Retrying 2 failed files."]
        assert set(project.files.values_list("status", flat=True)) == {"uploaded"}
        assert "that can succeed" not in page(as_alice.get(f"/projects/{project.pk}/files/")).text

    def test_are_offered_for_another_try_by_how_many_can_succeed(self, as_alice, as_bob, bob, project):
        from callscope.pipeline.models import Job

        refused = "The language model at llm.example refused to answer."
        made = [upload(as_alice, project, name)["id"] for name in ("a.srt", "b.srt", "c.srt")]
        Job.objects.update(state="failed")
        project.files.update(status="failed", error_detail="The key is wrong.")

        def shown(visitor=as_alice):
            notice = page(visitor.get(f"/projects/{project.pk}/files/?state=failed")).text
            return notice.partition("one of their analyses did. ")[2].rpartition(" 3 files")[0].strip()

        assert shown() == "Retry the 3 files that can succeed"
        project.files.filter(pk=made[0]).update(error_detail="The recording cannot be decoded.")
        project.files.filter(pk=made[1]).update(error_detail=refused)
        after = "For 1, another attempt helps only after a change of engine or settings."
        assert shown() == (f"1 would fail in the same way again. {after} Retry the 2 files that can succeed")
        project.files.filter(pk=made[2]).update(storage_key="")  # removed
        assert shown() == f"2 would fail in the same way again. {after} Retry 1 file anyway"
        project.files.filter(pk=made[1]).update(storage_key="")
        assert shown() == "3 would fail in the same way again."

        share_with(project, bob)
        project.files.update(storage_key="a")
        assert "Retry" not in page(as_bob.get(f"/projects/{project.pk}/files/")).text

    def test_are_retried_at_will_though_they_would_fail_again(self, as_alice, project):
        from callscope.pipeline.models import Job

        made = [upload(as_alice, project, name) for name in ("a.srt", "b.srt", "c.srt")]
        Job.objects.update(state="failed")
        project.files.update(status="failed", error_detail="The key is wrong.")
        project.files.filter(pk=made[0]["id"]).update(error_detail="The recording cannot be decoded.")
        project.files.filter(pk=made[1]["id"]).update(
            error_detail="The language model at llm.example refused to answer."
        )
        listed = page(as_alice.get(f"/projects/{project.pk}/files/?state=failed"))
        assert (
            "3 files failed, or one of their analyses did. 1 would fail in the same way again." in listed.text
        )
        assert "The recording cannot be decoded. The same file would fail again." in listed.text
        assert (
            "refused to answer. Another attempt helps only after a change of engine or settings."
            in listed.text
        )
        labels = [each["aria-label"] for each in listed.all("button", value="retry") if "aria-label" in each]
        assert labels == ["Retry c.srt", "Retry b.srt anyway", "Retry a.srt anyway"]

        together = as_alice.post(f"/projects/{project.pk}/retry-failed/")
        alone = as_alice.post(f"/projects/{project.pk}/files/{made[0]['id']}/", {"do": "retry"})

        assert said(together)[0] == "Retrying 2 failed files."
        assert said(alone)[-1] == "Retrying the file."
        assert set(project.files.values_list("status", flat=True)) == {"uploaded"}

    def test_are_listed_as_failed_when_only_an_analysis_failed(self, as_alice, project):
        from callscope.analysis.models import STATE_FIELDS, AnalysisState, CallAnalysis

        made = upload(as_alice, project)
        project.files.update(status="transcribed")
        CallAnalysis.objects.update(**dict.fromkeys(STATE_FIELDS.values(), AnalysisState.COMPLETED))
        CallAnalysis.objects.update(
            insights_state=AnalysisState.FAILED, errors={"calls_analysis_insights": "The quota is used up."}
        )

        listed = page(as_alice.get(f"/projects/{project.pk}/files/?state=failed"))

        assert made["original_filename"] in listed.text
        assert "The quota is used up." in listed.text

    def test_are_listed_under_the_state_that_they_show(self, as_alice, project):
        """A file whose other analysis is still to come shows as being analyzed: it has not failed yet."""
        from callscope.analysis.models import AnalysisState, CallAnalysis
        from callscope.pipeline.files import retry_failed

        made = upload(as_alice, project)
        project.files.update(status="transcribed")
        shown = {"failed": {"Failed", "Partly analyzed"}, "analysing": {"Being analyzed"}}
        states = [None, *AnalysisState.values]
        for first, second in [(first, second) for first in states for second in states]:
            CallAnalysis.objects.update(copc_state=first, insights_state=second, custom_questions_state=None,
                                        no_protocol_state=None)  # fmt: skip
            label = list_states([project.files.get()])[0].label
            for state, labels in shown.items():
                listed = page(as_alice.get(f"/projects/{project.pk}/files/?state={state}"))
                is_listed = made["original_filename"] in listed.text
                assert is_listed == (label in labels), (state, first, second)
            assert retry_failed.count_failed(project) == (label in shown["failed"])

    def test_say_so_when_there_is_nothing_to_try_again(self, as_alice, project):
        made = upload(as_alice, project)

        answer = as_alice.post(f"/projects/{project.pk}/files/{made['id']}/", {"do": "retry"})

        assert "has not failed" in said(answer)[0]

    def test_stay_as_they_are_for_viewers(self, as_alice, as_bob, bob, project):
        made = upload(as_alice, project)
        share_with(project, bob)
        address = f"/projects/{project.pk}/files/"

        assert as_bob.post(f"{address}{made['id']}/", {"do": "delete"}).status_code == 403
        assert project.files.exists()
        assert not page(as_bob.get(address)).all("button", value="delete")

    def test_of_other_projects_are_out_of_reach(self, as_alice, as_carol, carol, project):
        from callscope.projects.services import create_project

        made = upload(as_alice, project)
        own = create_project(carol, "Own")

        assert as_carol.post(f"/projects/{own.pk}/files/{made['id']}/", {"do": "delete"}).status_code == 404
        assert project.files.exists()

    @pytest.mark.parametrize(
        "query", ["page=0", "page=x", "page=99", "state=zzz", "search=%00", "search=%25_"]
    )
    def test_take_any_address(self, as_alice, project, query):
        assert as_alice.get(f"/projects/{project.pk}/files/?{query}").status_code == 200


@pytest.mark.django_db
class TestTeams:
    @pytest.fixture
    def team(self, alice):
        from callscope.accounts.services import create_team

        return create_team("North", admin=alice)

    def test_are_made_with_the_visitor_as_admin(self, as_alice, alice):
        as_alice.post("/teams/", {"name": "South"})

        assert alice.memberships.get().is_admin

    def test_say_that_they_have_no_project(self, as_alice, team):
        shown = page(as_alice.get(f"/teams/{team.pk}/"))

        assert "No project belongs to this team yet." in shown.text
        assert "The owner of a project moves it here" in shown.text
        assert any(link["href"] == "/projects/" and "class" not in link for link in shown.all("a"))

    def test_show_their_projects_with_the_owner(self, as_alice, team, project):
        project.team = team
        project.save()

        shown = page(as_alice.get(f"/teams/{team.pk}/")).text

        assert "Service line" in shown
        assert "Invite a person" in shown

    def test_take_in_members_and_make_them_admins(self, as_alice, as_bob, bob, team):
        as_alice.post(f"/teams/{team.pk}/", {"email": "bob@example.com"})
        assert not bob.memberships.exists()
        as_bob.post(f"/invitations/{team.invitations.get().pk}/", {"do": "accept"})
        assert not bob.memberships.get().is_admin

        as_alice.post(f"/teams/{team.pk}/{bob.pk}/", {"do": "admin"})
        assert bob.memberships.get().is_admin

    def test_ask_before_an_admin_is_made_a_member_only(self, as_alice, bob, team):
        from callscope.accounts.services import add_team_member

        add_team_member(team, bob, admin=True)
        shown = page(as_alice.get(f"/teams/{team.pk}/"))

        asked = [each.get("data-confirm") for each in shown.all("button", name="do", value="member")]
        assert asked == ["Remove alice@example.com as admin?", "Remove bob@example.com as admin?"]
        assert shown.all("dialog", id="confirm")
        answer = as_alice.post(f"/teams/{team.pk}/{bob.pk}/", {"do": "member"})
        assert (answer.status_code, bob.memberships.get().is_admin) == (302, False)

    def test_are_renamed_and_have_one_name_each(self, as_alice, alice, team):
        as_alice.post("/teams/", {"name": "South"})

        again = page(as_alice.post("/teams/", {"name": " north "}), 400).text
        taken = page(as_alice.post(f"/teams/{team.pk}/name/", {"name": "South"}), 400).text
        blank = page(as_alice.post(f"/teams/{team.pk}/name/", {"name": ""}), 400).text
        assert said(as_alice.post(f"/teams/{team.pk}/name/", {"name": "NORTH"})) == ["The team was renamed."]

        assert "You are already in a team named “North”. Choose another name." in again
        assert "You are already in a team named “South”. Choose another name." in taken
        assert "North" in blank
        assert sorted(alice.teams.values_list("name", flat=True)) == ["NORTH", "South"]
        assert AuditEvent.objects.get(action="team.renamed").detail == {"former": "North", "name": "NORTH"}

    def test_are_deleted_once_they_have_no_projects(self, as_alice, alice, team, project):
        address = f"/teams/{team.pk}/"
        project.team = team
        project.save()
        kept = page(as_alice.get(address))
        refused = said(as_alice.post(f"{address}delete/"))
        project.team = None
        project.save()

        shown = page(as_alice.get(address))
        gone = said(as_alice.post(f"{address}delete/"))

        assert not kept.all("form", action=f"{address}delete/")
        assert refused == ["A team with projects cannot be deleted. Move or delete them first."]
        assert any("Delete the team North?" in each.get("data-confirm", "") for each in shown.all("button"))
        assert gone == ["The team North was deleted."]
        assert not alice.memberships.exists()
        assert AuditEvent.objects.get(action="team.deleted").detail == {"name": "North"}

    @pytest.mark.parametrize("do", ["remove", "member"])
    def test_keep_their_last_admin(self, as_alice, alice, team, do):
        answer = as_alice.post(f"/teams/{team.pk}/{alice.pk}/", {"do": do})

        assert said(answer) == ["A team needs an admin. Make someone else an admin first."]
        assert alice.memberships.get().is_admin

    def test_are_changed_by_admins_alone(self, as_bob, alice, bob, carol, team):
        from callscope.accounts.services import add_team_member

        add_team_member(team, bob)

        assert as_bob.get(f"/teams/{team.pk}/").status_code == 200
        assert as_bob.post(f"/teams/{team.pk}/", {"email": "carol@example.com"}).status_code == 403
        assert as_bob.post(f"/teams/{team.pk}/{alice.pk}/", {"do": "remove"}).status_code == 403
        assert as_bob.post(f"/teams/{team.pk}/name/", {"name": "Mine"}).status_code == 403
        assert as_bob.post(f"/teams/{team.pk}/delete/").status_code == 403
        assert not page(as_bob.get(f"/teams/{team.pk}/")).all("form", action=f"/teams/{team.pk}/name/")
        assert team.memberships.count() == 2

    def test_are_not_there_for_others(self, as_carol, alice, team):
        assert as_carol.get(f"/teams/{team.pk}/").status_code == 404
        for place in (f"{alice.pk}/", "name/", "delete/"):
            assert as_carol.post(f"/teams/{team.pk}/{place}", {"do": "remove"}).status_code == 404


@pytest.mark.django_db
class TestKeys:
    def test_are_shown_once_and_open_the_api(self, as_alice, visitor, project):
        answer = as_alice.post("/keys/", {"name": "robot", "scope": "read"})
        [field] = [a for a in page(answer).all("input") if "data-key" in a]

        listed = visitor.get("/api/projects/", headers={"authorization": f"Api-Key {field['value']}"})
        assert listed.json()["count"] == 1
        assert answer["Cache-Control"] == "no-store"
        assert field["value"] not in as_alice.get("/keys/").content.decode()

    def test_end_with_their_last_day(self, as_alice, alice):
        last_day = timezone.localdate(timezone.now() + dt.timedelta(minutes=5))  # today may end just now
        as_alice.post("/keys/", {"name": "robot", "scope": "read", "expires": last_day.isoformat()})

        assert alice.api_keys.get().expiry_date > timezone.now()

    def test_end_with_the_day_that_was_chosen(self, as_alice):
        from callscope.interfaces.web.templatetags.formatting import day

        last_day = timezone.localdate() + dt.timedelta(days=30)
        as_alice.post("/keys/", {"name": "robot", "scope": "read", "expires": last_day.isoformat()})

        found = page(as_alice.get("/keys/")).text

        assert day(last_day) in found
        assert day(last_day + dt.timedelta(days=1)) not in found
        assert "Read only" in found

    @pytest.mark.parametrize("expires", ["2001-01-01", "9999-12-31", "x"])
    def test_are_not_made_for_days_that_make_no_sense(self, as_alice, alice, expires):
        assert (
            as_alice.post("/keys/", {"name": "robot", "scope": "read", "expires": expires}).status_code == 400
        )
        assert not alice.api_keys.exists()

    def test_are_revoked_by_their_owner_alone(self, as_alice, as_carol, alice):
        from callscope.accounts.services import create_key

        key, _ = create_key(alice, name="robot")

        as_carol.post(f"/keys/{key.prefix}/revoke/")
        key.refresh_from_db()
        assert not key.revoked

        as_alice.post(f"/keys/{key.prefix}/revoke/")
        key.refresh_from_db()
        assert key.revoked


@pytest.mark.django_db
class TestUsage:
    @pytest.fixture
    def entries(self, project):
        from callscope.pipeline.models import UsageEntry

        for cost in (1_500_000, None):
            UsageEntry.objects.create(
                project=project, kind="analysis", engine="e", model=f"m{cost}", input_tokens=10,
                output_tokens=5, cost_micros=cost,
            )  # fmt: skip

    @pytest.mark.parametrize("query", ["", "?end_date=9999-12-31"])
    def test_sums_what_is_known(self, as_alice, entries, query):
        found = page(as_alice.get(f"/usage/{query}")).text

        assert "Tokens read 20" in found
        assert "Known cost 1.50" in found
        assert "Some work has no known price" in found

    @pytest.mark.parametrize(
        ("lengths_us", "said"),
        [
            ([61_000_000, 59_000_000], ""),
            ([60_900_000], ""),
            ([60_600_000, 60_500_000], "the rows below add up to 1 second less"),
            ([60_900_000] * 5, "the rows below add up to 4 seconds less"),
        ],
    )
    def test_says_by_how_much_the_rows_miss_the_sum(self, as_alice, project, lengths_us, said):
        from callscope.pipeline.models import UsageEntry

        for number, audio_us in enumerate(lengths_us):
            UsageEntry.objects.create(
                project=project, kind="transcription", engine="e", model=f"m{number}", audio_us=audio_us
            )

        text = page(as_alice.get("/usage/")).text

        assert ("Fractions of a second" in text) == bool(said)
        assert said in text

    def test_shows_only_visible_projects(self, as_carol, entries, project):
        assert "No engine was used" in page(as_carol.get("/usage/")).text
        assert as_carol.get(f"/usage/?project_id={project.pk}").status_code == 404

    def test_tells_what_is_left_of_a_trial(self, as_alice, alice):
        alice.trial_quota_us, alice.trial_used_us = 60_000_000_000, 90_000_000
        alice.save()

        assert "1.5 of 1,000.0 minutes" in page(as_alice.get("/usage/")).text

    def test_says_which_dates_cannot_be_used(self, as_alice, entries):
        assert page(as_alice.get("/usage/?start_date=2026-02-31"), 400).all("div", role="alert")

    def test_says_so_in_place_of_the_figures_that_htmx_replaces(self, as_alice, entries):
        dates = "/usage/?start_date=2026-11-28&end_date=2026-11-01"

        found = page(as_alice.get(dates, headers={"HX-Request": "true"}))  # htmx swaps in no 400

        assert "The last day (Nov 1, 2026) is before the first (Nov 28, 2026)." in found.text
        assert "Tokens read" not in found.text
        assert "No engine was used" not in found.text

    def test_says_why_no_cost_is_known(self, as_alice, entries):
        from callscope.pipeline.models import UsageEntry

        UsageEntry.objects.update(cost_micros=None)

        found = page(as_alice.get("/usage/")).text

        assert "Known cost –" in found
        assert "No price is known for the engines listed here." in found

    def test_costs_nothing_where_nothing_was_used(self, as_carol):
        found = page(as_carol.get("/usage/")).text

        assert "Known cost 0.00" in found
        assert "No price is known" not in found


@pytest.mark.django_db
class TestFirstSteps:
    def test_come_first_while_there_is_nothing(self, as_alice):
        assert as_alice.get("/")["Location"] == "/start/"
        assert page(as_alice.get("/start/")).all("li", **{"aria-current": "step"})

    def test_give_way_to_the_report(self, as_alice, project):
        assert as_alice.get("/")["Location"] == f"/report/?project_id={project.pk}"
        assert as_alice.get("/?team=1")["Location"] == "/report/?team=1"

    def test_go_from_project_to_upload_to_report(self, as_alice, alice):
        fields = {**TestNewProject.FIELDS, "from": "start"}
        assert as_alice.post("/projects/new/", fields)["Location"] == "/start/"
        project = alice.projects.get()
        assert page(as_alice.get("/start/")).all("a", href=f"/upload/?project_id={project.pk}")

        upload(as_alice, project)
        assert "are being analyzed" in page(as_alice.get("/start/")).text

        bring(project, line(1))
        assert "See the report" in page(as_alice.get("/start/")).text

    def test_name_the_project_that_the_files_arrived_in(self, as_alice, alice, project):
        from callscope.projects.services import create_project

        upload(as_alice, project)
        create_project(alice, "Newer and empty")

        text = page(as_alice.get("/start/")).text

        assert "The project Service line was created." in text
        assert "Newer and empty" not in text

    def test_speak_of_the_project_whose_report_they_open(self, as_alice, alice, project):
        from callscope.projects.services import create_project

        spanish = create_project(alice, "Luz de Ribera", document={**project.config, "language": "es"})
        bring(project, line(1))
        bring(spanish, line(2))

        found = page(as_alice.get("/start/"))
        assert "The project Service line was created." in found.text
        [report] = [
            each["href"]
            for each in found.all("a")
            if each["href"].startswith("/report/") and "button" in each.get("class", "")
        ]
        assert f"project_id={project.pk}" in report

        as_alice.get(f"/report/?project_id={spanish.pk}")
        found = page(as_alice.get("/start/"))
        assert "The project Luz de Ribera was created." in found.text
        assert any(f"/report/?project_id={spanish.pk}" in each["href"] for each in found.all("a"))

    def test_load_the_sample_calls_once(self, as_alice, alice):
        from callscope.samples import loading

        as_alice.post("/start/samples/")
        as_alice.post("/start/samples/")

        assert sorted(alice.projects.values_list("name", flat=True)) == sorted(loading.list_project_names())
        assert all(project.files.exists() for project in alice.projects.all())
