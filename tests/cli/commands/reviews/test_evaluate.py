"""`callscope evaluate`: people's labels against stored results."""

import json
import re

import pytest

from callscope.analysis.models import CallAnalysis
from callscope.projects import services


@pytest.fixture
def labels(tmp_path):
    def write(*rows, header="file_name,criterion_id,answer", encoding="utf-8"):
        file = tmp_path / "labels.csv"
        file.write_text("\n".join([header, *rows]) + "\n", encoding=encoding)
        return file

    return write


def greetings(*, wrong=0):
    """Labels of people who say what the machine says, but for the first `wrong` calls."""
    return [f"c{n}.wav,greeting,{'met' if (n < 5) == (n >= wrong) else 'not_met'}" for n in range(10)]


class TestEvaluate:
    def test_measures_each_criterion_and_all_of_them(self, callscope, calls, labels):
        offers = [f"c{n}.wav,offer,{'met' if n < 8 else 'not_met'}" for n in range(10)]

        document = callscope.json("evaluate", labels(*greetings(wrong=1), *offers), "--project", calls.pk)

        offer, greeting = document["criteria"]
        assert (offer["criterion_id"], offer["name"], offer["n"]) == ("offer", "Offer", 10)
        assert (offer["raw_pct"], offer["kappa"]) == (80.0, 0.0)
        assert offer["table"]["met"] == {"met": 8, "not_met": 2}
        assert (greeting["criterion_id"], greeting["raw_pct"], greeting["kappa"]) == ("greeting", 90.0, 0.8)
        assert greeting["kappa_low"] < 0.8 < greeting["kappa_high"]
        assert (document["calls"], document["overall"]["n"]) == (10, 20)
        assert (document["problems"], document["below"], document["min_kappa"]) == ([], [], None)

    def test_prints_a_table_for_people(self, callscope, calls, labels):
        shown = callscope("evaluate", labels(*greetings(wrong=1)), "--project", calls.pk).stdout

        assert "10 calls" in shown
        assert re.search(r"greeting +10 +90\.00 +0\.80 ", shown)
        assert re.search(r"all criteria +10 +90\.00 +0\.80 ", shown)
        assert "greeting: machine met, person not_met: 1." in shown

    def test_names_rows_that_cannot_be_compared(self, callscope, calls, labels):
        file = labels(
            "c1.wav,greeting,met",
            "absent.wav,greeting,met",
            "c2.wav,farewell,met",
            "c3.wav,greeting,perhaps",
            "c1.wav,greeting,not_met",
            "",
            ",greeting,met",
        )

        document = callscope.json("evaluate", file, "--project", calls.pk)

        assert document["overall"]["n"] == 1
        assert document["problems"] == [
            "row 3, absent.wav: no call of this project with results has this file name",
            'row 4, c2.wav: unknown criterion "farewell"; allowed: greeting, offer',
            'row 5, c3.wav: unknown answer "perhaps"; allowed: met, partly, not_met, not_applicable',
            'row 6, c1.wav: a second label for criterion "greeting"; the first counts',
            "row 8, no file name: no call of this project with results has this file name",
        ]
        assert "5 rows could not be compared:" in callscope("evaluate", file, "--project", calls.pk).stdout

    def test_reads_what_spreadsheets_write(self, callscope, calls, labels):
        rows = [
            row.replace(",", ";").upper().replace("C", "c").replace(".WAV", ".wav") for row in greetings()
        ]
        rows = [f"{row.split(';')[0]};greeting;{row.split(';')[2]};note" for row in rows]
        file = labels(*rows, header="File_Name;Criterion_ID;Answer;Comment", encoding="utf-8-sig")

        assert callscope.json("evaluate", file, "--project", calls.pk)["overall"]["kappa"] == 1.0

    def test_looks_at_one_project_only(self, callscope, calls, labels, alice):
        other = services.create_project(alice, "Other")

        document = callscope.json("evaluate", labels(*greetings()), "--project", other.pk)

        assert document["overall"]["n"] == 0
        assert document["overall"]["kappa"] is None
        assert len(document["problems"]) == 10


