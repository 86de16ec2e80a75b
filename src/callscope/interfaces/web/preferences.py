"""How a person wants the pages: language, theme, shortcuts. Kept in cookies, so no page flashes."""

from django.http import HttpRequest

THEME_COOKIE = "callscope_theme"
THEMES = ("auto", "light", "dark")  # auto follows the system
# Keys that act alone: people who dictate to the browser must be able to turn them off (WCAG 2.1.4).
SHORTCUTS_COOKIE = "callscope_keys"
SHORTCUTS = ("on", "off")
PROJECT_COOKIE = "callscope_project"  # the project of the report that was looked at last
COOKIE_AGE_S = 365 * 24 * 60 * 60


def get_theme(request: HttpRequest) -> str:
    theme = request.COOKIES.get(THEME_COOKIE, "auto")
    return theme if theme in THEMES else "auto"


def get_shortcuts(request: HttpRequest) -> str:
    return "off" if request.COOKIES.get(SHORTCUTS_COOKIE) == "off" else "on"
