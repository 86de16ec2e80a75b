"""Mails as HTML: the words of the text, one button, nothing that a name could break."""

from django.core import mail as outbox
from django.utils.translation import override

from callscope.accounts import mail
from callscope.accounts.mail_html import write_html

TEXT = "Ana invites you.\n\nAccept here:\nhttps://calls.example.com/invitation/x/\n\nOr not:\nhttps://calls.example.com/a/\nBye."

LINK = "https://calls.example.com/invitation/x/"


class TestWriteHtml:
    def test_makes_a_button_of_the_first_link_alone(self):
        html = write_html(TEXT)

        assert html.count(">Open</a>") == 1
        assert html.index("Accept here:") < html.index(">Open</a>") < html.index("Or not:")
        assert html.count('href="https://calls.example.com/a/"') == 1
        assert "Bye." in html

    def test_escapes_what_people_named(self):
        html = write_html("<script>alert(1)</script> invites you.\n\nhttps://calls.example.com/?a=1&b=2")

        assert "<script>" not in html
        assert "a=1&amp;b=2" in html

    def test_makes_no_button_of_a_link_within_a_name(self):
        for sign in "\v\f\x1c\x85\u2028":
            html = write_html(f'"a{sign}https://evil.example/{sign}b"@example.com invites you.\n\n{LINK}')

            assert html.count("<a ") == 1
            assert f'<a href="{LINK}"' in html

    def test_fetches_nothing(self):
        assert "src=" not in write_html(TEXT)
        assert "url(" not in write_html(TEXT)

    def test_is_in_the_language_of_the_text(self):
        with override("es"):
            html = write_html(TEXT)

        assert '<html lang="es">' in html
        assert ">Abrir</a>" in html


class TestSendLater:
    def test_sends_the_text_and_the_same_as_html(self):
        mail.send_later("Subject", TEXT, to="bob@example.com")
        mail.wait_until_sent()

        [sent] = outbox.outbox
        assert sent.body == TEXT
        [(html, kind)] = sent.alternatives
        assert kind == "text/html"
        assert "Ana invites you." in html

    def test_keeps_the_subject_on_one_line(self):
        mail.send_later('"a\v\vb\x1cc"@example.com invites you', TEXT, to="bob@example.com")
        mail.wait_until_sent()

        [sent] = outbox.outbox
        assert sent.message()["subject"] == '"a b c"@example.com invites you'
