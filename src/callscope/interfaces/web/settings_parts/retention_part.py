"""The settings of the retention: what is removed after how many days, and what goes and stays with it."""

from django.utils.translation import gettext_lazy as _

from callscope.interfaces.web.settings_parts.fields import Block, Field, Part

RETENTION = Part(
    "retention",
    _("Retention"),
    ("retention",),
    (
        Block(
            (
                Field(
                    "recordings_days",
                    _("Recordings"),
                    "nullable-number",
                    unit=_("days"),
                    aside=_("Transcripts and results stay."),
                ),
                Field(
                    "transcripts_days",
                    _("Transcripts and quotes"),
                    "nullable-number",
                    unit=_("days"),
                    aside=_(
                        "Also uploaded SRT and VTT files, the comments in reviews, and the texts "
                        "of notes and appeals. Points and answers stay."
                    ),
                ),
                Field(
                    "results_days",
                    _("Results and figures"),
                    "nullable-number",
                    unit=_("days"),
                    aside=_(
                        "Also reviews by people. The calls leave lists and reports. A call of "
                        "which nothing else is kept is erased."
                    ),
                ),
            ),
            "retention",
            _("Days after which data is removed"),
            _("Counted from the upload, checked once a day. Without a number, it is kept."),
        ),
    ),
    is_protecting=True,
    saved=_("Saved. The next sweep, within a day, uses these days for all files."),
)
