"""What stands around every page and is the same on most of them, written once in each process."""

from functools import lru_cache

from django import template
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


@register.simple_tag
def account_links(sees_own_calls_only: bool, is_superuser: bool) -> SafeString:
    """Return the links of the menu of the account."""
    return _account_links(bool(sees_own_calls_only), bool(is_superuser), get_language(), get_script_prefix())


@lru_cache(maxsize=64)
def _account_links(
    sees_own_calls_only: bool, is_superuser: bool, _language: str | None, _prefix: str
) -> SafeString:
    shown = {"sees_own_calls_only": sees_own_calls_only, "is_superuser": is_superuser}
    return render_to_string("web/partials/account_links.html", shown)


@register.filter
def undo_of(tags: str | None, form: str) -> str:
    """Return what the "Undo" of a message sends to this form; "" for a message of another form, or none."""
    of, _, sent = (tags or "").partition(":")
    return sent if of == form else ""
