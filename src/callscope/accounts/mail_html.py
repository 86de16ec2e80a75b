"""Write a mail as HTML: the same words as its text, with a button for what it asks for.

Styles are in the tags, since mail programs drop the others; nothing is fetched from anywhere.
"""

import re

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

LINK = re.compile(r"https?://\S+")
FONT = "font:16px/24px Inter,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
PAGE = format_html(
    '<body style="margin:0;padding:24px 12px;background:#f5f6f9;color:#1a1e26;{font}">'
    '<div style="max-width:520px;margin:0 auto;padding:32px;background:#ffffff;'
    'border:1px solid #e2e5ec;border-radius:8px">'
    '<p style="margin:0 0 24px;font-weight:600;color:#2c56c9">{{}}</p>',
    font=FONT,
)
SMALL_PRINT = (
    '<p style="margin:16px 0 0;text-align:center;font-size:13px;line-height:18px;color:#566072">{}</p>'
)
PARAGRAPH = '<p style="margin:0 0 16px">{}</p>'
BUTTON = (
    '<p style="margin:0 0 8px"><a href="{0}" style="display:inline-block;padding:10px 24px;'
    'background:#2c56c9;color:#ffffff;font-weight:600;text-decoration:none;border-radius:4px">{1}</a></p>'
    '<p style="margin:0 0 24px;font-size:13px;line-height:18px;color:#566072;word-break:break-all">{0}</p>'
)
PLAIN_LINK = '<p style="margin:0 0 16px;word-break:break-all"><a href="{0}" style="color:#2c56c9">{0}</a></p>'


def write_html(text: str, *, heading: str, button: str, small_print: str = "") -> str:
    """Return the mail in the active language; its first line that is a link becomes the button."""
    parts: list[SafeString] = []
    has_button = False
    for block in re.split(r"\n\s*\n", text.strip()):
        words: list[str] = []
        for line in block.split("\n"):  # splitlines() also ends lines at signs that an e-mail may have
            if not LINK.fullmatch(line.strip()):
                words.append(line)
                continue
            parts += _paragraph(words)
            words = []
            if has_button:
                parts.append(format_html(PLAIN_LINK, line.strip()))
            else:
                parts.append(format_html(BUTTON, line.strip(), button))
            has_button = True
        parts += _paragraph(words)
    return format_html(
        '<!doctype html><html lang="{}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"></head>{}{}</div>{}</body></html>',
        get_language() or "en",
        format_html(PAGE, heading),
        format_html_join("", "{}", ((part,) for part in parts)),
        format_html(SMALL_PRINT, small_print) if small_print else "",
    )


def _paragraph(lines: list[str]) -> list[SafeString]:
    """Return the lines as one paragraph, none where there are no words."""
    return [format_html(PARAGRAPH, " ".join(lines))] if any(lines) else []
