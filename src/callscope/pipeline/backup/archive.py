"""The format of a backup.

The file is a ZIP archive: `database/TABLE.jsonl` has one row per line, in values that
belong to no particular database; `recordings/KEY` has the bytes of a recording; and
`backup.json`, the last member, has the size and SHA-256 of every other member. So a
backup of SQLite can be restored into PostgreSQL, and the other way round.

Not included: the secret key (a stolen backup must not let anyone in; after a restore all
users sign in again, and API keys stay valid), sessions, failed sign-ins and rate counters,
and the report aggregates, which are computed again.
"""

import base64
import datetime as dt
import decimal
import hashlib
import itertools
import json
import uuid
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, TypedDict

from django.apps import apps
from django.core.files.storage import default_storage
from django.db import connection, models
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from callscope import __version__
from callscope.db.fields import CompressedJSONField

FORMAT = 1
CONTENTS = "backup.json"
MAX_CONTENTS_BYTES = 1024 * 1024 * 1024  # a line of it has about 150
RECORDINGS = "recordings/"
ROWS_AT_ONCE = 1000
COPY_BYTES = 1024 * 1024
PACKAGE = "callscope."
EXCLUDED_APPS = ("reports", "api")  # their tables are computed again, or worthless later
EXCLUDED_MODELS = (
    *("accounts.Session", "accounts.SignInCounter"),  # worth nothing with another secret key
    "calls.ShareLink",  # one that was revoked since would open again
    *("accounts.AuditQueue", "accounts.AuditFold"),  # chained before, or afterwards by the instance itself
)
# Which processes live, and which engine pauses, is true of the other place alone, and the new one may
# have started already. Backups of former versions hold them.
OF_THE_MOMENT = ("pipeline.SiteProcess", "pipeline.EngineState")

ShowProgress = Callable[[str], None]


class InvalidBackup(Exception):
    """The file cannot be restored here; str() is one sentence, and nothing was changed."""


class Member(TypedDict):
    """What the contents say about one member of the archive."""

    size: int
    sha256: str


class Instance(TypedDict):
    """What the contents say about the instance that was backed up."""

    format: int
    callscope: str
    made_at: str
    database: str
    migrations: dict[str, list[str]]


class BackupWriter:
    """Writes tables and recordings, and the contents at the end."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members: dict[str, Member] = {}

    def add_table(self, model: type[models.Model]) -> int:
        """Write all rows of a table and return how many there are."""
        names = [column.attname for column in table_columns(model)]
        rows = model._base_manager.order_by("pk").values_list(*names)
        lines = itertools.chain(
            [names],
            ([to_json_value(value) for value in row] for row in rows.iterator(chunk_size=ROWS_AT_ONCE)),
        )
        # The size is only known afterwards, so the larger format has to be chosen in any case.
        with self._archive.open(member_name(model), "w", force_zip64=True) as member:
            encoded = (json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)
            return self._write(member_name(model), member, encoded) - 1  # the first line names the columns

    def add_recording(self, key: str) -> bool:
        """Write the bytes of a recording; return False if storage does not have them."""
        try:
            stored = default_storage.open(key)
        except FileNotFoundError:
            return False
        # A ZipInfo of its own is stored as it is: most sound is compressed already.
        info = zipfile.ZipInfo(RECORDINGS + key, timezone.now().timetuple()[:6])
        with stored, self._archive.open(info, "w", force_zip64=True) as member:
            self._write(info.filename, member, iter(lambda: stored.read(COPY_BYTES), b""))
        return True

    def finish(self, instance: Instance) -> None:
        """Write the contents, the last member."""
        contents = {**instance, "members": self._members}
        self._archive.writestr(CONTENTS, json.dumps(contents, ensure_ascii=False))

    def _write(self, name: str, member: IO[bytes], parts: Iterable[bytes]) -> int:
        """Write the parts, enter the member in the contents, and return how many parts there were."""
        digest, size, count = hashlib.sha256(), 0, 0
        for part in parts:
            digest.update(part)
            size += len(part)
            count += 1
            member.write(part)
        self._members[name] = {"size": size, "sha256": digest.hexdigest()}
        return count


class BackupReader:
    """Verifies a backup and reads its tables and recordings."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def verify(self, show_progress: ShowProgress) -> None:
        """Read every byte of the archive. Raise InvalidBackup unless it is complete and fits this version."""
        members = self._read_contents()
        expected = {member_name(model) for model in stored_models()}
        passed_over = {member_name(apps.get_model(label)) for label in OF_THE_MOMENT}
        missing = sorted(expected - members.keys())
        if missing:
            raise InvalidBackup(f"The backup is not complete: it lacks {missing[0]}.")
        present = set(self._archive.namelist())
        for number, (name, described) in enumerate(members.items(), 1):
            show_progress(f"checking {number} of {len(members)}")
            if name not in expected | passed_over and not name.startswith(RECORDINGS):
                raise InvalidBackup(f'The backup contains "{name[:100]}", which is not part of any backup.')
            digest, size = hashlib.sha256(), 0
            if name in present:
                with self._archive.open(name) as member:
                    while part := member.read(COPY_BYTES):
                        digest.update(part)
                        size += len(part)
            is_intact = (size, digest.hexdigest()) == (described["size"], described["sha256"])
            if name not in present or not is_intact:
                raise InvalidBackup(f"The backup is damaged: {name} is not what was written.")
        self.recordings = [name for name in members if name.startswith(RECORDINGS)]

    def copy_recording(self, name: str, target: IO[bytes]) -> None:
        """Write the bytes of a recording to the target."""
        with self._archive.open(name) as stored:
            while part := stored.read(COPY_BYTES):
                target.write(part)

    def read_rows(self, model: type[models.Model]) -> Iterator[list[models.Model]]:
        """Yield the rows of a table as unsaved instances, ROWS_AT_ONCE at a time. Raise InvalidBackup."""
        columns = table_columns(model)
        names = [column.attname for column in columns]
        with self._archive.open(member_name(model)) as member:
            if json.loads(member.readline()) != names:
                raise InvalidBackup(f"The backup has other columns in {table_name(model)} than this version.")
            while lines := list(itertools.islice(member, ROWS_AT_ONCE)):
                instances = []
                for row in map(json.loads, lines):
                    values = {n: from_json_value(c, v) for n, c, v in zip(names, columns, row, strict=True)}
                    instances.append(model(**values))
                yield instances

    def _read_contents(self) -> dict[str, Member]:
        """Return the members that the contents list. Raise InvalidBackup if this version cannot read them."""
        try:
            if self._archive.getinfo(CONTENTS).file_size > MAX_CONTENTS_BYTES:
                raise ValueError
            contents = json.loads(self._archive.read(CONTENTS))
            made_by = str(contents["callscope"])
            migrations: dict[str, list[str]] = contents["migrations"]
            members: dict[str, Member] = dict(contents["members"].items())
            if contents["format"] != FORMAT:
                raise ValueError
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            raise InvalidBackup("The file is not a backup that this version of Callscope can read.") from None
        if migrations != applied_migrations():
            raise InvalidBackup(
                f"The backup was made by Callscope {made_by} with other tables than these. "
                f"Restore it with that version, then upgrade and run `callscope init`."
            )
        return members


