"""What does a page of calls that say some words cost, against a LIKE scan over the same transcripts?

Transcripts of 300 words drawn by Zipf's law from 8,000, in a database of its own: SQLite in a
temporary folder, or CALLSCOPE_DATABASE_URL, which must be empty. Ours is page 1 with its count and
snippets, in this process; theirs is one SQL statement that counts the plain texts in which the words
stand. BENCH_CALLS bounds it; the first 10,000 calls, which take a minute, go through the functions of
the product, and all others are copies of their rows.
"""

import os
import random
import tempfile
from datetime import timedelta
from itertools import accumulate

from copies import copy_rows

CALLS = int(os.environ.get("BENCH_CALLS", "10000").split(",")[0])
WORDS = 300  # of a transcript
DIFFERENT = 10_000  # transcripts; more calls are copies of theirs
YEARS = 3  # over which the calls lie
VOCABULARY = 8000
AT_ONCE = 500
SEGMENT = 12  # words
ASKED = {
    "a rare word": "zarare",
    "two words": "w40 w900",
    "a phrase": '"w400 w900"',
    "a phrase of words that most calls say": '"w5 w9"',
    "a word of most calls": "w0",
}
DEPENDENTS = ("reports_spokenwords", "reports_spokenindex")
# Tables with a row for each call, and the columns that count up with it.
COPIED = {
    "calls_call": ("id",),
    "calls_uploadedfile": ("id", "call_id"),
    "analysis_callanalysis": ("id", "file_id", "call_id"),
    "transcription_transcript": ("id", "file_id"),
    "reports_callfact": ("call_id",),
    "reports_spokencall": ("transcript_id", "call_id"),
    "reports_spokenwords": ("transcript_id",),
    "bench_plain": ("call_id",),
}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="callscope-bench-") as folder:
        os.environ.setdefault("CALLSCOPE_DATA_DIR", folder)
        os.environ["DJANGO_SETTINGS_MODULE"] = "callscope.settings"
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        from measuring import heading

        build()
        heading(CALLS)
        measure()


def build() -> None:
    """Store calls with transcripts and their plain texts, as a LIKE scan would read them."""
    from django.db import connection

    from callscope.accounts.models import User
    from callscope.projects.services import create_project
    from callscope.reports.search import spoken_words
    from callscope.reports.store.rebuild import rebuild_rollups

    owner = User.objects.create_user(email="bench@example.com", password=None)
    project = create_project(owner=owner, name="Bench", type="call", team=None, document={}, by=owner)
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_plain (call_id BIGINT PRIMARY KEY, text TEXT)")
    texts = draw_texts(min(CALLS, DIFFERENT))
    stems = [spoken_words.build_text(build_segments(words), "en") for words in texts]
    for start in range(0, len(texts), AT_ONCE):
        store(project, texts[start : start + AT_ONCE], stems[start : start + AT_ONCE], start)
    copy_calls()
    rebuild_rollups()


def copy_calls() -> None:
    """Copy the rows of the calls until there are CALLS of them, and index what the copies say."""
    from django.db import connection

    index = "CREATE INDEX reports_spokenindex ON reports_spokenwords USING gin ({})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # built at once it is as large, and made in a tenth of the time
            cursor.execute("DROP INDEX reports_spokenindex")
        copy_rows(cursor, COPIED, first=DIFFERENT, calls=CALLS)
        if connection.vendor == "postgresql":
            cursor.execute("SET maintenance_work_mem = '512MB'")
            cursor.execute(index.format("array_to_tsvector(string_to_array(btrim(text), ' '))"))
            cursor.execute("ANALYZE")
        else:
            cursor.execute(
                "INSERT INTO reports_spokenindex(rowid, text)"
                " SELECT transcript_id, text FROM reports_spokenwords WHERE transcript_id > %s",
                [DIFFERENT],
            )


def draw_texts(count: int) -> list[list[str]]:
    """Return so many texts, each a list of WORDS words; every 500th says a rare one, every 100th a phrase."""
    dice = random.Random(7)
    vocabulary = [f"w{n}" for n in range(VOCABULARY)]
    weights = list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))
    texts = [dice.choices(vocabulary, cum_weights=weights, k=WORDS) for _ in range(count)]
    for words in texts[::500]:
        words[7] = "zarare"
    for words in texts[::100]:
        words[8:10] = ["w400", "w900"]
    return texts


