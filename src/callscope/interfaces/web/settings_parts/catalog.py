"""Every part of a project's settings, in the groups of the page."""

from collections.abc import Container

from django.utils.translation import gettext_lazy as _

from callscope.interfaces.web.settings_parts.fields import Block, Field, Label, Part
from callscope.interfaces.web.settings_parts.retention_part import RETENTION
from callscope.interfaces.web.templatetags.setup import REDACTIONS

GROUPS: tuple[tuple[Label, tuple[Part, ...]], ...] = (
    (
        _("Judging"),
        (
            Part("rubric", _("Rubric"), ("rubric",), template="web/settings/rubric.html", judges=True),
            Part(
                "reasons",
                _("Contact reasons"),
                ("contact_reasons",),
                template="web/settings/reasons.html",
                judges=True,
            ),
            Part(
                "goal",
                _("Goal of the caller"),
                ("goal",),
                (
                    Block(
                        (
                            Field("description", _("Reached when"), rows=4),
                            Field(
                                "phrases",
                                _("Phrases that show it"),
                                "phrases",
                                rows=4,
                                aside=_("One per line; /…/ is a pattern."),
                            ),
                        ),
                        "goal",
                        columns="halves",
                    ),
                ),
                judges=True,
            ),
            Part(
                "protocol",
                _("Prompts and mistakes"),
                ("no_protocol",),
                template="web/settings/protocol.html",
                judges=True,
            ),
            Part(
                "questions",
                _("Questions"),
                ("custom_questions",),
                (
                    Block(
                        (
                            Field(
                                "custom_questions",
                                _("Asked about every call, one per line"),
                                "lines",
                                rows=8,
                            ),
                        ),
                        columns="one-column",
                    ),
                ),
                judges=True,
            ),
            Part(
                "trackers",
                _("Trackers"),
                ("trackers",),
                hint=_(
                    "A tracker looks for words in every call, for example a competitor's name. "
                    "It gives no points; the call page shows where it was said."
                ),
                template="web/settings/trackers.html",
                judges=True,
            ),
        ),
    ),
    (
        _("Calls and report"),
        (
            Part(
                "calls",
                _("Language and shifts"),
                ("language", "shift_hours"),
                (
                    Block(
                        (
                            Field(
                                "language",
                                _("Language of the calls"),
                                choices=(
                                    ("en", _("English")),
                                    ("es", _("Spanish")),
                                    ("auto", _("detected in each call")),
                                ),
                            ),
                        ),
                    ),
                    Block(
                        (
                            Field(
                                "day_start",
                                _("Day shift start (0–23 h)"),
                                "number",
                                short=_("Day shift start"),
                            ),
                            Field(
                                "day_end",
                                _("Day shift end (0–23 h)"),
                                "number",
                                short=_("Day shift end"),
                            ),
                        ),
                        "shift_hours",
                    ),
                ),
                saved=_(
                    "Saved. Reports use these hours for all calls. "
                    "The language is that of files uploaded from now on."
                ),
            ),
            Part(
                "targets",
                _("Targets of the report"),
                ("targets",),
                (
                    Block(
                        (
                            Field("average_score", _("Average score, at least"), "nullable-number", unit="%"),
                            Field(
                                "goal_reached_pct", _("Goal reached, at least"), "nullable-number", unit="%"
                            ),
                            Field(
                                "critical_error_pct",
                                _("Critical errors, at most"),
                                "nullable-number",
                                unit="%",
                            ),
                            Field(
                                "negative_sentiment_pct",
                                _("Negative sentiment, at most"),
                                "nullable-number",
                                unit="%",
                            ),
                        ),
                        "targets",
                    ),
                ),
                hint=_(
                    "In percent; leave empty for none. Without a target, the score of a call is compared "
                    "with 80 %. Criteria have their targets in the rubric."
                ),
                saved=_("Saved. Reports show the new targets."),
            ),
            Part(
                "reviews",
                _("Reviews by people"),
                ("reviews",),
                (
                    Block(
                        (
                            Field(
                                "counts",
                                _("Result of a reviewed call"),
                                choices=(
                                    ("final", _("the answers of the person")),
                                    ("machine", _("the answers of the machine")),
                                ),
                                aside=_(
                                    "Whose answers decide score, critical errors and findings of a call that "
                                    "has a submitted review. A change applies to all reviewed calls, and the "
                                    "answers that do not count are kept."
                                ),
                            ),
                            Field(
                                "weak_criteria",
                                _("Criteria with low agreement"),
                                choices=(
                                    ("count", _("count as they are")),
                                    ("ask_a_person", _("wait for a person")),
                                ),
                                aside=_(
                                    "Whether the machine's answers count where people often answer otherwise "
                                    "in blind reviews."
                                ),
                            ),
                            Field(
                                "appeal_days",
                                _("Days to appeal"),
                                "number",
                                aside=_(
                                    "How long an agent can appeal a criterion of a call: counted from its "
                                    "review or, without one, from its analysis."
                                ),
                            ),
                        ),
                        "reviews",
                        columns="thirds",
                    ),
                ),
                aside=_(
                    "With “wait for a person”, a criterion waits when the kappa of the machine and people is "
                    "certainly below 0.6, over 20 blind answers or more. The machine's answers to it do not "
                    "count until a person reviews the call; a worker updates all calls."
                ),
                saved=_("Saved. It applies to all calls, earlier ones too."),
            ),
        ),
    ),
    (
        _("Data"),
        (
            Part(
                "transcription",
                _("Transcription"),
                ("channels", "vocabulary", "transcript_gate"),
                (
                    Block(
                        (
                            Field(
                                "agent",
                                _("Agent's channel in stereo recordings"),
                                "number",
                                choices=(("0", _("left")), ("1", _("right"))),
                            ),
                        ),
                        "channels",
                    ),
                    Block(
                        (
                            Field(
                                "vocabulary",
                                _("Names and terms from your industry, one per line"),
                                "lines",
                                rows=5,
                                short=_("Names and terms from your industry"),
                            ),
                        ),
                        columns="one-column",
                    ),
                    Block(
                        (
                            Field(
                                "min_words",
                                _("Fewer words than"),
                                "number",
                                short=_("Too poor to judge: fewer words than"),
                            ),
                            Field(
                                "min_confidence",
                                _("Confidence below (0 to 1)"),
                                "number",
                                short=_("Too poor to judge: confidence below"),
                            ),
                            Field(
                                "min_known_words",
                                _("Share of known words below (0 to 1)"),
                                "number",
                                short=_("Too poor to judge: share of known words below"),
                            ),
                            Field(
                                "score_poor",
                                _("Score these calls anyway, with a warning"),
                                "boolean",
                                wide=True,
                                short=_("Score calls with a poor transcript anyway, with a warning"),
                            ),
                        ),
                        "transcript_gate",
                        _("When a transcript is too poor to judge"),
                    ),
                ),
                saved=_("Saved. It applies to files uploaded from now on."),
            ),
            Part(
                "privacy",
                _("Privacy"),
                ("private_transcription", "redact"),
                (
                    Block(
                        (
                            Field(
                                "private_transcription",
                                _("Private transcription: recordings never go to another company's service"),
                                "boolean",
                                short=_("Private transcription"),
                                aside=_(
                                    "Calls that came in while this was on stay private "
                                    "after it is turned off."
                                ),
                            ),
                            Field(
                                "redact",
                                _("Redact in transcripts and recordings"),
                                "set",
                                choices=tuple(REDACTIONS.items()),
                            ),
                        ),
                        columns="one-column",
                    ),
                ),
                is_protecting=True,
                saved=_("Saved. It applies to files uploaded from now on."),
            ),
            RETENTION,
        ),
    ),
    (
        _("Project"),
        (
            Part("general", _("Name, team, deletion")),
            Part("yaml", _("All settings as YAML")),
        ),
    ),
)
PARTS = {part.slug: part for _title, parts in GROUPS for part in parts}
WHOLE = PARTS["yaml"]
#: In place of the part of the same slug, where recordings are only transcribed: no report has shifts.
TRANSCRIBED = Part(
    "calls",
    _("Language"),
    ("language",),
    (
        Block(
            (
                Field(
                    "language",
                    _("Language of the recordings"),
                    choices=(
                        ("en", _("English")),
                        ("es", _("Spanish")),
                        ("auto", _("detected in each recording")),
                    ),
                ),
            ),
        ),
    ),
    saved=_("Saved. It applies to files uploaded from now on."),
)
#: What decides nothing where transcripts are not judged.
OF_CALLS = frozenset(
    part.slug for part in PARTS.values() if part.judges or part.slug in ("targets", "reviews")
)


def list_parts_of(settings: Container[str]) -> list[Part]:
    """Return the parts that show any of these settings."""
    return [part for part in PARTS.values() if any(name in settings for name in part.keys)]


def find_part(slug: str, *, is_judged: bool) -> Part | None:
    """Return the part of this slug; None for one that is not there."""
    return TRANSCRIBED if slug == TRANSCRIBED.slug and not is_judged else PARTS.get(slug)


def list_groups(*, is_judged: bool) -> list[tuple[Label, list[Part]]]:
    """Return the parts of a project in their groups; fewer where calls are not judged."""
    if is_judged:
        return [(title, list(parts)) for title, parts in GROUPS]
    shown = [(title, [part for part in parts if part.slug not in OF_CALLS]) for title, parts in GROUPS]
    return [
        (_("Recordings"), [TRANSCRIBED]) if PARTS[TRANSCRIBED.slug] in parts else (title, parts)
        for title, parts in shown
        if parts
    ]
