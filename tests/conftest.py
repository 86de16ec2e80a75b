"""The environment of every test, and the cast: Alice owns, Bob shares, Carol is outside."""

import contextlib
import functools
import gc
import itertools
import os
import shutil
from pathlib import Path

import hypothesis
import pytest

from tests import prepared
from tests.effort import EFFORT, count_examples

# Two processes share two cores here: a thread that only waits for its turn takes time from the other.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# Nothing that is loaded and collected before the first test is garbage.
gc.disable()

# No test may depend on how busy the machine is. The examples are others at each run.
EXAMPLES = 100 if EFFORT > 1 else count_examples(40)
hypothesis.settings.register_profile("callscope", deadline=None, print_blob=True, max_examples=EXAMPLES)
hypothesis.settings.load_profile("callscope")

STRICT = os.environ.get("CALLSCOPE_TEST_STRICT") == "1"
SERVING = {"crash", "journeys", "pipeline"}  # folders whose tests start servers and workers
# The folders and files that take longest, in the order in which they begin.
LONG = (
    "crash",
    "journeys",
    "pipeline",
    "test_matrix.py",
    "contract",
    "test_every_setup_page.py",
    "test_every_page.py",
    "cli",
)
# Every page and route is asked on both databases by test_every_page, test_every_setup_page and the
# tests of the contract; what else the file of a view looks at is how it shows its data. These ask
# for rows by what the databases do in ways of their own.
VIEWS_ON_BOTH = {
    "test_blinded_lists.py",
    "test_call_filters.py",
    "test_calls.py",
    "test_details_undo.py",
    "test_erasure.py",
    "test_every_page.py",
    "test_every_setup_page.py",
    "test_files.py",
    "test_kept_back.py",
    "test_namesakes.py",
    "test_retry_failed.py",
    "test_review_effect.py",
    "test_shared_names.py",
    "test_usage_and_health.py",
}
# Files about what is the same on any database: bytes and ranges, documents, sound, mails, words, who may do
# what, and what jobs make of rows that other tests read and write on both. So do all commands (tests/cli).
# `make test-all` runs these on PostgreSQL, too.
ON_ONE_DATABASE = {
    "accounts/test_mail_html.py",
    "accounts/test_password_hasher.py",
    "accounts/test_second_factor.py",
    "analysis/lint/test_lint.py",
    "api/docs/test_api_guide.py",
    "api/docs/test_openapi.py",
    "api/test_agents_view.py",
    "api/test_authentication.py",
    "api/test_key_scope.py",
    "api/test_matrix.py",
    "contract/test_fuzz.py",  # what a database refuses is in test_strange_input.py
    "contract/test_large_manifest.py",
    # test_every_point.py lets a process die at every point on both; `make crash` runs these, too.
    "crash/test_regroupings.py",
    "crash/test_replays.py",
    "crash/test_sweep.py",
    "gate/test_senders.py",
    "journeys/test_stop.py",
    "pipeline/decisions/test_headings_by_hand.py",
    "pipeline/files/test_names_by_a_model.py",
    "pipeline/queue/breakers/test_local_engines.py",
    "pipeline/queue/breakers/test_parking.py",
    "pipeline/queue/test_notifier.py",  # messages to a broker; test_worker.py runs workers on both
    "pipeline/report_mail/test_report_mails.py",
    "pipeline/rubric_changes/probes/test_probes.py",
    "pipeline/rubric_changes/replays/test_replays.py",
    "pipeline/test_failures_show.py",
    "pipeline/transfer/test_fast_parser.py",
    "pipeline/transfer/test_line_parser.py",
    "pipeline/transfer/test_result_validation.py",
    "pipeline/workers/test_job_process.py",  # killed and frozen processes; test_worker.py drains on both
    "pipeline/workers/test_relief.py",
    "pipeline/workers/test_stages.py",
    "projects/test_permissions.py",
    "reports/test_pdf_story.py",
    "transcription/test_transcribe.py",
    "web/honest/test_judging_pages.py",
    "web/honest/test_other_pages.py",
    "web/honest/test_printed.py",
    "web/honest/test_question_pages.py",
    "web/honest/test_report_page.py",
    "web/honest/test_reviewing_pages.py",
    "web/test_hosts.py",
    "web/test_secure_cookies.py",
    "web/test_static_files.py",
    "web/test_translated_messages.py",
}
ANOTHER_DATABASE = bool(os.environ.get("CALLSCOPE_TEST_DATABASE_URL"))
SHARED_DATA = Path(__file__).parent.parent.parent / "shared" / "data"


