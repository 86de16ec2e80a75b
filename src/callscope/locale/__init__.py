"""Translations: .po files are kept, .mo files are made from them without gettext's programs.

The build hook (hatch_build.py) compiles when a wheel is built or installed;
a checkout whose .po file changed since is compiled anew when Callscope starts.
Knows nothing but Babel, so that the hook can load this file alone.
"""

import os
import tempfile
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

FOLDER = Path(__file__).parent


def compile_catalogs(folder: Path = FOLDER) -> list[Path]:
    """Write each .mo file that is missing or older than its .po file; return those written.

    A folder that may not be written is left as it is.
    """
    written = []
    for po in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        mo = po.with_suffix(".mo")
        if mo.exists() and mo.stat().st_mtime >= po.stat().st_mtime:
            continue
        if os.access(po.parent, os.W_OK):
            _compile(po, mo)
            written.append(mo)
    return written


def _compile(po: Path, mo: Path) -> None:
    """Write to a file beside and rename: several processes may start at once."""
    with po.open("rb") as source:
        catalog = read_po(source, locale=po.parent.parent.name)
    descriptor, name = tempfile.mkstemp(dir=mo.parent, suffix=".mo.new")
    with os.fdopen(descriptor, "wb") as target:
        write_mo(target, catalog)
    Path(name).chmod(0o644)
    Path(name).replace(mo)
