"""`callscope audit`: the chain is verified and exported."""

import json

from callscope.accounts.models import AuditEvent


class TestVerify:
    def test_prints_the_head_of_a_whole_chain(self, callscope, project):
        callscope.json("team", "create", "T", "--admin", "alice@example.com")

        document = callscope.json("audit", "verify")

        assert (document["ok"], document["problems"]) == (True, [])
        assert document["head"] == AuditEvent.objects.latest("number").digest
        assert callscope.json("audit", "verify", "--head", document["head"])["ok"]

    def test_fails_for_an_edited_event(self, callscope, project):
        callscope.json("team", "create", "T", "--admin", "alice@example.com")
        AuditEvent.objects.update(detail={})

        result = callscope("audit", "verify", "--json")

        assert result.exit_code == 1
        assert json.loads(result.stdout)["problems"] == ["Event 1 is not what was written, or was moved."]

    def test_fails_for_a_head_that_is_gone(self, callscope, project):
        result = callscope("audit", "verify", "--head", "0" * 64)

        assert result.exit_code == 1
        assert "kept elsewhere" in result.stdout


class TestExport:
    def test_writes_the_chain_as_lines_of_json(self, callscope, project, tmp_path):
        for name in ("T", "U"):
            callscope.json("team", "create", name, "--admin", "alice@example.com")

        assert callscope.json("audit", "export", tmp_path / "audit.jsonl") == {"events": 2}

        first, second = map(json.loads, (tmp_path / "audit.jsonl").read_text().splitlines())
        assert (first["number"], first["action"], first["previous"]) == (1, "team.created", "")
        assert second["previous"] == first["digest"]


class TestWhatCommandsDo:
    def test_is_in_the_trail(self, callscope, project, tmp_path):
        lines = tmp_path / "calls.jsonl"
        lines.write_text('{"file_name": "zqjx.wav", "caller_number": "+34zqjx"}\n')
        callscope.json("calls", "import", project.pk, lines)
        callscope.json("calls", "export", project.pk, tmp_path / "out.jsonl")
        callscope.json("backup", tmp_path / "b.zip")

        found = list(AuditEvent.objects.order_by("number").values_list("action", "subject"))
        assert found == [
            ("calls.imported", f"project {project.pk}"),
            ("calls.exported", f"project {project.pk}"),
            ("backup.created", "instance"),
        ]
        assert "zqjx" not in str(list(AuditEvent.objects.values()))
