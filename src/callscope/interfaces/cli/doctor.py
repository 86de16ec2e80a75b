"""`callscope doctor`: check what Callscope needs and say what to mend."""

import typer

from callscope.interfaces.cli.answers import Answer, command


def register(app: typer.Typer) -> None:
    command(app, "doctor", database=False)(doctor)


def doctor() -> Answer:
    """Check database, storage, engines, queue and secret key; say what to mend."""
    from callscope.pipeline import checks

    results = checks.everything()
    document = {
        "ok": all(r.is_ok or r.is_warning for r in results),
        "checks": [
            {"name": r.name, "ok": r.is_ok, "warning": r.is_warning, "detail": r.detail, "advice": r.advice}
            for r in results
        ],
    }
    return Answer(document, "\n".join(_line(r) for r in results), exit_status=0 if document["ok"] else 1)


def _line(result: "checks.Check") -> str:  # type: ignore[name-defined]  # noqa: F821
    mark = "ok     " if result.is_ok else "warning" if result.is_warning else "FAILED "
    line = f"{mark}  {result.name}: {result.detail}"
    return f"{line}\n         → {result.advice}" if result.advice else line