def stored_models() -> list[type[models.Model]]:
    """Return the models whose rows a backup contains, those that others point to first."""
    selected = []
    for model in apps.get_models(include_auto_created=True):
        relations = [field.related_model for field in model._meta.concrete_fields if field.is_relation]
        # A connecting table may lead to a table that is not ours, such as Django's permissions.
        leads_outside = any(
            isinstance(target, type) and not target.__module__.startswith(PACKAGE) for target in relations
        )
        if (
            model.__module__.startswith(PACKAGE)
            and model._meta.managed
            and model._meta.app_label not in EXCLUDED_APPS
            and model._meta.label not in (*EXCLUDED_MODELS, *OF_THE_MOMENT)
            and not (model._meta.auto_created and leads_outside)
        ):
            selected.append(model)
    return selected


def table_name(model: type[models.Model]) -> str:
    """Return the name that a backup gives to the table, "app.model"."""
    return model._meta.label_lower


def member_name(model: type[models.Model]) -> str:
    """Return the name of the table's member in the archive."""
    return f"database/{table_name(model)}.jsonl"


def table_columns(model: type[models.Model]) -> "list[models.Field[Any, Any]]":
    """Return the columns of a table, in the order of their values in a row."""
    return list(model._meta.concrete_fields)


def applied_migrations() -> dict[str, list[str]]:
    """Return app → migrations of the tables in a backup, which two instances must have in common."""
    labels = {model._meta.app_label for model in stored_models()}
    applied: dict[str, list[str]] = {label: [] for label in sorted(labels)}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        if app in labels:
            applied[app].append(name)
    return applied


def describe_instance() -> Instance:
    """Return what the contents say about this instance."""
    return {
        "format": FORMAT,
        "callscope": __version__,
        "made_at": timezone.now().isoformat(),
        "database": connection.vendor,
        "migrations": applied_migrations(),
    }


def to_json_value(value: Any) -> Any:
    """Return a column's value as a value of JSON."""
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, uuid.UUID | decimal.Decimal):
        return str(value)
    return value


def from_json_value(column: "models.Field[Any, Any]", value: Any) -> Any:
    """Return the column's value from which to_json_value() made this one."""
    target = column.target_field if isinstance(column, models.ForeignKey) else column
    if value is None or isinstance(target, models.JSONField | CompressedJSONField):
        return value
    if isinstance(target, models.BinaryField):
        return base64.b64decode(value)
    return target.to_python(value)
