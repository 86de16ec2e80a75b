"""What one check of the installation found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found; `advice` is "" if there is nothing to fix."""

    name: str
    is_ok: bool
    detail: str
    advice: str = ""
    is_warning: bool = False  # worth fixing, but Callscope works
