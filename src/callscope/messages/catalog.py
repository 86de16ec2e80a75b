"""Every code with its English sentence. These are the source texts of the translations.

Some sentences are stored (a job's error, a file's error_detail, the reasons of a poor
transcript) and all are part of the API, so their wording does not change. A new one shows
the value and the cure, and ends with a full stop, unless it is quoted in another.
"""

from typing import NamedTuple

from callscope.messages.agent_catalog import AGENTS
from callscope.messages.call_list_catalog import CALL_LIST
from callscope.messages.engine_catalog import ENGINES
from callscope.messages.lint_catalog import LINT, RUBRIC_JOBS
from callscope.messages.reason_catalog import REASON_CAUSES, REASON_CODES
from callscope.messages.report_catalog import REPORTS
from callscope.messages.review_catalog import REVIEWS


class Plural(NamedTuple):
    """A sentence whose wording depends on the parameter `count`."""

    one: str
    other: str


def _(text: str) -> str:
    """Mark a text for translation; tests/web/messages.py finds it by this name."""
    return text


def plural(one: str, other: str) -> Plural:
    """Mark a pair of texts for translation."""
    return Plural(one, other)


# Parameters that hold a message of their own, always the last of their sentence.
NESTED_PARAMS = frozenset({"reason", "problem"})
# Parameters that are written with digits alone.
NUMBER_PARAMS = frozenset(
    {"number", "count", "most", "least", "line", "column", "minutes", "left", "quota", "status"}
)

ACCOUNTS = {
    "unknown_email": _('No user has the e-mail "%(value)s".'),
    "unknown_team": _("No team has the id %(value)s."),
    "unknown_key": _('No key has the prefix "%(value)s".'),
    "invalid_email": _('"%(value)s" is not an e-mail address such as ana@example.com.'),
    "email_taken": _('A user with the e-mail "%(value)s" already exists.'),
    "empty_password": _("The password is empty."),
    "unstorable_password": _("The password contains characters that cannot be stored."),
    "invalid_quota": _('"%(value)s" is not a quota. Allowed: 0 to %(most)s minutes, or none.'),
    "not_in_team": _("%(user)s is not a member of team %(value)s."),
    "owns_projects": _(
        "%(user)s owns %(count)s projects. Choose --move-projects-to EMAIL or --erase-projects."
    ),
    "invalid_heir": _("%(value)s cannot take over the projects. Choose another active user."),
    "only_admin": _("%(user)s is the only admin of team %(value)s. Make another one first."),
    "unknown_key_scope": _('"%(value)s" is not a scope of a key. Allowed: %(allowed)s.'),
    "past_expiry": _("%(value)s is in the past. The key would never be valid."),
    "team_with_projects": _("Team %(value)s still has projects. Move or delete them first."),
    "blank_team_name": _("The name of a team must not be blank."),
    "blank_key_name": _("The name of a key must not be blank."),
    "long_team_name": _("The name of a team must have at most %(most)s characters, not %(count)s."),
    "long_key_name": _("The name of a key must have at most %(most)s characters, not %(count)s."),
    "long_organization_name": _(
        "The name of the organization must have at most %(most)s characters, not %(count)s."
    ),
    "large_logo": _("The logo has %(size)s bytes. At most %(most)s are allowed."),
    "wide_logo": _("The logo has %(width)s × %(height)s pixels. At most %(most)s per side are allowed."),
    "unreadable_logo": _(
        "The logo is not a readable PNG or JPEG file. SVG and other formats are not accepted."
    ),
    "unstorable_name": _('The name "%(value)s" contains characters that cannot be stored.'),
}

PROJECTS = {
    "unknown_project": _("No project has the id %(value)s."),
    "unknown_project_type": _('"%(value)s" is not a project type. Allowed: %(allowed)s.'),
    "unknown_role": _('"%(value)s" is not a role. Allowed: %(allowed)s.'),
    "you_not_in_team": _("You are not a member of team %(value)s."),
    "invalid_owner": _("%(value)s cannot own the project. Choose an active user who can see it."),
    "already_owner": _("%(user)s already owns project %(value)s."),
    "protected_setting": _(
        "Only the owner of project %(value)s and admins of its team may change %(path)s. "
        "The owner is %(owner)s."
    ),
    "unknown_version": _("Project %(project)s has no version %(value)s of its settings."),
    "not_shared": _("Project %(value)s is not shared with %(user)s."),
    "blank_project_name": _("The name of a project must not be blank."),
    "long_project_name": _("The name of a project must have at most %(most)s characters, not %(count)s."),
    "unstorable_project_name": _("The name contains characters that cannot be stored."),
}