class TestThreshold:
    @pytest.mark.parametrize(("wrong", "status"), [(0, 0), (1, 0), (2, 1)])
    def test_fails_below_it(self, callscope, calls, labels, wrong, status):
        file = labels(*greetings(wrong=wrong))

        result = callscope("evaluate", file, "--project", calls.pk, "--min-kappa", "0.7", "--json")

        document = json.loads(result.stdout)
        assert result.exit_code == status
        assert document["below"] == (["greeting", "all criteria"] if status else [])

    def test_fails_where_nothing_could_be_compared(self, callscope, calls, labels):
        result = callscope("evaluate", labels(), "--project", calls.pk, "--min-kappa", "-1")

        assert result.exit_code == 1
        assert "Kappa is below -1, or undefined over all: all criteria." in result.stdout


class TestWrongUsage:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--project", "one"], '"one". Allowed: a whole number.'),
            (["--project", "1", "--min-kappa", "much"], '"much". Allowed: a number.'),
            (["--project", "1", "--min-kappa", "1.5"], "--min-kappa"),
            (["--project", "1", "--min-kappa", "nan"], "--min-kappa"),
            ([], "Missing option '--project'."),
        ],
    )
    def test_is_named(self, callscope, labels, options, message):
        assert message in callscope.wrong_usage("evaluate", labels(), *options)

    def test_names_the_columns_that_are_missing(self, callscope, calls, labels):
        (message,) = callscope.failure("evaluate", labels(header="file,answer"), "--project", calls.pk)

        assert message.endswith(
            "The header lacks file_name, criterion_id; it has file, answer. "
            "Required: file_name, criterion_id, answer."
        )

    def test_names_what_is_not_there(self, callscope, calls, labels, tmp_path):
        (absent,) = callscope.failure("evaluate", tmp_path / "absent.csv", "--project", calls.pk)
        (folder,) = callscope.failure("evaluate", tmp_path, "--project", calls.pk)
        (project,) = callscope.failure("evaluate", labels(), "--project", 99999999)

        assert absent.endswith("absent.csv: No such file or directory.")
        assert folder.endswith("is a folder. Allowed: a CSV file.")
        assert project == "No project has the id 99999999."

    @pytest.mark.parametrize(
        "content", [b"", b"\x00\x01\xff\xfe", b'file_name,criterion_id,answer\n"a\x00,b\n']
    )
    def test_of_strange_bytes_ends_in_a_line(self, callscope, calls, tmp_path, content):
        file = tmp_path / "labels.csv"
        file.write_bytes(content)

        result = callscope("evaluate", file, "--project", calls.pk)

        assert result.exit_code in (0, 1)
        assert "Traceback" not in result.output


