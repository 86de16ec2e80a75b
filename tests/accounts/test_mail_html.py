"""Mails as HTML: the words of the text, one button, nothing that a name could break."""

from email import message_from_bytes, policy

import pytest
from django.core import mail as outbox
from django.utils.translation import override

from callscope.accounts import mail, mail_html, organization

pytestmark = pytest.mark.django_db

TEXT = "Ana invites you.\n\nAccept here:\nhttps://calls.example.com/invitation/x/\n\nOr not:\nhttps://calls.example.com/a/\nBye."

LINK = "https://calls.example.com/invitation/x/"


def write_html(text):
    return mail_html.write_html(text, heading="Callscope", button="Accept the invitation")


def send(subject="Subject", text=TEXT):
    mail.send_later(subject, text, to="bob@example.com", button="Accept the invitation")
    mail.wait_until_sent()
    return outbox.outbox[-1]


class TestWriteHtml:
    def test_makes_a_button_of_the_first_link_alone(self):
        html = write_html(TEXT)

        assert html.count(">Accept the invitation</a>") == 1
        assert html.index("Accept here:") < html.index(">Accept the invitation</a>") < html.index("Or not:")
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


class TestSendLater:
    def test_sends_the_text_and_the_same_as_html(self):
        sent = send()

        assert sent.body == TEXT
        [(html, kind)] = sent.alternatives
        assert kind == "text/html"
        assert "Ana invites you." in html

    def test_keeps_the_subject_on_one_line(self):
        sent = send('"a\v\vb\x1cc"@example.com invites you')

        assert sent.message()["subject"] == '"a b c"@example.com invites you'

    def test_is_headed_by_the_product_where_the_organization_has_no_name(self):
        sent = send()

        assert sent.alternatives[0][0].count("Callscope") == 1
        assert sent.from_email == "callscope@localhost"


class TestTheOrganization:
    def test_heads_mails_and_names_their_sender_with_the_product_below(self):
        organization.set_name('Ünion "A" <Insurance>')

        sent = send()

        html = sent.alternatives[0][0]
        assert html.index("Ünion &quot;A&quot; &lt;Insurance&gt;") < html.index("Ana invites you.")
        assert html.index("Bye.") < html.index("Sent with Callscope")
        assert html.count("Callscope") == 1
        assert sent.body == f"{TEXT}\n\n-- \nSent with Callscope\n"
        [sender] = message_from_bytes(sent.message().as_bytes(), policy=policy.default)["from"].addresses
        assert (sender.display_name, sender.addr_spec) == ('Ünion "A" <Insurance>', "callscope@localhost")

    def test_leaves_a_name_of_the_sender_that_the_settings_give(self, settings):
        settings.DEFAULT_FROM_EMAIL = "Quality team <quality@example.com>"
        organization.set_name("Union")

        assert send().from_email == "Quality team <quality@example.com>"

    def test_signs_in_the_language_of_the_text(self):
        organization.set_name("Union")

        with override("es"):
            sent = send()

        assert "Enviado con Callscope" in sent.body
        assert "Enviado con Callscope" in sent.alternatives[0][0]
