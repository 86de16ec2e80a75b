"""Facts: one narrow row a live call, in whole numbers, from which every answer is counted.

Points are millionths, durations microseconds, moments microseconds since 1970
UTC, days ordinals of the server's calendar. store/facts.py alone writes these rows;
the results in analysis stay the source.
"""

from django.db import models

from callscope.calls.models import Call
from callscope.projects.models import Project
from callscope.transcription.models import Transcript


class CriterionSeen(models.Model):
    """A criterion as results name it; a changed name, section or maximum makes another row."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    criterion_id = models.CharField(max_length=64)
    name = models.CharField(max_length=255)
    section = models.CharField(max_length=255, blank=True)
    max_points = models.BigIntegerField()  # millionths

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "criterion_id", "name", "section", "max_points"],
                name="one_row_per_criterion_seen",
            ),
            models.CheckConstraint(condition=models.Q(max_points__gt=0), name="criterion_can_earn_points"),
        ]


class Topic(models.Model):
    """The words under which calls are counted: a contact reason, or a raw topic before grouping."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    digest = models.CharField(max_length=32)  # of `text`, which may be too long for an index
    text = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "digest"], name="one_topic_per_text")]


class Sentiment(models.IntegerChoices):
    POSITIVE = 1, "positive"
    NEUTRAL = 2, "neutral"
    NEGATIVE = 3, "negative"


class DirectionCode(models.IntegerChoices):
    UNKNOWN = 0, ""
    INBOUND = 1, "inbound"
    OUTBOUND = 2, "outbound"


TALK_COLUMNS = (
    "talk_share_bp",
    "monologue_ms",
    "silence_ms",
    "interruptions",
    "words_per_100_minutes",
    "hold_ms",
)
FILTERED = ("agent_id", "direction", "sentiment", "critical")


class CallFact(models.Model):
    """What the reports know about one live call.

    The call is a plain number here, so that deleting a call leaves its fact to
    facts.refresh(), which removes it from the aggregates as well.
    """

    call = models.OneToOneField(
        Call, models.DO_NOTHING, primary_key=True, db_constraint=False, related_name="fact"
    )
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    at_us = models.BigIntegerField()
    day = models.IntegerField()
    hour = models.SmallIntegerField(null=True)  # local; null where no real call time is known
    agent_id = models.BigIntegerField(null=True)
    direction = models.SmallIntegerField(choices=DirectionCode)
    topic = models.ForeignKey(
        Topic, models.DO_NOTHING, null=True, db_constraint=False, related_name="+", db_index=False
    )
    sentiment = models.SmallIntegerField(null=True, choices=Sentiment)
    goal_reached = models.BooleanField(null=True)
    duration_us = models.BigIntegerField()
    points = models.BigIntegerField()  # earned
    max_points = models.BigIntegerField(null=True)  # null: not scored
    counted_points = models.BigIntegerField()  # 0 instead of `points` where a critical error zeroes the score
    score_bp = models.IntegerField(
        null=True
    )  # hundredths of a percent, rounded half-even: shown and sorted by
    critical = models.BooleanField()
    error_classes = models.SmallIntegerField()  # bits: customer 1, business 2, compliance 4
    plain_judged = models.IntegerField()  # criteria that are not critical and apply
    plain_met = models.IntegerField()  # those of them with full points
    mistakes = models.IntegerField(null=True)
    missing_prompts = models.IntegerField(null=True)
    has_answers = models.BooleanField()  # its custom-questions analysis has completed
    half_heard = models.BooleanField(default=False)  # what was said in it is not known
    # How it is talked; null where that is not known. See store/talk.py.
    talk_share_bp = models.IntegerField(null=True)  # of the agent, in hundredths of a percent
    monologue_ms = models.IntegerField(null=True)  # the longest, of either side
    silence_ms = models.IntegerField(null=True)  # silences of more than 3 s together
    interruptions = models.IntegerField(null=True)  # by the agent
    words_per_100_minutes = models.IntegerField(null=True)  # of the agent
    hold_ms = models.IntegerField(null=True)
    pack = models.BinaryField()  # its criteria: see packing.py

    class Meta:
        indexes = [
            models.Index(fields=["project", "day"], name="fact_by_day"),
            # Each order of the call list, followed by the columns a list may be filtered by: a page of a
            # rare filter is then found without reading the calls on the way.
            models.Index(fields=["project", "at_us", "call", *FILTERED], name="fact_by_time"),
            models.Index(fields=["project", "score_bp", "call", "day", *FILTERED], name="fact_by_score"),
            models.Index(fields=["project", "mistakes", "call", "day", *FILTERED], name="fact_by_mistakes"),
            models.Index(fields=["project", "agent_id", "call"], name="fact_by_agent"),
            models.Index(
                fields=["project", "day"], condition=models.Q(half_heard=True), name="fact_half_heard"
            ),
            *(
                models.Index(
                    fields=["project", column, "call"],
                    condition=models.Q(**{f"{column}__isnull": False}),
                    name=f"fact_by_{column}"[:30],
                )
                for column in TALK_COLUMNS
            ),
        ]


