"""The call manifest over HTTP."""

import datetime as dt
import json

import pytest
from django.utils import timezone

from callscope.calls.models import Call, ManifestRow
from callscope.projects.models import Project
from tests.api.samples import SRT, named
from tests.api.views.test_files import upload

pytestmark = pytest.mark.django_db

HEADER = "filename,call_datetime,agent_id,agent_name,direction,caller_number,campaign"


def send(client, project, text, name="manifest.csv", **fields):
    content = text.encode() if isinstance(text, str) else text
    path = f"/api/projects/{project.pk}/call-manifest/"
    return client.post(path, {"file": named(content, name), **fields}, format="multipart")


class TestManifest:
    def test_answers_with_what_became_of_the_rows(self, as_alice, project):
        upload(as_alice, project, name="call-11.srt")

        response = send(
            as_alice,
            project,
            f"{HEADER}\ncall-11.srt,2026-01-05T10:00:00Z,7,Ana Ruiz,inbound,,\n"
            "call-31.wav,2026-01-05 10:00,,,,,\ncall-12.wav,2026-01-05 10:00,,,in,,\n",
        )

        assert response.status_code == 200, response.content
        assert response.json() == {
            "matched": 1,
            "unmatched": ["call-31.wav"],
            "errors": ["row 4, call-12.wav: unknown direction 'in'"],
        }
        call = Call.objects.get()
        assert (call.call_datetime_source, call.agent.name, call.agent_source) == (
            "manifest",
            "Ana Ruiz",
            "manifest",
        )

    def test_is_applied_to_a_file_uploaded_later(self, as_alice, project):
        send(as_alice, project, "filename,call_datetime,campaign\nCALL-1.wav,05/01/2026 10:00,Spring\n")

        shown = upload(as_alice, project, name="call-1.srt", campaign="").json()["call_metadata"]

        assert (shown["call_datetime"], shown["call_datetime_source"]) == ("2026-01-05T10:00:00Z", "manifest")
        assert shown["campaign"] == "Spring"
        assert not ManifestRow.objects.exists()

    def test_yields_to_the_fields_of_the_upload_it_waited_for(self, as_alice, project):
        send(as_alice, project, "filename,call_datetime,campaign\ncall-1.srt,05/01/2026 10:00,Spring\n")

        shown = upload(as_alice, project, name="call-1.srt", campaign="Autumn").json()["call_metadata"]

        assert (shown["campaign"], shown["call_datetime_source"]) == ("Autumn", "manifest")

    def test_overrides_what_was_written_before_and_is_overridden_by_what_comes_after(self, as_alice, project):
        file_id = upload(as_alice, project, name="a.srt", campaign="Upload", direction="inbound").json()["id"]
        send(as_alice, project, "filename,call_datetime,campaign\na.srt,,Manifest\n")
        assert as_alice.get(f"/api/files/{file_id}/").json()["call_metadata"]["campaign"] == "Manifest"

        shown = as_alice.patch(f"/api/files/{file_id}/", {"campaign": "Patch"}, format="json").json()[
            "call_metadata"
        ]

        assert (shown["campaign"], shown["direction"]) == ("Patch", "inbound")

    def test_names_all_files_that_a_name_may_mean(self, as_alice, project):
        upload(as_alice, project, name="call-1.srt")
        upload(as_alice, project, name="CALL-1.txt")

        response = send(as_alice, project, "filename,call_datetime,campaign\ncall-1.wav,,Spring\n")

        assert response.status_code == 400
        assert response.json()["errors"] == [
            "row 2, call-1.wav: matches several files: CALL-1.txt, call-1.srt"
        ]

    def test_tells_wrong_rows_in_their_order_whatever_is_wrong(self, as_alice, project):
        for name in ("call.srt", "call.vtt"):
            upload(as_alice, project, name=name)

        response = send(
            as_alice, project, "filename,call_datetime\na.wav,x\ncall.mp3,2026-01-05 10:00\nb.wav,x\n"
        )

        assert [text.split(",")[0] for text in response.json()["errors"]] == ["row 2", "row 3", "row 4"]

    def test_prefers_the_exact_name(self, as_alice, project):
        upload(as_alice, project, name="call-1.srt")
        upload(as_alice, project, name="call-1.txt")

        assert (
            send(as_alice, project, "filename,call_datetime,campaign\ncall-1.txt,,Spring\n").json()["matched"]
            == 1
        )
        assert list(Call.objects.filter(campaign="Spring").values_list("file_name", flat=True)) == [
            "call-1.txt"
        ]

    def test_lets_a_file_take_the_row_of_its_exact_name_and_leave_the_others(self, as_alice, project):
        send(as_alice, project, "filename,call_datetime,campaign\na.wav,,Wav\na.srt,,Srt\na.mp3,,Mp3\n")

        first = upload(as_alice, project, name="a.srt").json()["call_metadata"]

        assert first["campaign"] == "Srt"
        assert set(ManifestRow.objects.values_list("file_name", flat=True)) == {"a.wav", "a.mp3"}

    def test_merges_rows_that_wait_for_the_same_name(self, as_alice, project):
        send(as_alice, project, "filename,call_datetime,campaign,direction\na.srt,,Spring,inbound\n")
        send(as_alice, project, "filename,call_datetime,campaign,direction\na.srt,,Autumn,\n")

        shown = upload(as_alice, project, name="a.srt").json()["call_metadata"]

        assert (shown["campaign"], shown["direction"]) == ("Autumn", "inbound")

    def test_lists_the_rows_whose_file_a_later_one_names_again(self, as_alice, project):
        upload(as_alice, project, name="a.srt")

        result = send(
            as_alice,
            project,
            "filename,call_datetime,campaign,direction\n"
            "a.srt,2026-01-05 10:00,Spring,inbound\n"
            "b.wav,never,,\n"
            "A.wav,2026-01-06 10:00,Autumn,\n"
            "a.srt,2026-01-07 10:00,Winter,\n",
        ).json()

        assert result == {
            "matched": 3,
            "unmatched": [],
            "errors": ["row 3, b.wav: unreadable call_datetime 'never', write it as in 2026-03-31 14:05"],
            "repeated": [
                "row 2, a.srt: named again in row 4, whose filled cells count",
                "row 4, A.wav: named again in row 5, whose filled cells count",
            ],
        }
        call = Call.objects.get()
        assert (call.call_datetime.day, call.campaign, call.direction) == (7, "Winter", "inbound")

    def test_lists_them_for_a_file_to_come(self, as_alice, project):
        result = send(
            as_alice,
            project,
            "filename,call_datetime,campaign\na.srt,2026-01-05 10:00,Spring\nb.srt,2026-01-05 10:00,\n"
            "a.srt,2026-01-05 10:00,Spring\n",
        ).json()

        assert result == {
            "matched": 0,
            "unmatched": ["a.srt", "b.srt"],
            "errors": [],
            "repeated": ["row 2, a.srt: named again in row 4, whose filled cells count"],
        }

    def test_lets_a_wrong_row_replace_none(self, as_alice, project):
        result = send(
            as_alice, project, "filename,call_datetime\na.srt,2026-01-05 10:00\na.srt,never\n"
        ).json()

        assert [text.split(":")[0] for text in result["errors"]] == ["row 3, a.srt"]
        assert "repeated" not in result

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "\n",
            "filename,campaign\na.srt,Spring\n",
            HEADER,
            f"{HEADER}\na.srt,,,,,,\n",
            f"{HEADER}\na.srt,never,,,,,\n",
            b"\x00\x01\x02",
            b"\xff\xfe\x00\x00a",
            b"filename,call_datetime\n\x81\x8d,\x90\n",
            f'{HEADER}\n"a.srt,2026-01-05T10:00:00Z\n',
            f"{HEADER}\na.srt,,{'x' * 200_000},,,,\n",
            f"{HEADER}\na.srt,,{'x' * 1_100_000},,,,\n",
            f"{HEADER}\n{'x' * 300},2026-01-05T10:00:00Z\n",
            f"{HEADER}\na\x00.srt,,,,,,\n",
        ],
    )
    def test_without_a_valid_row_is_400_with_errors(self, as_alice, project, text):
        response = send(as_alice, project, text)

        assert response.status_code == 400
        assert "errors" in response.json() or response.json()["file"] == ["The file is empty."]
        assert all(isinstance(texts, list) for texts in response.json().values())
        assert not ManifestRow.objects.exists()

    def test_without_a_file_is_400(self, as_alice, project):
        path = f"/api/projects/{project.pk}/call-manifest/"

        assert list(as_alice.post(path, {}, format="multipart").json()) == ["file"]
        assert list(as_alice.post(path, {"file": "a,b"}, format="multipart").json()) == ["file"]

    def test_for_another_project_type_is_400(self, as_alice, alice):
        notes = Project.objects.create(name="Notes", owner=alice, type="general")

        response = send(as_alice, notes, f"{HEADER}\na.srt,2026-01-05T10:00:00Z,,,,,\n")

        assert response.status_code == 400
        assert list(response.json()) == ["project"]

    def test_is_403_for_a_viewer_and_404_for_a_stranger(self, as_bob, as_carol, bob_views, project):
        assert send(as_bob, project, HEADER).status_code == 403
        assert send(as_carol, project, HEADER).status_code == 404

    def test_treats_the_tricky_rows_as_expected(self, as_alice, project, shared_data):
        expected = json.loads((shared_data / "star/manifest_tricky_expected.json").read_text())
        for row in expected:
            upload(as_alice, project, SRT, row["target"])

        result = send(as_alice, project, (shared_data / "star/manifest_tricky.csv").read_bytes()).json()

        by_outcome = {"applied": [], "unmatched": [], "error": []}
        for row in expected:
            # A blank time is skipped like any other blank cell, so such a row is applied.
            outcome = "applied" if "missing_datetime" in row["expected"] else row["expected"].split(":")[0]
            by_outcome[outcome].append(row)
        assert result["matched"] == len(by_outcome["applied"])
        assert result["unmatched"] == [row["filename"] for row in by_outcome["unmatched"]]
        assert [text.split(":")[0] for text in result["errors"]] == [
            f"row {row['row']}, {row['filename']}" for row in by_outcome["error"]
        ]


