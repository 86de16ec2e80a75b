"""Draw the picture that chats and networks show for a link to Callscope: its mark and its name.

`python deploy/social_picture.py` writes it where the pages have it; the result is in the repository.
"""

from pathlib import Path

import typst

ROOT = Path(__file__).parents[1] / "src" / "callscope"
STATIC = ROOT / "interfaces" / "web" / "static" / "web"
FONTS = ROOT / "reports" / "pdf" / "fonts"
WIDTH, HEIGHT = 1200, 630  # pixels, as the Open Graph protocol advises
PAGE = """
#set page(width: {width}pt, height: {height}pt, margin: 96pt, fill: rgb("#14171c"))
#set text(font: "Inter", fill: rgb("#e8ebf1"))
#align(horizon, {{
  grid(
    columns: 2,
    column-gutter: 36pt,
    align: horizon,
    image("mark.svg", width: 132pt, alt: "Callscope"),
    text(size: 104pt, weight: "bold", "Callscope"),
  )
  v(28pt)
  text(size: 38pt, fill: rgb("#a6afbe"), "Call quality, with quotes as evidence")
}})
"""


def main() -> None:
    source = PAGE.format(width=WIDTH, height=HEIGHT).encode()
    picture = typst.compile(
        source, root=STATIC, font_paths=[FONTS], ignore_system_fonts=True, format="png", ppi=72.0
    )
    (STATIC / "social.png").write_bytes(bytes(picture))


if __name__ == "__main__":
    main()
