"""A long manifest makes nobody wait: rows are read outside of transactions, and written in batches."""

import io

import pytest
from django.db import connection

from callscope.calls import manifest, manifest_file
from callscope.calls.models import ManifestRow
from callscope.pipeline.files import intake
from callscope.projects.services import create_project

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = 7


def content() -> io.BytesIO:
    rows = "".join(f"call-{n}.wav,2026-01-{n + 1:02} 10:00\n" for n in range(ROWS))
    return io.BytesIO(b"filename,call_datetime\n" + rows.encode())


@pytest.fixture
def project(alice, monkeypatch):
    monkeypatch.setattr(manifest, "BATCH", 3)
    return create_project(alice, "Line")


def test_rows_are_read_outside_of_a_transaction(alice, project, monkeypatch):
    read, was_in_transaction = manifest_file.read_rows, []

    def watched(file, **options):
        for row in read(file, **options):
            was_in_transaction.append(connection.in_atomic_block)
            yield row

    monkeypatch.setattr(manifest_file, "read_rows", watched)

    result = intake.apply_manifest(project, content(), alice)

    assert len(result.unmatched) == ManifestRow.objects.count() == ROWS
    assert was_in_transaction == [False] * ROWS


def test_what_was_written_stays_and_is_written_again(alice, project, monkeypatch):
    store, calls = manifest._store_waiting, []

    def ends_in_the_second_batch(*arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        store(*arguments)

    monkeypatch.setattr(manifest, "_store_waiting", ends_in_the_second_batch)
    with pytest.raises(KeyboardInterrupt):
        intake.apply_manifest(project, content(), alice)
    assert ManifestRow.objects.count() == 3

    result = intake.apply_manifest(project, content(), alice)

    assert len(result.unmatched) == ManifestRow.objects.count() == ROWS


def test_rows_of_several_batches_that_name_one_file_are_listed(alice, project):
    rows = content().getvalue() + b"call-1.wav,2026-02-01 10:00\ncall-0.wav,2026-02-02 10:00\n"

    result = intake.apply_manifest(project, io.BytesIO(rows), alice)

    assert len(result.unmatched) == ROWS
    assert result.repeated == [
        "row 2, call-0.wav: named again in row 10, whose filled cells count",
        "row 3, call-1.wav: named again in row 9, whose filled cells count",
    ]
    assert ManifestRow.objects.get(file_name="call-0.wav").values["call_datetime"].startswith("2026-02-02")


def test_of_a_project_that_is_deleted_meanwhile_is_refused(alice, project, monkeypatch):
    read = manifest_file.read_rows

    def deleting(file, **options):
        for number, row in enumerate(read(file, **options)):
            if number == 3:
                type(project).objects.filter(pk=project.pk).delete()
            yield row

    monkeypatch.setattr(manifest_file, "read_rows", deleting)

    with pytest.raises(intake.InvalidUpload):
        intake.apply_manifest(project, content(), alice)
