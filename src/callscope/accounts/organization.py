"""The name and the logo of the organization that runs this server: on pages, share links and the PDF.

One for the whole server: pages show projects of several teams together. Mails bear the name alone. The
logo is decoded and written again as a PNG, so that nothing of the file that was given is served but its
picture; it is kept in the database, where every process and every backup finds it, whatever the storage of
recordings is.
"""

import hashlib
import io
import warnings
from collections.abc import Callable
from typing import NamedTuple

from django.db import transaction

from callscope.accounts import audit
from callscope.accounts.models import Organization, User
from callscope.db import raw_sql
from callscope.messages.message import Message, MessageError

MAX_NAME = 80
MAX_BYTES = 1_000_000
MAX_SIDE = 4000  # pixels of the file
SHOWN_WIDTH, SHOWN_HEIGHT = 480, 96  # pixels at most of what is kept: three times the header of a page
FORMATS = ("PNG", "JPEG")


class InvalidOrganization(MessageError):
    """A name or logo that is refused."""


class Shown(NamedTuple):
    """What pages show; "" and None where nothing was set."""

    name: str
    logo_digest: str  # "" without a logo

    @property
    def title(self) -> str:
        """What mails call this server: the organization, or the product."""
        return self.name or "Callscope"


NOTHING = Shown("", "")


def read_shown() -> Shown:
    """Return what pages show of the organization; one small query."""
    found = raw_sql.fetch_prepared("SELECT name, logo_digest FROM accounts_organization WHERE id = %s", [1])
    return Shown(*found[0]) if found else NOTHING


def read_logo() -> bytes | None:
    """Return the logo as PNG; None without one."""
    found = Organization.objects.filter(pk=1).values_list("logo", flat=True).first()
    return bytes(found) if found else None


def set_name(name: str, *, by: User | None = None) -> None:
    """Set the name, "" for none. Raises InvalidOrganization."""
    cleaned = " ".join(name.split())
    if len(cleaned) > MAX_NAME:
        raise InvalidOrganization(Message("long_organization_name", count=len(cleaned), most=MAX_NAME))
    if not cleaned.isprintable():
        raise InvalidOrganization(Message("unstorable_name", value=ascii(cleaned)[1:-1]))
    _change(lambda found: setattr(found, "name", cleaned), "organization.named", by)


def set_logo(content: bytes, *, by: User | None = None) -> None:
    """Set the logo from a PNG or JPEG file, b"" for none. Raises InvalidOrganization."""
    logo = draw_logo(content) if content else b""

    def write(found: Organization) -> None:
        found.logo = logo
        found.logo_digest = hashlib.sha256(logo).hexdigest()[:16] if logo else ""

    _change(write, "organization.logo_set", by)


def draw_logo(content: bytes) -> bytes:
    """Return the picture of a PNG or JPEG file as a small PNG. Raises InvalidOrganization."""
    from PIL import Image

    if len(content) > MAX_BYTES:
        raise InvalidOrganization(Message("large_logo", size=len(content), most=MAX_BYTES))
    try:
        with warnings.catch_warnings(), Image.open(io.BytesIO(content), formats=FORMATS) as opened:
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            if max(opened.size) > MAX_SIDE:  # nothing is decoded yet
                width, height = opened.size
                raise InvalidOrganization(Message("wide_logo", width=width, height=height, most=MAX_SIDE))
            picture = opened.convert("RGBA")
    except InvalidOrganization:
        raise
    # Broken files raise errors of every kind, and none of them says more than that the file is broken.
    except Exception as error:
        raise InvalidOrganization(Message("unreadable_logo")) from error
    picture.thumbnail((SHOWN_WIDTH, SHOWN_HEIGHT))
    drawn = io.BytesIO()
    Image.frombytes("RGBA", picture.size, picture.tobytes()).save(drawn, "PNG", optimize=True)
    return drawn.getvalue()


def _change(write: Callable[[Organization], None], action: str, by: User | None) -> None:
    with transaction.atomic():
        Organization.objects.get_or_create(pk=1)
        found = Organization.objects.select_for_update().get(pk=1)
        write(found)
        found.save()
        audit.record(by, action, "organization")
