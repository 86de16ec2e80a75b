"""Sign-in by e-mail and password."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from callscope.accounts.models import User
from callscope.accounts.sign_in_limits import fold_email


class EmailBackend(ModelBackend):
    """Django's own backend, with the e-mail folded to the form it is stored in."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> User | None:
        email = fold_email(username or "")
        if "\x00" in email:
            return None
        return super().authenticate(request, username=email, password=password, **kwargs)