def pytest_configure(config) -> None:
    """Let the processes of this run share one migrated database, also without run_suites.py."""
    worker = getattr(config, "workerinput", None)
    if prepared.FOLDER not in os.environ and worker is None:
        os.environ[prepared.FOLDER] = str(prepared.make_folder())
    if worker and [Path(each).resolve() for each in config.args] == [Path(__file__).parent]:
        config.args[:] = folders_from(int(worker["workerid"].removeprefix("gw")), worker["workercount"])


def folders_from(worker: int, workers: int) -> list[str]:
    """Return the folders of tests/, each worker's beginning with another share of them.

    To compile all tests takes 20 s of computing. Each worker compiles what it comes to first, and
    finds the rest compiled by the others.
    """
    folders = sorted(str(path) for path in Path(__file__).parent.glob("*/") if path.name[0] != "_")
    first = len(folders) * worker // workers
    return folders[first:] + folders[:first]


def pytest_collection_modifyitems(config, items) -> None:
    """Put long files first; on a second database leave out what touches none."""
    for item in items:
        if "tmp_path" in item.fixturenames:
            item.fixturenames.insert(0, "_recordings_in_tmp_path")
    places = {path: place_in_order(path) for path in {item.path for item in items}}
    items.sort(key=lambda item: (places[item.path], item.path))  # stable: the order stays otherwise
    if not ANOTHER_DATABASE:
        both = [
            item for item in items if asks_the_database(item) and not item.get_closest_marker("one_database")
        ]
        prepared.name_files(sorted({str(item.path) for item in both}))
        return
    left_out = [item for item in items if not asks_the_database(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if asks_the_database(item)]


def pytest_collection_finish() -> None:
    """Let the garbage collector look no more at what stays to the end, and forks share it.

    A look at the 600,000 objects of all tests takes 0.4 s.
    """
    gc.freeze()
    gc.enable()


def place_in_order(path: Path) -> int:
    """Return the place of a file among the long ones, and one behind all of them for the others."""
    parts = {*folders_of(path), path.name}
    return next((place for place, name in enumerate(LONG) if name in parts), len(LONG))


@functools.cache
def folders_of(path: Path) -> frozenset[str]:
    """Return the names of the folders below tests/ that a file lies in."""
    return frozenset(path.relative_to(Path(__file__).parent).parts[:-1])


def asks_the_database(item) -> bool:
    """Return whether a test asks something of the database, here or in processes that it starts."""
    if EFFORT == 1 and is_left_to_one_database(item.path):
        return False
    if folders_of(item.path) & {*SERVING, "cli"}:
        return True
    named = {"db", "transactional_db", "django_db_setup", "live_server"}
    return item.get_closest_marker("django_db") is not None or bool(named & set(item.fixturenames))


@functools.cache
def is_left_to_one_database(path: Path) -> bool:
    """Return whether `make test` asks a file on SQLite alone."""
    file = path.relative_to(Path(__file__).parent)
    is_view = "views" in file.parts and file.name not in VIEWS_ON_BOTH
    return is_view or file.parts[0] == "cli" or file.as_posix() in ON_ONE_DATABASE


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Begin each test in the default language: a request leaves that of its reader behind."""
    from django.utils import translation

    translation.deactivate()


def missing(what: str) -> None:
    """Skip with the reason; in strict mode, where the machine can have it, fail."""
    if STRICT:
        pytest.fail(f"strict mode: {what}", pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="module")
def chromium():
    """The browser that the journeys of a module drive."""
    import browser as browsers  # tests/journeys is on the path of its own modules alone

    if not browsers.executable():
        missing(f"no browser: {', '.join(browsers.BROWSERS)}")
    with browsers.chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def lending(chromium):
    """The pages of that browser that tests of a module have one after the other."""
    from lent_pages import Lending

    lending = Lending(chromium)
    yield lending
    lending.close()


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment, django_db_blocker, django_db_modify_db_settings):
    """The database of this process: a copy of the one that was migrated for the whole run."""
    from django.db import connection
    from django.test.utils import setup_databases, teardown_databases

    own = connection.settings_dict["TEST"]
    if connection.vendor == "sqlite":
        shutil.copyfile(prepared.sqlite_database(), own["NAME"])
    else:
        own["TEMPLATE"] = prepared.postgres_database(os.environ["CALLSCOPE_TEST_DATABASE_URL"])
    with django_db_blocker.unblock():
        made = setup_databases(verbosity=0, interactive=False, keepdb=True, serialized_aliases=())
        keep_ids_of_tables_apart(connection)
        if connection.vendor == "postgresql":
            empty_tables_by_deletion(connection)
        keep_what_migrations_wrote(connection)
    yield
    with django_db_blocker.unblock():
        teardown_databases(made, verbosity=0)


def keep_ids_of_tables_apart(connection) -> None:
    """Let each table count its ids from a number of its own.

    A test that takes one table's id for another's, or a small number for an absent id, would
    otherwise pass or fail by what ran before it in the same process.
    """
    from django.apps import apps

    tables = sorted(model._meta.db_table for model in apps.get_models(include_auto_created=True))
    with connection.cursor() as cursor:
        for place, table in enumerate(tables, start=1):
            first = place * 100_000
            if connection.vendor == "sqlite":
                cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, first])
            else:
                cursor.execute(
                    "SELECT setval(s, %s) FROM (SELECT pg_get_serial_sequence(quote_ident(%s), 'id') AS s"
                    " WHERE EXISTS (SELECT FROM information_schema.columns"
                    " WHERE table_name = %s AND column_name = 'id')) AS found WHERE s IS NOT NULL",
                    [first, table, table],
                )


def keep_what_migrations_wrote(connection) -> None:
    """Leave permissions and types of content where they are when the tables are emptied after a test.

    To delete them and to write the same ones again takes 150 ms of computing, 20 times all the rest.
    """
    from django.contrib.auth.models import Permission
    from django.contrib.contenttypes.models import ContentType
    from django.core.management.commands import flush

    kept = {model._meta.db_table for model in (Permission, ContentType)}
    empty = connection.ops.sql_flush

    def sql_flush(style, tables, **options):
        return empty(style, [table for table in tables if table not in kept], **options)

    connection.ops.sql_flush = sql_flush
    flush.emit_post_migrate_signal = lambda *_, **__: None  # its receivers would write them


def empty_tables_by_deletion(connection) -> None:
    """Empty the tables after a test with transactions by DELETE: TRUNCATE makes 400 new files each time.

    That takes a second where deleting the few rows takes 6 ms. Triggers and foreign keys are off
    meanwhile, as with TRUNCATE; a role that may not turn them off goes on with TRUNCATE.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        if not cursor.fetchone()[0]:
            return
    truncate = connection.ops.sql_flush

    def sql_flush(style, tables, *, reset_sequences=False, allow_cascade=False):
        if reset_sequences:
            return truncate(style, tables, reset_sequences=True, allow_cascade=allow_cascade)
        deletions = [f"DELETE FROM {connection.ops.quote_name(table)}" for table in tables]
        return ["SET LOCAL session_replication_role = replica", *deletions]

    connection.ops.sql_flush = sql_flush


@pytest.fixture(scope="module")
def recordings_of_module(_recordings_folders):
    """The folder of the recordings that a module makes once, for copy_recordings()."""
    return next(_recordings_folders)


@pytest.fixture(scope="module")
def rows_of_module(django_db_setup, django_db_blocker, recordings_of_module):
    """Return a context in which a module makes the rows that each of its tests begins with.

    They lie in a transaction around the tests of the module, each of which is a savepoint in it. Tests get
    copies of the objects (copy.deepcopy), and none of them may ask for a database with transactions.
    """
    from django.db import transaction

    around = transaction.atomic()
    around._from_testcase = True  # as the transaction of a test: durable ones may begin in it
    with django_db_blocker.unblock():
        around.__enter__()

    @contextlib.contextmanager
    def making():
        with django_db_blocker.unblock(), recordings_stored_in(recordings_of_module):
            yield

    yield making
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data next to the repository; skips where there is none."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no ../shared/data next to the repository")
    return SHARED_DATA