class CallText(models.Model):
    """What search looks through, case-folded by Python so that databases agree; see search.call_texts."""

    call = models.OneToOneField(
        Call, models.DO_NOTHING, primary_key=True, db_constraint=False, related_name="+"
    )
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    text = models.TextField()


class ErasedTexts(models.Model):
    """When searched texts were last erased; one row, absent before. What processes keep of them goes then."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="one_erased_texts")]


class SpokenWords(models.Model):
    """The stems of a transcript, which full-text search looks through; see search.spoken_words."""

    transcript = models.OneToOneField(Transcript, models.CASCADE, primary_key=True, related_name="spoken")
    text = models.TextField()


class SpokenCall(models.Model):
    """The live call of a transcript, and where it lies; a search in transcripts reads nothing else of a call.

    Written with its fact. Rows are narrow, and those of transcripts that are near lie near each other.
    """

    # Of the Transcript. SQLite finds a row by an automatic key at once, by any other through an index.
    transcript_id = models.BigAutoField(primary_key=True)
    call = models.OneToOneField(Call, models.DO_NOTHING, db_constraint=False, related_name="+")
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    at_us = models.BigIntegerField()  # as in the fact


class ReviewedCall(models.Model):
    """What the review that stands says of a live call: what the report sums up; written with its fact."""

    call = models.OneToOneField(
        Call, models.DO_NOTHING, primary_key=True, db_constraint=False, related_name="+"
    )
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    at_us = models.BigIntegerField()  # this and the next as in the fact
    agent_id = models.BigIntegerField(null=True)
    # The next three as in the review.
    is_corrected = models.BooleanField()
    compared = models.IntegerField()
    agreed = models.IntegerField()
    # Of its answers alone, by the criteria and the rule of the live result; null: they do not answer all.
    score_bp = models.IntegerField(null=True)

    class Meta:
        indexes = [  # holds all that is summed up
            models.Index(
                fields=["project", "at_us", "agent_id", "is_corrected", "compared", "agreed"],
                name="reviewed_by_time",
            )
        ]


class CallMark(models.Model):
    """What a live call is found by besides its figures; written with its fact, see store/marks.py."""

    call = models.ForeignKey(Call, models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    day = models.IntegerField()  # as in the fact
    kind = models.SmallIntegerField()  # of store/marks.py
    key = models.CharField(max_length=64)  # an id: of the tracker, for example

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["call", "kind", "key"], name="one_mark_per_call_and_key"),
        ]
        indexes = [models.Index(fields=["project", "kind", "key", "day", "call"], name="mark_by_key")]


class Rollup(models.Model):
    """The aggregates of one project on one day or in one month; see store/rollups.py."""

    class Level(models.IntegerChoices):
        DAY = 1
        MONTH = 2

    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    level = models.SmallIntegerField(choices=Level)
    first_day = models.IntegerField()  # of the day or month
    calls = models.IntegerField()
    stamp = models.BigIntegerField()  # digest of the three below; see store/cache.py
    figures = models.BinaryField()  # the tables in rollups.FIGURES: see encoding.py
    listing = models.BinaryField()  # those in rollups.LISTING
    maps = models.BinaryField(default=b"")  # those in rollups.MAPS

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "level", "first_day"], name="one_rollup_per_day_and_month"
            ),
        ]


class JournalEntry(models.Model):
    """A change that the rollups do not hold yet: the calls as they were, minus, and as they are, plus."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    first_day = models.IntegerField()
    last_day = models.IntegerField()
    calls = models.IntegerField()  # how many more there are than before
    rows = models.IntegerField()  # in `heads`
    heads = models.BinaryField()  # see aggregate.CALL_COLUMNS
    entries = models.BinaryField()  # see packing.ENTRY

    class Meta:
        indexes = [models.Index(fields=["project", "last_day"], name="journal_by_day")]


class StoreState(models.Model):
    """What the stored days and hours were counted with; one row, absent in an empty store."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    time_zone = models.CharField(max_length=64)
    layout = models.CharField(max_length=32, default="")  # digest of the tables; see store/version.py

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="one_store_state")]


class StateCount(models.Model):
    """How many calls of a project have the analyses of their newest file in these states.

    Written by database triggers on analysis_callanalysis (migration 0006_counted_states), never by
    Python. The rows of one combination add up: SQLite has one each, PostgreSQL one for every change
    until status_counts.compact_status_counts().
    """

    project_id = models.BigIntegerField()  # no foreign key: what is left of a deleted project adds up to 0
    copc_state = models.SmallIntegerField()  # analysis.AnalysisState; 0: that analysis is not enabled
    no_protocol_state = models.SmallIntegerField()
    custom_questions_state = models.SmallIntegerField()
    insights_state = models.SmallIntegerField()
    calls = models.BigIntegerField()  # PostgreSQL: how many more than before

    class Meta:
        indexes = [models.Index(fields=["project_id"], name="state_count_by_project")]