CONFIGURATION = {
    "no_settings": _("No settings were sent."),
    "root_not_mapping": _("the configuration must be a mapping, not %(kind)s"),
    "root_too_deep": _("the configuration is nested too deeply"),
    "document_too_large": _("the document is larger than %(count)s bytes"),
    "document_empty": _("the document is empty; use {} for all defaults"),
    "unreadable_yaml_at": _("not readable as YAML: line %(line)s, column %(column)s: %(problem)s"),
    "unreadable_yaml": _("not readable as YAML: %(problem)s"),
    "yaml_out_of_place": _("a bracket, a quotation mark or the indentation is wrong here or before it"),
    "yaml_alias": _("aliases are not allowed"),
    "yaml_key_no_text": _("keys must be texts"),
    "yaml_key_twice": _('the key "%(value)s" appears twice'),
    "question_twice": _('the custom question "%(value)s" appears twice'),
    "code_twice": _('the code "%(value)s" appears twice'),
    "criterion_twice": _('the criterion id "%(value)s" appears twice'),
    "section_twice": _('the section name "%(value)s" appears twice'),
    "prompt_twice": _('the prompt id "%(value)s" appears twice'),
    "mistake_twice": _('the mistake id "%(value)s" appears twice'),
    "nul_character": _("must not contain NUL characters"),
    "lone_surrogate": _("must not contain lone surrogates"),
    "blank": _("must not be blank"),
    "invalid_identifier": _('"%(value)s" must be 1 to 64 letters, digits, "_", "-", "." or ":"'),
    "too_many_decimals": _("must not have more than 6 decimals"),
    "equal_shift_hours": _("day_start and day_end are both %(value)s; they must differ"),
    "codes_missing": _('mode "predefined" needs at least one code'),
    "two_time_windows": _("within_seconds and last_seconds cannot be combined"),
    "tracker_twice": _('the tracker id "%(value)s" appears twice'),
    "tracker_without_phrases": _("has no phrases and no silence, so it would find nothing"),
    "pattern_refused": _("this pattern is not valid: %(problem)s"),
    "pattern_letter": _('contains "%(value)s"; patterns are read in Latin letters'),
    "pattern_too_large": _(
        "is too large a pattern: %(size)s steps, at most %(most)s are allowed; "
        "shorten its repetitions or split it"
    ),
    "too_many_patterns": _("has %(count)s patterns in all; at most %(most)s are allowed"),
    "anchor_needs_one": _("needs either a criterion or any_of, not both"),
    "needs_setting": _("needs %(setting)s, which is empty"),
    "needs_evidence": _("needs phrases that have to be said: all_of, or any_of without at_most"),
    "needs_one_side": _('needs the speaker "agent" or "customer": "any" has no other side'),
    "more_than_groups": _("requires %(value)s groups, but all_of has %(count)s"),
    "unknown_criterion": _('there is no criterion with the id "%(value)s"'),
    "criterion_of_itself": _('"%(value)s" is this criterion itself'),
    "criterion_without_evidence": _('criterion "%(value)s" has no rule that wants something said'),
    "criteria_in_a_circle": _("the order leads back to where it started: %(value)s"),
    "too_many_phrases": _("has %(count)s phrases in all; at most %(most)s are allowed"),
    "too_many_criteria": _("has %(count)s criteria; at most %(most)s are allowed"),
    "required": _("is required"),
    "setting_of_other_part": _("is not a setting of this part. Allowed: %(allowed)s."),
    "unknown_setting": _("is not a known setting"),
    "setting_no_text": _("is not a known setting; names are texts"),
    "not_above": _("must be above %(least)s"),
    "too_small": _("must be at least %(least)s"),
    "too_large": _("must be at most %(most)s"),
    "not_text": _("must be a text"),
    "not_boolean": _("must be true or false"),
    "not_list": _("must be a list"),
    "not_mapping": _("must be a mapping"),
    "not_whole_number": _("must be a whole number"),
    "not_number": _("must be a number"),
    "not_allowed": _("must be %(allowed)s"),
    "but_is": _("%(rule)s, not %(value)s"),
    "too_long": _("must have at most %(most)s characters"),
    "longer_than": _("must have at most %(most)s characters, not %(count)s"),
    "too_few_entries": _("must have at least %(least)s entry"),
    "too_many_entries": _("must have at most %(most)s entries, not %(count)s"),
}