@pytest.fixture(scope="session", autouse=True)
def _static_files_once():
    """Let all clients of this process share the list of static files, which takes each of them 5 ms."""
    from whitenoise.middleware import WhiteNoiseMiddleware

    find = WhiteNoiseMiddleware.add_files_from_finders
    found: dict[str, dict] = {}

    def add_files_from_finders(self):
        if self.static_prefix not in found:
            find(self)
            found[self.static_prefix] = dict(self.files)
        self.files.update(found[self.static_prefix])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", add_files_from_finders)
        yield


@pytest.fixture(scope="session")
def live_server():
    """A server in this process whose static files come from the middleware, as those of users do."""
    from pytest_django.live_server_helper import LiveServer

    with pytest.MonkeyPatch.context() as patch:
        # Its thread keeps what it finds here when it is made.
        patch.setattr(
            "django.contrib.staticfiles.handlers.StaticFilesHandler", lambda application: application
        )
        server = LiveServer("localhost")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def _recordings_folders(tmp_path_factory):
    """The names of folders for recordings, of which each is made when something is stored in it."""
    parent = tmp_path_factory.mktemp("recordings")
    return (parent / str(number) for number in itertools.count(1))


@pytest.fixture(autouse=True)
def _own_recordings_folder(_recordings_folders):
    # Few tests store anything; pytest makes, links and removes a folder for each that asks for tmp_path.
    store_recordings_in(next(_recordings_folders))