def store(project: object, texts: list[list[str]], stems: list[str], start: int) -> None:
    """Store the calls of these texts with their transcripts, whose stems are known."""
    from django.db import connection, transaction
    from django.utils import timezone

    from callscope.analysis.models import CallAnalysis
    from callscope.calls.models import Call, UploadedFile
    from callscope.reports.search import spoken_words
    from callscope.reports.store import facts
    from callscope.transcription.models import Transcript

    now, dice = timezone.now(), random.Random(start)
    names = [f"c{number}" for number in range(start, start + len(texts))]
    with transaction.atomic():
        calls = Call.objects.bulk_create(
            Call(
                project=project, file_name=f"{name}.srt", name_stem=name, uploaded_at=now,
                call_datetime=now - timedelta(hours=dice.randrange(YEARS * 365 * 24)),
            )
            for name in names
        )  # fmt: skip
        files = UploadedFile.objects.bulk_create(
            UploadedFile(
                project=project, call=call, original_filename=call.file_name, file_type="srt", created_at=now
            )
            for call in calls
        )
        CallAnalysis.objects.bulk_create(
            CallAnalysis(
                file=file, call=call, project=project, is_live=True, insights_state=3, insights={"topic": "t"}
            )
            for file, call in zip(files, calls, strict=True)
        )
        transcripts = Transcript.objects.bulk_create(
            Transcript(
                file=file, project=project, segments=build_segments(words), language="en", engine="bench"
            )
            for file, words in zip(files, texts, strict=True)
        )
        spoken_words.store_stems((each.pk, text) for each, text in zip(transcripts, stems, strict=True))
        facts.refresh([call.pk for call in calls])
        with connection.cursor() as cursor:
            plain = [(call.pk, " ".join(words)) for call, words in zip(calls, texts, strict=True)]
            cursor.executemany("INSERT INTO bench_plain VALUES (%s, %s)", plain)


def build_segments(words: list[str]) -> list[dict[str, object]]:
    """Return the words of a call as segments of two speakers by turns."""
    return [
        {"start": at * 4.0, "end": at * 4.0 + 3, "speaker": ("agent", "customer")[at % 2],
         "text": " ".join(words[at * SEGMENT : (at + 1) * SEGMENT]), "confidence": None}
        for at in range(WORDS // SEGMENT)
    ]  # fmt: skip


def measure() -> None:
    from django.db import connection
    from measuring import line, median_ms, row

    from callscope.projects.models import Project
    from callscope.reports.call_list.filters import CallFilters
    from callscope.reports.call_list.listing import find_calls
    from callscope.reports.window import ALL_TIME

    projects = list(Project.objects.all())
    for what, text in ASKED.items():
        filters = CallFilters.from_query({"transcript": text})
        like = [f"%{part}%" for part in ([text.strip('"')] if '"' in text else text.split())]

        def ours(filters: CallFilters = filters) -> object:
            return find_calls(projects, ALL_TIME, filters)

        def theirs(like: list[str] = like) -> None:
            with connection.cursor() as cursor:
                where = " AND ".join(["text LIKE %s"] * len(like))
                cursor.execute(f"SELECT count(*) FROM bench_plain WHERE {where}", like)
                cursor.fetchall()

        count = find_calls(projects, ALL_TIME, filters).count
        line(f"page 1 of {what} ({count:,} calls)", median_ms(ours, 7), median_ms(theirs, 7), "–")
    sizes = [size_of(table) for table in ("bench_plain", *DEPENDENTS)]
    for name, size in zip(("stems", "index"), sizes[1:], strict=True):
        row(
            f"bytes of the {name} against the plain texts",
            size / sizes[0],
            "–",
            f"{size / CALLS:,.0f} a call",
        )


def size_of(table: str) -> int:
    """Return the bytes of a table or index."""
    from django.db import connection

    statement = "SELECT pg_total_relation_size(%s)"
    if connection.vendor == "sqlite":
        column = {"bench_plain": "text", "reports_spokenwords": "text"}.get(table, "block")
        table = f"{table}_data" if column == "block" else table
        statement = f"SELECT sum(length({column})) FROM {table} WHERE %s IS NOT NULL"
    elif table == "reports_spokenwords":
        statement = "SELECT pg_table_size(%s)"
    with connection.cursor() as cursor:
        cursor.execute(statement, [table])
        return int(cursor.fetchone()[0])


if __name__ == "__main__":
    main()