CALLS = {
    "manifest_row": _("row %(number)s, %(file)s: %(reason)s"),
    "manifest_row_unnamed": _("row %(number)s, (no file name): %(reason)s"),
    "long_cell": _("a cell is longer than %(count)s characters"),
    "blank_filename": _("filename is blank"),
    "long_filename": _("filename has %(count)s characters, at most %(most)s are allowed"),
    "unreadable_filename": _("filename contains unreadable characters"),
    "lonely_filename": _("nothing but a file name"),
    "ambiguous_file": _("matches several files: %(files)s"),
    "ambiguous_files": _("matches several files: %(files)s and %(count)s more"),
    "row_named_again": _("named again in row %(number)s, whose filled cells count"),
    "unknown_choice": _("unknown %(field)s %(value)s"),
    "unknown_choice_of": _("unknown %(field)s %(value)s; allowed values: %(allowed)s"),
    "unreadable_datetime": _("unreadable call_datetime %(value)s, write it as in 2026-03-31 14:05"),
    "month_first": _(
        "call_datetime %(value)s has the month first, write it as in 2026-03-31 14:05 or 31/03/2026 14:05"
    ),
    "month_first_elsewhere": _(
        "call_datetime %(value)s may have the month first, as %(other)s in row %(number)s has it, "
        "write it as in 2026-03-31 14:05"
    ),
    "unreadable_field": _("%(field)s contains unreadable characters"),
    "long_field": _("%(field)s has %(count)s characters, at most %(most)s are allowed"),
    "null_datetime": _("call_datetime must not be null. Send a new value or omit it."),
    "null_field": _('%(field)s must not be null. Send "" to clear it.'),
    "field_no_text": _("%(field)s must be a text."),
    "blank_datetime": _("call_datetime cannot be cleared. Send a new value or omit it."),
    "unstorable_value": _("%(field)s contains characters that cannot be stored."),
    "invalid_choice": _('"%(value)s" is not a %(field)s. Allowed: %(allowed)s.'),
    "long_value": _("%(field)s must have at most %(most)s characters, not %(count)s."),
    "invalid_datetime": _(
        '"%(value)s" is not a date and time from %(first)s to %(last)s. Use ISO 8601%(others)s.'
    ),
    "future_datetime": _(
        "%(value)s is more than a day ahead. Give the time at which the call took place, "
        "%(latest)s at the latest."
    ),
    "manifest_not_text": _("The file cannot be read as text. Save it as CSV in UTF-8."),
    "manifest_utf32": _("The file is in UTF-32. Save it as CSV in UTF-8."),
    "manifest_binary": _(
        "The file is not text, or it is UTF-16 without a byte order mark. Save it as CSV in UTF-8."
    ),
    "manifest_no_header": _("The file has no header row. Its first row must name the columns."),
    "manifest_no_column": _("The header has no column %(first)s. It has: %(found)s."),
    "manifest_no_columns": _(
        "The header has no column %(first)s and no column %(second)s. It has: %(found)s."
    ),
    "manifest_too_long": _("The file has more than %(most)s lines. Send it in parts."),
    "manifest_no_rows": _("The CSV has no valid rows."),
}

