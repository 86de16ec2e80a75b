"""Another language is one .po file: every page, the PDF and the findings then speak it."""

import re
from html.parser import HTMLParser

import pytest
from django.utils import translation

from callscope import locale
from callscope.analysis.results.messages import SENTENCES, sentence
from callscope.messages.catalog import CATALOG
from callscope.messages.translation import translate, translate_stored
from callscope.reports.overview.findings import FindingRow, Findings
from callscope.reports.pdf.layout import Summary, build_page_data
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.template_summary import write_template_summary
from callscope.reports.window import Window
from tests.messages.test_messages import example as message_of
from tests.reports.test_pdf import NOW, example, print_pdf, text_of
from tests.web import pseudo_language
from tests.web.conftest import bring, give_transcript, line, visitor_of
from tests.web.pseudo_language import CODE, untranslated
from tests.web.views.test_every_setup_page import addresses

SHOWN_ATTRIBUTES = ("title", "aria-label", "placeholder", "alt", "data-tip", "data-label", "aria-description")
# The last three hold what somebody typed, or codes.
NO_TEXT = ("script", "style", "svg", "textarea", "pre", "code")
# What no translator is given: names, what callers and projects say, formats and units.
REPORTS = [f"/report/{part}?project_id=" for part in ("", "criteria/", "agents/", "reasons/", "trend/")]
DATA = (
    "Callscope", "English", "Nederlands", "YAML", "MB", "JSON",
    "alice@example.com", "alice", "Service line", "Reviewers", "Ana Ruiz", "call-1.wav", "call-2.wav",
    "call-3.wav",
    "Opening", "Security", "Greets", "Verifies the caller", "The agent greets.", "Was a refund promised?",
    "Said at the start.", "good morning", "Good morning, Ana here.", "Hello?", "late fee", "local",
    "februari", "maart", "Says it is recorded", "The caller's issue is resolved in this call",
)  # fmt: skip
OF_THE_PDF = (
    "Service line", "Ana Ruiz", "Billing", "UTC", "Greeting", "Closing", "Opening", "maart", "mrt", "april",
    "november", "good", "bad",
)  # fmt: skip


class Shown(HTMLParser):
    """What a reader meets on a page: its text, and the attributes that are shown or read aloud."""

    def __init__(self, markup):
        super().__init__()
        self.texts = []
        self.attributes = []
        self._without_text = 0
        self.feed(markup)

    def handle_starttag(self, tag, attributes):
        self._without_text += tag in NO_TEXT
        self.attributes += [
            value
            for name, value in attributes
            if value and (name in SHOWN_ATTRIBUTES or name.startswith("data-text"))
        ]

    def handle_endtag(self, tag):
        self._without_text -= tag in NO_TEXT

    def handle_data(self, data):
        if not self._without_text:
            self.texts.append(data)


def words_left(texts, data):
    """Return the words that are neither translated nor data."""
    joined = "\n".join(texts)
    for known in sorted(data, key=len, reverse=True):
        joined = joined.replace(known, " ")
    return untranslated(joined)


def leaves(value):
    if isinstance(value, dict):
        return [
            text
            for key, item in value.items()
            if key not in ("chart", "dots", "tone")
            for text in leaves(item)
        ]
    if isinstance(value, list):
        return [text for item in value for text in leaves(item)]
    return [value] if isinstance(value, str) else []


@pytest.fixture(scope="module")
def catalogs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locale")
    pseudo_language.write(folder)
    return folder


@pytest.fixture(autouse=True)
def _third_language(catalogs, settings):
    settings.LOCALE_PATHS = [catalogs]
    settings.LANGUAGES = locale.list_languages(catalogs)


class TestLanguages:
    def test_are_those_with_a_catalog(self, catalogs):
        assert locale.list_languages(catalogs) == [("en", "English"), (CODE, "Nederlands")]
        assert locale.list_languages() == [("en", "English"), ("es", "Español")]