@pytest.fixture
def _recordings_in_tmp_path(tmp_path, _own_recordings_folder):
    """What each test that asks for tmp_path begins with."""
    store_recordings_in(tmp_path / "recordings")


def store_recordings_in(folder: Path) -> None:
    """Let the storage of this process be a folder.

    To change settings.STORAGES would send signals here and after each test.
    """
    from django.conf import settings
    from django.core.files.storage import default_storage, storages
    from django.utils.functional import empty

    settings.STORAGES["default"]["OPTIONS"]["location"] = str(folder)
    storages._storages.pop("default", None)
    default_storage._wrapped = empty


def copy_recordings(folder: Path) -> None:
    """Give a test copies of the recordings that its module made once."""
    from django.conf import settings

    shutil.copytree(folder, settings.STORAGES["default"]["OPTIONS"]["location"], dirs_exist_ok=True)


@contextlib.contextmanager
def recordings_stored_in(folder: Path):
    """Let the storage be a folder while something is made for several tests."""
    from django.conf import settings

    before = settings.STORAGES["default"]["OPTIONS"]["location"]
    store_recordings_in(folder)
    yield
    store_recordings_in(Path(before))


@pytest.fixture
def alice(db):
    from callscope.accounts.models import User

    return User.objects.create_user("alice@example.com", "alice-password")


@pytest.fixture
def bob(db):
    from callscope.accounts.models import User

    return User.objects.create_user("bob@example.com", "bob-password")


@pytest.fixture
def carol(db):
    from callscope.accounts.models import User

    return User.objects.create_user("carol@example.com", "carol-password")


@pytest.fixture
def project(alice):
    """A call project of Alice's with all defaults."""
    from callscope.projects.models import Project

    return Project.objects.create(name="Service line", owner=alice)