class TestFindings:
    HEADER = "file_name,kind,id,answer"

    @pytest.fixture
    def found(self, callscope, project, tmp_path):
        """Eight calls: the machine finds a mistake and a reached goal in the first four of them."""
        mistakes = [{"id": "rude", "text": "Is rude", "any_of": ["not my problem"]}]
        services.configure_project(project, {"no_protocol": {"mistakes": mistakes}})
        made = [{"id": "rude", "description": "Is rude", "quote": ""}]
        lines = [
            {
                "file_name": f"c{n}.wav",
                "no_protocol": {"mistakes": made if n < 4 else [], "missing_prompts": []},
                "goal_reached": n < 4,
            }
            for n in range(8)
        ]
        file = tmp_path / "calls.jsonl"
        file.write_text("\n".join(map(json.dumps, lines)))
        assert callscope.json("calls", "import", project.pk, file)["errors"] == []
        return project

    def said(self, *, wrong=0):
        made = [
            f"c{n}.wav,mistake,rude,{'made' if (n < 4) == (n >= wrong) else 'not_made'}" for n in range(8)
        ]
        return [*made, *(f"c{n}.wav,goal,,{'reached' if n < 4 else 'not_reached'}" for n in range(8))]

    def test_are_compared_like_criteria(self, callscope, found, labels):
        document = callscope.json(
            "evaluate", labels(*self.said(wrong=1), header=self.HEADER), "--project", found.pk
        )

        mistakes, goal = document["findings"]
        (rude,) = mistakes["items"]
        assert (rude["id"], rude["name"], rude["n"], rude["raw_pct"]) == ("rude", "Is rude", 8, 87.5)
        assert rude["table"]["made"] == {"made": 3, "not_made": 1}
        assert (goal["kind"], goal["n"], goal["kappa"], goal["items"]) == ("goal", 8, 1.0, [])
        assert (document["calls"], document["overall"]["n"], document["criteria"]) == (8, 0, [])

    def test_of_a_half_heard_call_are_compared_where_the_machine_found_something(
        self, callscope, found, labels
    ):
        for analysis in CallAnalysis.objects.filter(project=found):
            analysis.no_protocol["transcript_quality"] = {"ok": False, "reasons": [], "half_heard": True}
            analysis.save()
        file = labels(*self.said(), header=self.HEADER)

        document = callscope.json("evaluate", file, "--project", found.pk)

        assert document["findings"][0]["n"] == 4
        assert 'row 6, c4.wav: the machine could not tell of mistake "rude"' in document["problems"]

    def test_are_printed_for_people(self, callscope, found, labels):
        file = labels(*self.said(wrong=1), header=self.HEADER)

        shown = callscope("evaluate", file, "--project", found.pk).stdout

        assert re.search(r"mistake rude +8 +87\.50 +0\.75 ", shown)
        assert re.search(r"all mistakes +8 +87\.50 ", shown)
        assert re.search(r"goal +8 +100\.00 +1\.00 ", shown)
        assert "mistake rude: machine made, person not_made: 1." in shown

    @pytest.mark.parametrize(("wrong", "below"), [(0, []), (2, ["mistake rude"])])
    def test_guard_a_rubric_too(self, callscope, found, labels, wrong, below):
        file = labels(*self.said(wrong=wrong), header=self.HEADER)

        result = callscope("evaluate", file, "--project", found.pk, "--min-kappa", "0.6", "--json")

        assert (json.loads(result.stdout)["below"], result.exit_code) == (below, 1 if below else 0)

    def test_that_cannot_be_compared_are_named(self, callscope, found, labels):
        file = labels(
            "c1.wav,mistake,late,made",
            "c1.wav,slip,rude,made",
            "c1.wav,mistake,rude,perhaps",
            "absent.wav,goal,,reached",
            "c1.wav,sentiment,,angry",
            "c1.wav,prompt,recording,said",
            "c1.wav,goal,,reached",
            "c1.wav,goal,,unknown",
            header=self.HEADER,
        )

        assert callscope.json("evaluate", file, "--project", found.pk)["problems"] == [
            'row 2, c1.wav: unknown mistake "late"; allowed: rude',
            'row 3, c1.wav: unknown kind "slip"; allowed: mistake, prompt, goal, sentiment',
            'row 4, c1.wav: unknown answer "perhaps"; allowed: made, not_made',
            "row 5, absent.wav: no call of this project with results has this file name",
            'row 6, c1.wav: unknown answer "angry"; allowed: positive, neutral, negative, unknown',
            "row 7, c1.wav: the results of this call lack a prompt",
            "row 9, c1.wav: a second label for the goal; the first counts",
        ]

    def test_stand_next_to_criteria_in_one_file(self, callscope, calls, labels):
        file = labels(
            "c1.wav,greeting,,,met", "c1.wav,,goal,,reached", header="file_name,criterion_id,kind,id,answer"
        )

        document = callscope.json("evaluate", file, "--project", calls.pk)

        assert document["overall"]["n"] == 1
        assert document["problems"] == ["row 3, c1.wav: the results of this call lack a goal"]

    def test_without_their_columns_are_refused(self, callscope, found, labels):
        (line,) = callscope.failure(
            "evaluate", labels("c1.wav,goal,reached", header="file_name,kind,answer"), "--project", found.pk
        )

        assert line.endswith(
            "The header lacks id; it has file_name, kind, answer. Required: file_name, kind, id, answer."
        )