@pytest.mark.django_db
@pytest.mark.one_database
class TestPages:
    @pytest.fixture
    def team(self, alice):
        from callscope.accounts.services import create_team

        return create_team("Reviewers", admin=alice)

    @pytest.fixture
    def read(self, alice):
        """Return a function from an address to the words of its page that nobody translated."""
        client = visitor_of(alice)

        def words_of(address, data=DATA):
            answer = client.get(address, headers={"accept-language": CODE}, follow=True)
            page = Shown(answer.content.decode().replace("<wbr>", ""))  # a word all the same
            assert len(page.texts) > 10, address
            return words_left([*page.texts, *page.attributes], data)

        return words_of

    def test_of_an_empty_project_are_translated(self, read, project, team):
        for address in [
            *addresses(project, team),
            *REPORTS,
            "/calls/?project_id=",
            "/questions/?project_id=",
            "/nowhere/",
        ]:
            if address != "/account/":
                assert read(address) == [], address

    def test_of_analyzed_calls_are_translated(self, read, project, team):
        answers = {"answers": {"Was a refund promised?": {"answer": "Security", "quotes": []}}}
        critical = line(2, identity=0, sentiment="negative", goal_reached=False, custom_questions=answers)
        others = line(1, custom_questions=answers), line(3, applies=False, custom_questions=answers)
        calls = bring(project, critical, *others)
        give_transcript(calls[0], quality={"ok": False, "reasons": [str(message_of("no_speech"))]})
        of_calls = [f"/calls/{call.pk}/" for call in calls]
        queries = [
            "/report/?date_range=ytd",
            "/report/?start_date=x",
            "/calls/?agent=x",
            "/calls/?critical=1",
        ]

        for address in [
            *addresses(project, team),
            *of_calls,
            *REPORTS,
            "/calls/?project_id=",
            "/questions/?project_id=",
            *queries,
        ]:
            if address != "/account/":
                assert read(address) == [], address

    def test_of_an_account_leave_only_the_words_of_django(self, read):
        """Django asks for a password in its own translation."""
        from django.contrib.auth.forms import PasswordChangeForm
        from django.contrib.auth.password_validation import password_validators_help_texts

        with translation.override(CODE):
            fields = PasswordChangeForm(None).fields.values()
            django = [str(text) for f in fields for text in (f.label, f.help_text)]
            django += password_validators_help_texts()

        assert read("/account/", (*DATA, *filter(None, django))) == []

    def test_to_sign_in_are_translated(self, client):
        page = Shown(client.get("/login/", headers={"accept-language": CODE}).content.decode())

        assert words_left([*page.texts, *page.attributes], DATA) == []


FOUND = FindingRow("4", "4", 4, 25.0, (8.0, 53.0), 12, 1, 10.0, 10, 15.0, within_noise=True, weeks=[])
FINDINGS = Findings(12, 10, [FOUND], [FOUND])


class TestPdf:
    @pytest.mark.parametrize(
        "changes",
        [{}, {"window": Window()}, {"headline": None}, {"scorecard": [], "contact_reasons": []}],
        ids=["full", "whole history", "empty", "no criteria"],
    )
    def test_is_translated(self, changes):
        from dataclasses import replace

        report = example()
        if "headline" in changes:
            changes = {"headline": replace(report.headline, total_calls=0)}
        report, language = replace(report, **changes), ReportLocale(CODE)
        names = {row.name for row in report.scorecard} | {row.section for row in report.scorecard}
        summary = Summary(write_template_summary(report, language))
        data = build_page_data(
            report,
            projects=["Service line"],
            summary=summary,
            locale=language,
            generated_at=NOW,
            findings=FINDINGS,
        )

        shown = {name: value for name, value in data.items() if name not in ("language",)}
        assert words_left(leaves(shown), {*OF_THE_PDF, *names}) == []
        # The mark of the product has its name.
        assert words_left([text_of(print_pdf(data))], {*OF_THE_PDF, *names, "Callscope"}) == []


class TestFindings:
    @pytest.mark.parametrize("name", SENTENCES)
    def test_are_translated(self, name):
        names = re.findall(r"%\((\w+)\)", " ".join(map(str, SENTENCES.values())))
        values = {name: "1" for name in names if name != "speaker"}

        for speaker in ("agent", "customer", "any"):
            assert untranslated(sentence(name, CODE, speaker=speaker, **values)) == []


class TestMessages:
    @pytest.mark.parametrize("code", [code for code in CATALOG if code not in ("quoted", "but_is")])
    def test_are_translated_also_where_they_are_stored(self, code):
        with translation.override(CODE):
            assert untranslated(translate(message_of(code))) == []
            assert untranslated(translate_stored(str(message_of(code)))) == []
