"""Django's forms for a new password, with a hint in plain words at the field that repeats it."""

from typing import Any

from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.utils.translation import gettext_lazy as _


class NewPasswordForm(SetPasswordForm):  # type: ignore[type-arg]  # no generic class at run time
    """A password for who has none, or has forgotten it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password2"].help_text = _("Repeat the new password.")


class ChangedPasswordForm(NewPasswordForm, PasswordChangeForm):
    """Another password for who knows the old one."""
