"""A second factor: six digits that an app shows (TOTP, RFC 6238), or a recovery code.

Each code is taken once. The secret is stored encrypted with a key that is derived from the secret
key of the server, so that a copy of the database alone makes no codes. After a move without that
key recovery codes still open: they are random enough for a plain hash.
"""

import base64
import hashlib
import secrets

import pyotp
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from callscope.accounts import audit
from callscope.accounts.models import RecoveryCode, SecondFactor, User
from callscope.accounts.organization import NOTHING, read_shown

STEP_S = 30
STEPS_OFF = 1  # that a clock may be, before or after
RECOVERY_CODES = 10
RECOVERY_BYTES = 10  # of each: 80 bits


def is_set_up(user: User) -> bool:
    """True if the user has to show a code at the sign-in."""
    return SecondFactor.objects.filter(user=user, confirmed_at__isnull=False).exists()


def start_setup(user: User) -> str:
    """Return the secret to put into an app; it counts once a code of it is confirmed."""
    waiting = SecondFactor.objects.filter(user=user, confirmed_at__isnull=True).first()
    if waiting is not None and (secret := _decrypt(waiting.secret)):
        return secret
    secret = pyotp.random_base32()
    SecondFactor.objects.update_or_create(
        user=user, defaults={"secret": _fernet().encrypt(secret.encode()).decode(), "last_step": 0}
    )
    return secret


def setup_address(user: User, secret: str) -> str:
    """Return the otpauth:// address that the QR code holds, under the name that the pages bear.

    A colon parts the name from the e-mail, so the name has none.
    """
    place = " ".join(read_shown().title.replace(":", " ").split()) or NOTHING.title
    return pyotp.TOTP(secret, interval=STEP_S).provisioning_uri(name=user.email, issuer_name=place)


@transaction.atomic
def confirm(user: User, code: str) -> list[str]:
    """Let the factor count from now on and return its recovery codes; an empty list for a wrong code."""
    factor = SecondFactor.objects.select_for_update().filter(user=user, confirmed_at__isnull=True).first()
    if factor is None or not _take_code(factor, code):
        return []
    SecondFactor.objects.filter(pk=factor.pk).update(confirmed_at=timezone.now())
    codes = _replace_recovery_codes(user)
    audit.record(user, "user.second_factor_added", f"user {user.pk}")
    return codes


def check_code(user: User, code: str) -> bool:
    """Take a code of the app or a recovery code, once; False for any other."""
    factor = SecondFactor.objects.filter(user=user, confirmed_at__isnull=False).first()
    if factor is None:
        return False
    if _take_code(factor, code):
        return True
    with transaction.atomic():
        is_taken = bool(RecoveryCode.objects.filter(user=user, digest=_digest(code)).delete()[0])
        if is_taken:
            left = RecoveryCode.objects.filter(user=user).count()
            audit.record(user, "user.recovery_code_used", f"user {user.pk}", left=left)
    return is_taken


@transaction.atomic
def make_recovery_codes(user: User) -> list[str]:
    """Return new recovery codes, which replace the old ones."""
    codes = _replace_recovery_codes(user)
    audit.record(user, "user.recovery_codes_made", f"user {user.pk}")
    return codes


@transaction.atomic
def remove(user: User, *, by: User | None = None) -> bool:
    """Remove factor and recovery codes; False if there was none. `by` None is the operator."""
    RecoveryCode.objects.filter(user=user).delete()
    is_removed = bool(SecondFactor.objects.filter(user=user).delete()[0])
    if is_removed:
        audit.record(by, "user.second_factor_removed", f"user {user.pk}")
    return is_removed


def _take_code(factor: SecondFactor, code: str) -> bool:
    """Return whether the app shows this code now, and nobody has used it or a later one."""
    digits = code.replace(" ", "")
    secret = _decrypt(factor.secret)
    if not secret:
        return False
    now = int(timezone.now().timestamp()) // STEP_S
    totp = pyotp.TOTP(secret, interval=STEP_S)
    for step in range(now - STEPS_OFF, now + STEPS_OFF + 1):
        if constant_time_compare(totp.at(step * STEP_S), digits):
            # The condition makes one of two requests with the same code the first.
            unused = SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step)
            return bool(unused.update(last_step=step))
    return False


def _replace_recovery_codes(user: User) -> list[str]:
    codes = [base64.b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode() for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.filter(user=user).delete()
    RecoveryCode.objects.bulk_create(RecoveryCode(user=user, digest=_digest(code)) for code in codes)
    return ["-".join(code[i : i + 4] for i in range(0, len(code), 4)) for code in codes]


def _digest(code: str) -> str:
    letters = "".join(code.split()).replace("-", "").upper()
    return hashlib.sha256(letters.encode("utf-8", "replace")).hexdigest()


def _decrypt(token: str) -> str:
    """Return the secret; "" if the server's secret key is another one by now."""
    try:
        return _fernet().decrypt(token.encode()).decode()
    except InvalidToken:
        return ""


def _fernet() -> Fernet:
    key = hashlib.sha256(b"callscope.second-factor\n" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