UPLOADS = {
    "unusable_name": _("The file has no usable name."),
    "empty_file": _("The file is empty."),
    "unknown_file_type": _('"%(value)s" is not a file type. Allowed: %(allowed)s.'),
    "unknown_content": _("The file is neither a recording that can be decoded nor an SRT or VTT transcript."),
    "foreign_content": _("The file is %(problem)s. Send recordings, and SRT or VTT transcripts."),
    "kind_pdf": _("a PDF document"),
    "kind_zip": _("a ZIP archive or an Office document"),
    "kind_gzip": _("a compressed archive"),
    "kind_image": _("an image"),
    "kind_program": _("a program"),
    "no_time_lines": _(
        "The file is a text without time lines such as “00:00:05,000 --> 00:00:07,000”, so it is neither "
        "an SRT nor a VTT transcript."
    ),
    "other_content": _("The file is %(kind)s, not %(given)s as file_type says."),
    "kind_audio": _("a recording"),
    "kind_srt": _("an SRT transcript"),
    "kind_vtt": _("a VTT transcript"),
    "file_without_call": _("The file does not belong to a call."),
    "no_file": _("No file was submitted. Send it as the form field file."),
    "invalid_careful": _('"%(value)s" is not a value of careful. Allowed: true, false.'),
    "no_manifest": _("No file was submitted. Send the CSV as the form field file."),
    "upload_too_large": _("The upload is too large. At most %(count)s MB are allowed."),
    "project_not_visible": _("Project %(value)s does not exist or is not visible to you."),
    "not_call_project": _("Project %(value)s is not a call project, so its files have no call metadata."),
    "trial_exceeded": _(
        "This file has %(minutes)s minutes; %(left)s of the %(quota)s minutes of the trial are left."
    ),
}

TRANSCRIPTION: dict[str, str | Plural] = {
    "large_transcript": _("The transcript is larger than %(count)s MB."),
    "long_cue": _("A cue has more than %(count)s characters."),
    "many_cues": _("The transcript has more than %(count)s cues."),
    "many_words": _("The transcript has %(count)s words. At most %(most)s are allowed."),
    "broken_cue_time": _(
        "Line %(line)s of the transcript is not a valid time line: “%(value)s”. Write it as "
        "“00:00:05,000 --> 00:00:07,000” or “00:05.000 --> 00:07.000”."
    ),
    "late_cue": _(
        "In line %(line)s of the transcript a cue is later than a day: “%(value)s”. "
        "At most 24:00:00 is allowed."
    ),
    "lost_cue_time": _(
        "Line %(line)s of the transcript is a cue number, “%(value)s”, without a time line below it. "
        "Add one, such as “00:00:05,000 --> 00:00:07,000”, or remove the number."
    ),
    "no_cues": _("The transcript has no cue with a time and text."),
    "no_audio": _("The file contains no audio."),
    "not_telephone": _(
        "The recording has %(channels)s channels at %(rate)s Hz, so it is not a telephone recording."
    ),
    "long_recording": _("The recording is longer than %(hours)s hours, the maximum allowed."),
    "damaged_recording": _("The recording is damaged (%(value)s)."),
    "destroyed_recording": _("The recording is damaged: no part of it can be decoded."),
    "decoding_memory": _("The recording needs more memory to decode than allowed."),
    "undecodable": _("The recording cannot be decoded."),
    "undecodable_because": _("The recording cannot be decoded (%(value)s)."),
    "decoding_slow": _("Decoding the recording took too long and was stopped."),
    "decoding_limits": _("Decoding the recording took more time or memory than allowed and was stopped."),
    "file_gone": _("The file is no longer in storage."),
    "short_recording": _("The recording has %(count)s s of sound; at least %(least)s s are needed."),
    "hallucinated": _("%(engine)s returned text up to %(end)s s for a recording of %(count)s s."),
    "private_unfit": _("%(engine)s cannot be used for private recordings."),
    "private_failed": _(
        "The private transcriber failed; the recording was not sent anywhere else. %(problem)s"
    ),
    "few_words": plural(
        "The transcript has %(count)s word; at least %(least)s are needed.",
        "The transcript has %(count)s words; at least %(least)s are needed.",
    ),
    "no_speech": _("No speech was detected in the audio, so the text may be invented."),
    "only_agent": _("Only one side can be heard: the agent."),
    "only_customer": _("Only one side can be heard: the customer."),
    "low_confidence": _("The mean confidence is %(count)s, below %(least)s."),
    "unknown_words": _("Only %(count)s %% of the words are known; at least %(least)s %% are needed."),
    "demo_transcript": _("This call was transcribed by the demo recognizer, which gets many words wrong."),
}

