"""Print page data as a tagged PDF (PDF/UA-1)."""

import json
from pathlib import Path
from typing import Any

import typst

TEMPLATE = Path(__file__).parent / "report.typ"


def print_pdf(data: dict[str, Any]) -> bytes:
    """Return the PDF of what layout.page_data() gives.

    Fonts are those that Typst carries, so that every machine prints the same.
    """
    return bytes(
        typst.compile(
            TEMPLATE,
            root=TEMPLATE.parent,
            ignore_system_fonts=True,
            format="pdf",
            sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
            pdf_standards="ua-1",
        )
    )
