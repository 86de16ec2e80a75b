"""Every text of the pages is there in every language."""

import os
import re
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo
from django.utils import translation

from callscope import locale
from tests.web import messages

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd%]")
TAG = re.compile(r"</?\w+>")
LANGUAGES = messages.LANGUAGES


@pytest.mark.one_database
@pytest.mark.parametrize("language", LANGUAGES)
class TestCatalog:
    def test_holds_every_text_of_the_code_and_no_other(self, language):
        kept = {(m.id, m.context) for m in messages.read(language) if m.id}

        assert kept == {(m.id, m.context) for m in messages.texts() if m.id}, "run `make messages`"

    def test_translates_every_text(self, language):
        assert messages.missing(messages.read(language)) == []

    def test_keeps_placeholders_and_tags(self, language):
        for message in messages.read(language):
            if not message.id:
                continue
            source = message.id[-1] if isinstance(message.id, tuple) else message.id
            for text in message.string if isinstance(message.string, tuple) else (message.string,):
                unknown = set(PLACEHOLDER.findall(text)) - set(PLACEHOLDER.findall(source))
                assert not unknown, (source, text)
                assert sorted(TAG.findall(text)) == sorted(TAG.findall(source)), (source, text)
                if not isinstance(message.id, tuple):
                    assert sorted(PLACEHOLDER.findall(text)) == sorted(PLACEHOLDER.findall(source))


NOT_ENGLISH = re.compile(
    r"\b(anew|mend|who may|is none|of before|the one before|half heard|does not stand|do not stand|"
    r"at present|for want of|take back|the window before|in this window)\b|\" is no \w+ of",
    re.IGNORECASE,
)
NOT_SPANISH = re.compile(r"\b(pautas?|papel|titular|sorte\w+|a medias)\b", re.IGNORECASE)
NUMBER_OF = re.compile(r"%\(\w+\)s de ")


@pytest.mark.one_database
class TestWording:
    """One word per thing, and none that product texts of today do not use: docs/glossary.md."""

    def test_is_the_english_of_today(self):
        texts = {m.id[-1] if isinstance(m.id, tuple) else m.id for m in messages.texts() if m.id}

        assert [text for text in texts if NOT_ENGLISH.search(text)] == []

    def test_calls_each_thing_by_one_word_in_spanish(self):
        for message in messages.read("es"):
            for text in message.string if isinstance(message.string, tuple) else (message.string,):
                assert not NOT_SPANISH.search(text), text

    @pytest.mark.parametrize(
        ("english", "spanish"),
        [
            (r"\btargets?\b", r"objetivo"),  # the goal of a caller is one
            (r"\bmistakes?\b", r"\berror(es)?\b"),  # a critical error is one
            (r"\bagreement\b", r"acuerdo"),  # a contract is one
            (r"\bprobes?\b", r"\bsonde\w+"),  # a survey is one
            (r"\btrial (?!of settings)", r"\b(?<!período de )pruebas?\b"),  # a probe is one
        ],
    )
    def test_has_one_spanish_word_for_one_thing_alone(self, english, spanish):
        for message in messages.read("es"):
            source = " ".join(message.id) if isinstance(message.id, tuple) else message.id
            said = " ".join(message.string) if isinstance(message.string, tuple) else message.string
            if re.search(english, source, re.IGNORECASE) and not re.search(r"unexpected|goals?\b", source):
                assert not re.search(spanish, said, re.IGNORECASE), said

    def test_counts_in_the_plural_as_in_the_singular(self):
        """Spanish says "de" after a million alone; with two forms that makes "5 de llamadas"."""
        for message in messages.read("es"):
            if isinstance(message.string, tuple):
                one, many = message.string
                assert bool(NUMBER_OF.search(one)) == bool(NUMBER_OF.search(many)), many


@pytest.mark.one_database
class TestCompiling:
    HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
    PO = HEADER + 'msgid "Calls"\nmsgstr "Llamadas"\n'

    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "es" / "LC_MESSAGES").mkdir(parents=True)
        (tmp_path / "es" / "LC_MESSAGES" / "django.po").write_text(self.PO)
        return tmp_path

    def test_needs_no_gettext_programs(self, folder, monkeypatch):
        monkeypatch.setenv("PATH", "")

        [written, _english] = locale.compile_catalogs(folder)

        with written.open("rb") as file:
            assert read_mo(file).get("Calls").string == "Llamadas"

    def test_is_left_out_while_nothing_has_changed(self, folder):
        locale.compile_catalogs(folder)

        assert locale.compile_catalogs(folder) == []


class TestPercents:
    @pytest.mark.parametrize(
        ("text", "whole"),
        [
            ("el %(share)s %% de los %(count)s", "el %(share)s_%% de los %(count)s"),
            ("Intervalo del 95 %, {share} %", "Intervalo del 95_%, {share}_%"),
            ("%(low)s %(high)s, 7 %(name)s y 5 %s", "%(low)s %(high)s, 7 %(name)s y 5 %s"),
            ("Objetivo logrado, %", "Objetivo logrado, %"),
        ],
    )
    def test_stay_with_their_number_at_the_end_of_a_line(self, text, whole):
        assert locale.keep_percents_whole(text) == whole.replace("_", locale.NO_BREAK)

    def test_are_whole_in_what_pages_say(self):
        with translation.override("es"):
            interval = translation.gettext("95 % interval")

        assert interval == f"Intervalo del 95{locale.NO_BREAK}%"

    def test_are_whole_in_what_english_pages_say(self):
        with translation.override("en"):
            interval = translation.gettext("95 % interval")
            calls = translation.ngettext(
                "%(n)s call, %(before)s → %(after)s %%", "%(n)s calls, %(before)s → %(after)s %%", 2
            )

        assert interval == f"95{locale.NO_BREAK}% interval"
        assert calls == f"%(n)s calls, %(before)s → %(after)s{locale.NO_BREAK}%%"

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_are_left_as_they_are_in_what_is_stored_or_read_by_programs(self, language):
        with translation.override(language):
            sentence = translation.gettext("The closest match in meaning has a likelihood of %(percent)s %%.")

        assert sentence.endswith("%(percent)s %%.")

    def test_are_compiled_once_more_when_the_way_to_compile_them_changed(self, tmp_path):
        folder = tmp_path / "es" / "LC_MESSAGES"
        folder.mkdir(parents=True)
        (folder / "django.po").write_text(
            'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
        )
        compiled = locale.compile_catalogs(tmp_path)
        assert len(compiled) == 2
        assert locale.compile_catalogs(tmp_path) == []

        before = Path(locale.__file__).stat().st_mtime - 1
        for path in (folder / "django.po", *compiled):
            os.utime(path, (before, before))

        assert locale.compile_catalogs(tmp_path) == compiled
