"""The organization's name and logo: what is taken, what is kept of it, and where it is shown."""

import io
import re
import zlib

import pikepdf
import pytest
from django.db import OperationalError
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from callscope.accounts import organization
from callscope.accounts.models import AuditEvent, Organization
from callscope.accounts.organization import InvalidOrganization
from callscope.calls.share_links import create_link
from callscope.reports.pdf.printing import print_pdf
from tests.reports.test_pdf_story import data_of

pytestmark = pytest.mark.django_db


def picture(kind="PNG", size=(600, 200), **options) -> bytes:
    drawn = io.BytesIO()
    Image.new("RGB", size, "#c02030").save(drawn, kind, **options)
    return drawn.getvalue()


def png_that_claims(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it has so many pixels."""
    head = b"IHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\x00\x00\x00"
    chunk = (13).to_bytes(4, "big") + head + zlib.crc32(head).to_bytes(4, "big")
    return b"\x89PNG\r\n\x1a\n" + chunk


class TestLogo:
    @pytest.mark.parametrize("kind", ["PNG", "JPEG"])
    def test_is_kept_as_a_small_png(self, kind):
        organization.set_logo(picture(kind))

        kept = Image.open(io.BytesIO(organization.read_logo()))
        assert (kept.format, kept.size) == ("PNG", (288, 96))

    def test_keeps_nothing_of_the_file_but_its_picture(self):
        notes = PngInfo()
        notes.add_text("Comment", "<script>alert(1)</script>")

        organization.set_logo(picture(pnginfo=notes) + b"<script>alert(2)</script>")

        assert b"script" not in organization.read_logo()

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "not a readable PNG or JPEG file"),
            (picture("GIF"), "not a readable PNG or JPEG file"),
            (picture("BMP"), "not a readable PNG or JPEG file"),
            (picture()[:60], "not a readable PNG or JPEG file"),
            (b"\x89PNG\r\n\x1a\n", "not a readable PNG or JPEG file"),
            (b"a" * 1_000_001, "has 1000001 bytes. At most 1000000"),
            (png_that_claims(60_000, 60_000), "not a readable PNG or JPEG file"),
            (picture(size=(4001, 1)), "4001 × 1 pixels"),
        ],
    )
    def test_is_refused_with_the_reason_and_leaves_the_one_before(self, content, said):
        organization.set_logo(picture())
        before = organization.read_logo()

        with pytest.raises(InvalidOrganization, match=said):
            organization.set_logo(content)

        assert organization.read_logo() == before

    def test_is_removed(self):
        organization.set_logo(picture())
        organization.set_logo(b"")

        assert organization.read_logo() is None
        assert organization.read_shown() == organization.NOTHING

    def test_is_served_as_a_picture_and_nothing_else(self, client):
        assert client.get("/logo/").status_code == 404
        organization.set_logo(picture())

        answer = client.get("/logo/")

        assert answer.content == organization.read_logo()
        assert answer["Content-Type"] == "image/png"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Security-Policy"].startswith("sandbox")
        assert client.post("/logo/").status_code == 405


class TestName:
    def test_is_shown_on_pages_with_the_logo(self, client):
        assert "<span>Callscope</span>" in client.get("/login/").content.decode()
        organization.set_name("  Copper &  Lane ")
        organization.set_logo(picture())

        shown = client.get("/login/").content.decode()

        assert "<span>Copper &amp; Lane</span>" in shown
        digest = organization.read_shown().logo_digest
        assert f'<img class="logo" src="/logo/?{digest}" alt="">' in shown

    def test_leaves_the_logo_its_own_text_where_there_is_none(self, client):
        organization.set_logo(picture())

        assert 'alt="Logo of the organization"' in client.get("/login/").content.decode()

    def test_keeps_no_page_from_saying_that_the_database_is_away(self, client, monkeypatch):
        def fail(**_conditions):
            raise OperationalError("the connection broke")

        monkeypatch.setattr(Organization.objects, "filter", fail)

        shown = client.get("/nothing/")

        assert shown.status_code == 404
        assert "<span>Callscope</span>" in shown.content.decode()

    @pytest.mark.parametrize(
        ("name", "said"), [("a" * 81, "at most 80 characters, not 81"), ("a\x00b", "cannot be stored")]
    )
    def test_is_refused_with_the_reason(self, name, said):
        with pytest.raises(InvalidOrganization, match=said):
            organization.set_name(name)

    def test_is_in_the_audit_trail(self):
        organization.set_name("Copper Lane")

        assert AuditEvent.objects.filter(action="organization.named").count() == 1


class TestASocialPicture:
    def test_is_of_the_sign_in_page_and_can_be_fetched(self, client):
        shown = client.get("/login/").content.decode()

        address = re.search(r'property="og:image" content="http://testserver([^"]+)"', shown).group(1)
        answer = client.get(address)
        assert answer["Content-Type"] == "image/png"
        assert Image.open(io.BytesIO(answer.getvalue())).size == (1200, 630)

    def test_is_on_share_links_without_a_word_of_what_they_show(self, client, alice, project):
        link, token = create_link(alice, project, days=1)

        shown = client.get(f"/shared/{token}/").content.decode()

        tags = re.findall(r'<meta property="og:[^>]*>', shown)
        assert any('content="Callscope"' in tag for tag in tags)
        # The address of the picture holds a digest of all static files, which may end like an id.
        said = " ".join(re.sub(r"/static/\w+/", "/static/", tag) for tag in tags if ":image:" not in tag)
        assert project.name not in said
        assert not re.search(rf"\b{link.pk}\b", said)

    def test_is_on_no_page_that_needs_a_sign_in(self, client, alice, project):
        client.force_login(alice)

        assert "og:" not in client.get("/projects/").content.decode()


class TestPaper:
    def test_shows_both_on_the_first_page(self, tmp_path):
        path = tmp_path / "report.pdf"
        path.write_bytes(
            print_pdf(data_of(organization="Copper Lane", logo=organization.draw_logo(picture())))
        )

        with pikepdf.open(path) as pdf:
            images = [each for each in pdf.pages[0].resources.XObject.values() if each.Subtype == "/Image"]
        assert images
