"""Calls erased from a served instance: no byte of them is left in the data folder or in a new backup."""

import contextlib
import shutil
import sqlite3
import zipfile
from pathlib import Path

import pytest
from journeys_server import Installation, create_project, wait_until_analysed

from callscope.db import compression

pytestmark = [pytest.mark.journey, pytest.mark.one_database]

#: What only the calls that are erased say, each in another place.
MARKERS = {
    "file": "zqjxfile",
    "number": "+34919283746",
    "agent": "Wzqjxagent",
    "topic": "vzqjxtopic",
    "words": "kzqjxwords",
    "waiting": "zqjxwaits",
}
KEPT = "qkeptcall"
FRAME = b"\x28\xb5\x2f\xfd"  # with which a Zstandard frame begins
LONGEST_FRAME = 100_000  # bytes


def talk(mark: str, topic: str) -> bytes:
    """Return a transcript with a marker in what each side says."""
    return (
        "1\n00:00:00,000 --> 00:00:03,000\nAgent: Good morning, my name is "
        f"{MARKERS['agent'] if mark != KEPT else 'Ana'} speaking, how can I help you?\n\n"
        f"2\n00:00:04,000 --> 00:00:08,000\nCustomer: I am calling about my {topic} invoice {mark}.\n\n"
        f"3\n00:00:09,000 --> 00:00:12,000\nAgent: I have corrected {mark} for you.\n\n"
        "4\n00:00:13,000 --> 00:00:16,000\nCustomer: Thank you, that solves it.\n"
    ).encode()


def find_markers(data: bytes) -> set[str]:
    """Return the markers in some bytes, as they are and in every Zstandard frame, whole or cut off."""
    texts = [data, *(read_frame(data[start : start + LONGEST_FRAME]) for start in find_frames(data))]
    everything = b"\n".join(text.lower() for text in texts)
    return {word for word in MARKERS.values() if word.lower().encode() in everything}


def find_frames(data: bytes):
    start = -1
    while (start := data.find(FRAME, start + 1)) >= 0:
        yield start


def read_frame(data: bytes) -> bytes:
    """Return what a frame at the beginning of the bytes holds; b"" if it is none."""
    decompressor = compression.zstd.ZstdDecompressor(zstd_dict=compression._vocabulary())
    try:
        return decompressor.decompress(data)
    except compression.zstd.ZstdError:
        return b""


def search_folder(folder: Path) -> dict[str, set[str]]:
    """Return file → markers in it, for the names of files and their bytes."""
    found = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        here = find_markers(path.name.encode() + b"\n" + path.read_bytes())
        if here:
            found[str(path.relative_to(folder))] = here
    return found


def search_backup(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as archive:
        return find_markers(b"\n".join(name.encode() + archive.read(name) for name in archive.namelist()))


def read_pieces(database: Path) -> list[bytes]:
    """Return the pages of the search index; lower rows only count them."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT block FROM reports_callpieces_data WHERE id > 10 ORDER BY id")
        return [row[0] for row in rows]


def rebuild_pieces(database: Path, copy: Path) -> Path:
    """Copy the database and build its search index again, from the texts of the calls that are left."""
    shutil.copyfile(database, copy)
    with contextlib.closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("INSERT INTO reports_callpieces(reports_callpieces) VALUES ('rebuild')")
    return copy


@pytest.fixture(scope="module")
def erased(tmp_path_factory):
    """Three calls of one caller, two of them erased by command and by request, and one of another caller."""
    home = tmp_path_factory.mktemp("erasure")
    installation = Installation(home / "data")
    key = installation.owner_with_key()
    with installation.served(workers=1) as server, server.client(key) as client:
        project = create_project(client, "P")

        def upload(name: str, content: bytes, **fields: str) -> dict:
            answer = client.post(
                "/api/files/", files={"file": (name, content)}, data={"project": str(project), **fields}
            )
            assert answer.status_code == 201, answer.text
            return answer.json()

        words, topic = MARKERS["words"], MARKERS["topic"]
        number, agent = MARKERS["number"], MARKERS["agent"]
        first = upload(f"{MARKERS['file']}-1.srt", talk(words, topic), caller_number=number, agent_name=agent)
        upload(
            f"{MARKERS['file']}-2.srt",
            talk(words, topic),
            caller_number=number,
            campaign=f"c{MARKERS['file']}",
        )
        upload("kept.srt", talk(KEPT, "plain"), caller_number="+34600000001")
        rows = [
            "filename,caller_number,call_datetime",
            f"{MARKERS['file']}-2.wav,{number},2026-01-05 10:00",
            f"{MARKERS['waiting']}.wav,0034919283746,2026-01-05 10:00",
        ]
        manifest = "\n".join(rows)
        answer = client.post(
            f"/api/projects/{project}/call-manifest/", files={"file": ("m.csv", manifest.encode())}
        )
        assert answer.status_code == 200, answer.text
        wait_until_analysed(client, project)
        # A number that was changed before leaves its former spelling in the index.
        client.patch(f"/api/files/{first['id']}/", json={"caller_number": number, "campaign": words})
        before = search_folder(installation.folder)
        assert client.delete(f"/api/files/{first['id']}/").status_code == 204
        receipt = installation.json("erase", "--caller-number", "0034 919 28 37 46")
        report = client.get("/calls/api/report/", params={"project_id": project}).json()
        running = search_folder(installation.folder)
    installation.run("backup", str(home / "new.zip"))
    return installation, home, before, running, receipt, report


class TestErasure:
    def test_had_something_to_erase(self, erased):
        _, _, before, *_ = erased

        assert set().union(*before.values()) == set(MARKERS.values())

    def test_leaves_nothing_while_the_server_runs(self, erased):
        assert erased[3] == {}

    def test_leaves_nothing_after_the_stop(self, erased):
        assert search_folder(erased[0].folder) == {}

    def test_leaves_nothing_in_a_new_backup(self, erased):
        assert search_backup(erased[1] / "new.zip") == set()

    def test_leaves_no_piece_in_the_search_index(self, erased, tmp_path):
        database = erased[0].folder / "callscope.sqlite3"
        rebuilt = rebuild_pieces(database, tmp_path / "copy.sqlite3")

        assert read_pieces(database) == read_pieces(rebuilt) != []

    def test_gives_a_receipt_without_names(self, erased):
        receipt = erased[4]

        assert find_markers(str(receipt).encode()) == set()
        assert (receipt["erased"]["calls"], receipt["erased"]["files"], receipt["is_cleaned"]) == (1, 1, True)

    def test_leaves_figures_that_equal_a_rebuild(self, erased):
        installation, *_, report = erased

        assert report["headline"]["total_calls"] == 1
        assert installation.json("reports", "verify")["ok"]
