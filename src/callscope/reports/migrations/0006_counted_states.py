"""Count calls by the states of their newest analyses, by triggers on the analyses.

SQLite has one writer, so its triggers keep one row a combination. On PostgreSQL a row that every
writer changes would make them wait for each other: each statement appends what it changed.
"""

from django.db import migrations, models

COLUMNS = ("copc_state", "no_protocol_state", "custom_questions_state", "insights_state")
KEY = f"project_id, {', '.join(COLUMNS)}"


def values(row: str) -> str:
    return ", ".join([f"{row}project_id", *(f"COALESCE({row}{column}, 0)" for column in COLUMNS)])


def same(row: str) -> str:
    return " AND ".join([f"project_id = {row}project_id", *(f"{c} = COALESCE({row}{c}, 0)" for c in COLUMNS)])


ONE_MORE = f"""INSERT INTO reports_statecount ({KEY}, calls) VALUES ({values("new.")}, 1)
    ON CONFLICT ({KEY}) DO UPDATE SET calls = calls + 1;"""
ONE_LESS = f"UPDATE reports_statecount SET calls = calls - 1 WHERE {same('old.')};"
SQLITE = [
    f"CREATE UNIQUE INDEX reports_statecount_once ON reports_statecount ({KEY})",
    f"""CREATE TRIGGER reports_states_added AFTER INSERT ON analysis_callanalysis WHEN new.is_newest BEGIN
        {ONE_MORE}
    END""",
    f"""CREATE TRIGGER reports_states_removed AFTER DELETE ON analysis_callanalysis WHEN old.is_newest BEGIN
        {ONE_LESS}
    END""",
    f"""CREATE TRIGGER reports_states_left AFTER UPDATE OF is_newest, {KEY} ON analysis_callanalysis
        WHEN old.is_newest BEGIN
        {ONE_LESS}
    END""",
    f"""CREATE TRIGGER reports_states_entered AFTER UPDATE OF is_newest, {KEY} ON analysis_callanalysis
        WHEN new.is_newest BEGIN
        {ONE_MORE}
    END""",
]
POSTGRESQL = [
    f"""CREATE FUNCTION reports_count_states() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            INSERT INTO reports_statecount ({KEY}, calls)
            SELECT {values("")}, COUNT(*) FROM added WHERE is_newest GROUP BY 1, 2, 3, 4, 5;
        ELSIF TG_OP = 'DELETE' THEN
            INSERT INTO reports_statecount ({KEY}, calls)
            SELECT {values("")}, -COUNT(*) FROM removed WHERE is_newest GROUP BY 1, 2, 3, 4, 5;
        ELSE
            INSERT INTO reports_statecount ({KEY}, calls)
            SELECT {KEY}, SUM(calls) FROM (
                SELECT {values("")}, 1 FROM added WHERE is_newest
                UNION ALL SELECT {values("")}, -1 FROM removed WHERE is_newest
            ) AS changes ({KEY}, calls) GROUP BY {KEY} HAVING SUM(calls) <> 0;
        END IF;
        RETURN NULL;
    END $$""",
    """CREATE TRIGGER reports_states_added AFTER INSERT ON analysis_callanalysis
        REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION reports_count_states()""",
    """CREATE TRIGGER reports_states_removed AFTER DELETE ON analysis_callanalysis
        REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION reports_count_states()""",
    """CREATE TRIGGER reports_states_changed AFTER UPDATE ON analysis_callanalysis
        REFERENCING OLD TABLE AS removed NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION reports_count_states()""",
]
PRESENT = f"""INSERT INTO reports_statecount ({KEY}, calls)
    SELECT {values("")}, COUNT(*) FROM analysis_callanalysis WHERE is_newest GROUP BY 1, 2, 3, 4, 5"""
UNDO_SQLITE = [
    f"DROP TRIGGER IF EXISTS reports_states_{name}" for name in ("added", "removed", "left", "entered")
]
UNDO_POSTGRESQL = ["DROP FUNCTION IF EXISTS reports_count_states CASCADE"]


def start_counting(apps, schema_editor):
    for statement in SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL:
        schema_editor.execute(statement, params=None)
    schema_editor.execute(PRESENT)


def stop_counting(apps, schema_editor):
    for statement in UNDO_SQLITE if schema_editor.connection.vendor == "sqlite" else UNDO_POSTGRESQL:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("analysis", "0003_fewer_indexes"), ("reports", "0005_pieces_by_statement")]
    operations = [
        migrations.CreateModel(
            name="StateCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("project_id", models.BigIntegerField()),
                ("copc_state", models.SmallIntegerField()),
                ("no_protocol_state", models.SmallIntegerField()),
                ("custom_questions_state", models.SmallIntegerField()),
                ("insights_state", models.SmallIntegerField()),
                ("calls", models.BigIntegerField()),
            ],
            options={"indexes": [models.Index(fields=["project_id"], name="state_count_by_project")]},
        ),
        migrations.RunPython(start_counting, stop_counting),
    ]