class TestCareful:
    """A file that a person chose on the upload page."""

    def test_names_unknown_columns_and_the_known_ones_that_may_be_meant(self, as_alice, project):
        text = "filename,call_datetime,agnet_id,Campain,bogus,direction\na.wav,2026-01-05 10:00,7,Spring,x,\n"

        assert send(as_alice, project, text, careful="true").json() == {
            "matched": 0,
            "unmatched": ["a.wav"],
            "errors": [],
            "unknown_columns": {"agnet_id": "agent_id", "campain": "campaign", "bogus": ""},
        }
        assert (
            send(as_alice, project, HEADER + "\na.wav,2026-01-05 10:00\n", careful="true").json()[
                "unknown_columns"
            ]
            == {}
        )
        assert "unknown_columns" not in send(as_alice, project, text).json()

    def test_refuses_times_of_the_future(self, as_alice, project, monkeypatch):
        now = dt.datetime(2026, 5, 1, 8, 30, tzinfo=dt.UTC)
        monkeypatch.setattr(timezone, "now", lambda: now)
        text = "filename,call_datetime\na.wav,2027-05-01T10:00Z\nb.wav,2026-05-02T08:00Z\n"

        answer = send(as_alice, project, text, careful="true").json()

        assert answer["unmatched"] == ["b.wav"]
        assert answer["errors"] == [
            "row 2, a.wav: 2027-05-01 10:00 is more than a day ahead. Give the time at which the call took "
            "place, 2026-05-02 08:30 at the latest."
        ]
        assert send(as_alice, project, text).json()["errors"] == []

    def test_doubts_all_dates_with_slashes_where_one_has_the_month_first(self, as_alice, project):
        text = (
            "filename,call_datetime\na.wav,10/05/2025 09:00\nb.wav,2025-10-05 09:00\n"
            "c.wav,10/25/2025 09:00\nd.wav,11/26/2025 9:00 PM\n"
        )

        answer = send(as_alice, project, text, careful="true").json()

        assert answer["unmatched"] == ["b.wav"]
        assert answer["errors"] == [
            "row 2, a.wav: call_datetime '10/05/2025 09:00' may have the month first, as '10/25/2025 09:00' "
            "in row 4 has it, write it as in 2026-03-31 14:05",
            "row 4, c.wav: call_datetime '10/25/2025 09:00' has the month first, write it as in "
            "2026-03-31 14:05 or 31/03/2026 14:05",
            "row 5, d.wav: call_datetime '11/26/2025 9:00 PM' may have the month first, as "
            "'10/25/2025 09:00' in row 4 has it, write it as in 2026-03-31 14:05",
        ]
        assert send(as_alice, project, text).json()["unmatched"] == ["a.wav", "b.wav"]

    def test_names_both_columns_that_may_be_meant(self, as_alice, project):
        text = "filename,call_datetime,agent\na.wav,2026-01-05 10:00,Dana Fox\n"

        answer = send(as_alice, project, text, careful="true").json()

        assert answer["unknown_columns"] == {"agent": "agent_id, agent_name"}

    def test_reads_a_date_that_can_only_have_the_day_first_next_to_others(self, as_alice, project):
        text = "filename,call_datetime\na.wav,10/25/2025 09:00\nb.wav,25/10/2025 09:00\n"

        answer = send(as_alice, project, text, careful="true").json()

        assert answer["unmatched"] == ["b.wav"] and len(answer["errors"]) == 1

    def test_reads_dates_that_have_the_day_first(self, as_alice, project):
        text = (
            "filename,call_datetime\na.wav,10/05/2025 09:00\nb.wav,25/10/2025 09:00\nc.wav,13/13/2025 09:00\n"
        )

        answer = send(as_alice, project, text, careful="true").json()

        assert answer["unmatched"] == ["a.wav", "b.wav"]
        assert "unreadable call_datetime '13/13/2025 09:00'" in answer["errors"][0]

    def test_is_true_or_false(self, as_alice, project):
        answer = send(as_alice, project, HEADER + "\na.wav,2026-01-05 10:00\n", careful="perhaps")

        assert (answer.status_code, answer.json()) == (
            400,
            {"careful": ['"perhaps" is not a value of careful. Allowed: true, false.']},
        )
