"""`callscope erase`: what it takes, what it prints, and what it refuses."""

import pytest

from callscope.calls.models import Call
from callscope.projects.models import Project


@pytest.fixture
def calls(callscope, project, tmp_path):
    """Two calls of one caller and one of another, imported."""
    file = tmp_path / "calls.jsonl"
    file.write_text(
        '{"file_name": "zqjx-a", "caller_number": "+34911", "agent_id": "7", "agent_name": "Ana Zqjx"}\n'
        '{"file_name": "zqjx-b", "caller_number": "0034 911", "topic": "zqjx"}\n'
        '{"file_name": "c", "caller_number": "+34912", "agent_id": "7"}\n'
    )
    assert callscope.json("calls", "import", project.pk, file)["created"] == 3
    return project


class TestErase:
    def test_takes_a_caller_in_any_spelling(self, callscope, calls):
        receipt = callscope.json("erase", "--caller-number", "34-911")

        assert receipt["what"] == "caller"
        assert receipt["erased"]["calls"] == 2
        assert len(receipt["chain_hash"]) == 64
        assert "34911" not in str(receipt)
        assert list(Call.objects.values_list("file_name", flat=True)) == ["c"]

    def test_takes_a_call(self, callscope, calls):
        call = Call.objects.get(file_name="zqjx-b")

        assert callscope.json("erase", "--call", call.pk)["erased"]["topics"] == 1
        assert not Call.objects.filter(pk=call.pk).exists()

    def test_takes_an_agent_of_a_project(self, callscope, calls):
        receipt = callscope.json("erase", "--agent", "7", "--project", calls.pk)

        assert (receipt["erased"]["calls"], receipt["erased"]["agents"]) == (2, 1)

    def test_takes_a_project(self, callscope, calls):
        assert callscope.json("erase", "--project", calls.pk)["erased"]["calls"] == 3
        assert not Project.objects.exists()

    def test_prints_a_receipt_for_people_without_names(self, callscope, calls):
        result = callscope("erase", "--caller-number", "+34911")

        assert result.exit_code == 0
        assert "2 calls" in result.stdout
        assert "zqjx" not in result.output.lower()

    def test_of_what_is_not_there_fails(self, callscope, calls):
        (line,) = callscope.failure("erase", "--caller-number", "+34999999")
        assert line == "No call has this caller number."
        assert callscope.failure("erase", "--call", "99999999") == ["There is no call 99999999."]
        assert callscope.failure("erase", "--agent", "x", "--project", calls.pk)

    @pytest.mark.parametrize(
        "options",
        [
            [],
            ["--agent", "7"],
            ["--agent", "", "--project", "1"],
            ["--caller-number", " "],
            ["--call", "1", "--caller-number", "1"],
            ["--call", "1", "--project", "1"],
        ],
    )
    def test_refuses_what_does_not_name_one_thing(self, callscope, calls, options):
        callscope.wrong_usage("erase", *options)

        assert Call.objects.count() == 3
