"""How a person wants the pages: language, theme, shortcuts, rows. Kept in cookies, so no page flashes."""

from django.http import HttpRequest

THEME_COOKIE = "callscope_theme"
THEMES = ("auto", "light", "dark")  # auto follows the system
# Keys that act alone: people who dictate to the browser must be able to turn them off (WCAG 2.1.4).
SHORTCUTS_COOKIE = "callscope_keys"
SHORTCUTS = ("on", "off")
# How high the rows of tables are: 32 pixels, or 28.
DENSITY_COOKIE = "callscope_rows"
DENSITIES = ("normal", "compact")
PROJECT_COOKIE = "callscope_project"  # the project of the report that was looked at last
COOKIE_AGE_S = 365 * 24 * 60 * 60


def get_theme(request: HttpRequest) -> str:
    theme = request.COOKIES.get(THEME_COOKIE, "auto")
    return theme if theme in THEMES else "auto"


def get_shortcuts(request: HttpRequest) -> str:
    return "off" if request.COOKIES.get(SHORTCUTS_COOKIE) == "off" else "on"


def get_density(request: HttpRequest) -> str:
    return "compact" if request.COOKIES.get(DENSITY_COOKIE) == "compact" else "normal"
