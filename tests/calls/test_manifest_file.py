"""Manifests as spreadsheets write them."""

import io

import pytest

from callscope.calls import manifest_file
from callscope.calls.manifest_file import BadRow, InvalidManifest, Row, read_rows

ROW = "llamada ñ.wav{d}2026-01-05 10:00{d}Campaña\r\n"
HEAD = "filename{d}call_datetime{d}campaign\r\n"


def rows(content):
    return list(read_rows(io.BytesIO(content if isinstance(content, bytes) else content.encode())))


class TestReading:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t"])
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
    def test_takes_every_encoding_and_delimiter(self, delimiter, encoding):
        [row] = rows((HEAD + ROW).format(d=delimiter).encode(encoding))

        assert (row.number, row.file_name, row.values["campaign"]) == (2, "llamada ñ.wav", "Campaña")

    def test_reads_the_signs_that_only_cp1252_has(self):
        [row] = rows((HEAD + ROW).format(d=",").replace("Campaña", "5 € – “ñ”").encode("cp1252"))

        assert row.values["campaign"] == "5 € – “ñ”"

    def test_takes_header_names_in_any_case_and_order_and_ignores_others(self):
        [row] = rows(" Campaign , notes,CALL_DATETIME,FileName \nSpring,x,2026-01-05 10:00,a.wav\n")

        assert (row.file_name, row.values["campaign"]) == ("a.wav", "Spring")

    def test_takes_quoted_cells_with_delimiters_quotes_and_line_breaks(self):
        [first, second] = rows(
            'filename,call_datetime,campaign\n"a,b.wav",,"He said ""hi""\nand left"\nc.wav,,x\n'
        )

        assert first.file_name == "a,b.wav"
        assert first.values["campaign"] == 'He said "hi"\nand left'
        assert second.number == 3

    @pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
    def test_refuses_a_file_of_too_many_lines_before_a_row_is_read(self, end, encoding, monkeypatch):
        monkeypatch.setattr(manifest_file, "MAX_LINES", 4)
        fitting = f"filename,call_datetime{end}" + f"a.wav,2026-01-05 10:00{end}" * 3

        assert len(rows(fitting.encode(encoding))) == 3
        with pytest.raises(InvalidManifest) as refused:
            next(read_rows(io.BytesIO(f"{fitting}b.wav,2026-01-05 10:00{end}".encode(encoding))))

        assert str(refused.value.message) == "The file has more than 4 lines. Send it in parts."

    def test_obeys_the_separator_line_that_excel_writes(self):
        assert [r.number for r in rows("sep=;\nfilename;call_datetime\na.wav;2026-01-05 10:00\n")] == [3]

    def test_passes_over_blank_rows_and_still_counts_them(self):
        found = rows("filename,call_datetime\n\n,,\na.wav,2026-01-05 10:00\n")

        assert [(r.number, r.file_name) for r in found] == [(4, "a.wav")]

    def test_takes_short_and_long_rows(self):
        found = rows("filename,call_datetime,campaign\na.wav,2026-01-05 10:00\nb.wav,,x,y,z\n")

        assert all(isinstance(row, Row) for row in found)

    def test_drops_the_path_before_a_name(self):
        assert [r.file_name for r in rows("filename,call_datetime\nC:\\calls\\a.wav,2026-01-05 10:00\n")] == [
            "a.wav"
        ]


class TestBadRow:
    @pytest.mark.parametrize(
        ("row", "sentence"),
        [
            ("a.wav,,,in", "row 2, a.wav: unknown direction 'in'"),
            (
                "a.wav,32/13/2026 10:00,,",
                "row 2, a.wav: unreadable call_datetime '32/13/2026 10:00', write it as in 2026-03-31 14:05",
            ),
            (f"a.wav,,{'x' * 65},", "row 2, a.wav: agent_id has 65 characters, at most 64 are allowed"),
            ("a.wav,,,", "row 2, a.wav: nothing but a file name"),
            (",2026-01-05 10:00,,", "row 2, (no file name): filename is blank"),
            ("a.wav,,\x00,", "row 2, a.wav: agent_id contains unreadable characters"),
        ],
    )
    def test_says_where_and_why_and_leaves_the_rest_alone(self, row, sentence):
        bad, good = rows(f"filename,call_datetime,agent_id,direction\n{row}\nb.wav,,7,\n")

        assert (str(bad.message), isinstance(bad, BadRow)) == (sentence, True)
        assert good.file_name == "b.wav"

    def test_comes_of_a_cell_without_end_and_the_rest_goes_on(self):
        found = rows(f"filename,call_datetime,campaign\na.wav,,{'x' * 2_000_000}\nb.wav,,Spring\n")

        assert [type(row) for row in found] == [BadRow, Row]


class TestWrongManifest:
    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\n\n",
            b"name,when\na.wav,2026-01-05 10:00\n",
            b"filename,campaign\na.wav,x\n",
            "filename,call_datetime\n".encode("utf-32"),
            "filename,call_datetime\n".encode("utf-16-le"),
            b"\x89PNG\r\n\x1a\n\x00\x00\x00",
            b"filename,call_datetime" + b"x" * 100_000,
        ],
    )
    def test_is_refused_as_a_whole_with_a_sentence(self, content):
        with pytest.raises(InvalidManifest, match=r"\.$"):
            rows(content)