PIPELINE = {
    "server_trouble": _(
        "The server's disk is full or its database is busy. Work continues when that is over."
    ),
    "transcript_too_long": _("The transcript is too long for the context of the model %(model)s."),
    "transcription_crashed": _(
        "The transcription failed with an unexpected %(value)s. See the log of the workers."
    ),
    "analysis_failed": _("The analysis failed."),
    "analysis_crashed": _("The analysis failed with an unexpected %(value)s. See the log of the workers."),
    "regrouping_crashed": _(
        "The regrouping failed with an unexpected %(value)s. See the log of the workers."
    ),
    "sweep_crashed": _(
        "The removal by retention failed with an unexpected %(value)s. See the log of the workers."
    ),
    "replay_crashed": _("The replay failed with an unexpected %(value)s. See the log of the workers."),
    "rescore_crashed": _("The re-scoring failed with an unexpected %(value)s. See the log of the workers."),
    "mail_crashed": _("The mail failed with an unexpected %(value)s. See the log of the workers."),
    "mail_server_down": _("The mail server is not accepting mail right now (%(cause)s)."),
    "content_removed": _(
        "The file was removed by the retention of its project, so it cannot be transcribed again."
    ),
    "transcript_removed": _(
        "The transcript was removed by the retention of its project, so the call cannot be analyzed again."
    ),
    "analysis_too_long": _(
        "Judging was stopped after %(value)s s: the settings have too many phrases for a transcript of "
        "this length."
    ),
    "work_too_long": _("The work was not finished within %(minutes)s minutes."),
    "worker_crashed": _("The process that did the work crashed (%(cause)s)."),
    "worker_killed": _(
        "The process that did the work was killed again and again, most likely because it ran out of memory."
    ),
}

CONTACT_REASONS = {
    "unknown_reason": _("No contact reason of this project has the id %(value)s."),
    "invalid_reason_name": _(
        "The name of a contact reason has 1 to %(most)s characters and no control characters, "
        'not "%(value)s".'
    ),
    "unstorable_reason_text": _("The description contains characters that cannot be stored."),
    "long_reason_description": _("A description has at most %(most)s characters, not %(count)s."),
    "reason_name_taken": _('Another contact reason of this project already has the name "%(value)s".'),
    "reasons_too_deep": _(
        "Contact reason %(value)s cannot be the parent: there are only two levels, so a parent "
        "cannot have a parent."
    ),
    "reason_into_itself": _("Contact reason %(value)s cannot be merged with itself."),
    "no_reasons": _("List at least one contact reason."),
    "no_calls": _("List at least one call."),
    "call_not_of_reason": _("Call %(value)s does not have contact reason %(reason_id)s."),
    "call_not_in_project": _("No analyzed call of project %(project)s has the id %(value)s."),
    "split_takes_all": _(
        "These are all calls of contact reason %(value)s. Rename it instead of splitting it."
    ),
    "reasons_are_codes": _(
        "The contact reasons of project %(value)s are its codes. Change them in the project's settings."
    ),
    "change_undone": _("Change %(value)s was already undone."),
    "change_too_old": _("Change %(value)s can no longer be undone: what it replaced was not kept."),
    "change_followed": _(
        "Change %(later)s affected the same contact reasons after change %(value)s. Undo that one first."
    ),
}

CATALOG: dict[str, str | Plural] = {
    "quoted": "%(text)s",  # what another program says, as it came
    **ACCOUNTS,
    **PROJECTS,
    **CONFIGURATION,
    **CALLS,
    **UPLOADS,
    **TRANSCRIPTION,
    **ENGINES,
    **PIPELINE,
    **REPORTS,
    **REASON_CAUSES,
    **REVIEWS,
    **CONTACT_REASONS,
    **REASON_CODES,
    **LINT,
    **AGENTS,
    **RUBRIC_JOBS,
    **CALL_LIST,
}
