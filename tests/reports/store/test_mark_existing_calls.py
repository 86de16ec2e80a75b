"""The migration that marks the calls of an older version gives them the marks that a refresh would."""

import importlib

import pytest
from django.apps import apps
from django.db import connection
from reports.store.test_marks import LINE

from callscope.reports.models import CallMark

migration = importlib.import_module("callscope.reports.migrations.0010_mark_existing_calls")


class Editor:
    connection = connection


@pytest.mark.parametrize("at_once", [1, 500])
def test_marks_every_call_once_however_often_it_is_run(project, bring_in, monkeypatch, at_once):
    bring_in(project, *(LINE | {"file_name": f"{n}.wav"} for n in range(3)))
    expected = set(CallMark.objects.values_list("call", "project", "day", "kind", "key"))
    CallMark.objects.filter(kind=1).delete()
    monkeypatch.setattr(migration, "CALLS_AT_ONCE", at_once)

    for _ in range(2):
        migration.mark_calls(apps, Editor)

    assert set(CallMark.objects.values_list("call", "project", "day", "kind", "key")) == expected
    assert len(expected) == CallMark.objects.count() == 12, "four for each call"
