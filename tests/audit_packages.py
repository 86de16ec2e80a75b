"""Look for known vulnerabilities in the packages that an installation has; `make audit` calls this.

Exit status 1 when there is one. Where the database of vulnerabilities cannot be reached, that is
printed as the reason why nothing was looked at, and the status is 0.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
REQUIREMENTS = ROOT / "requirements" / "dev.txt"  # with every extra
COMMAND = ["--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json"]


def main() -> int:
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(REQUIREMENTS), *COMMAND]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    status, sentences = judge(result.stdout, result.stderr)
    print("\n".join(sentences))
    return status


def judge(output: str, errors: str) -> tuple[int, list[str]]:
    """Return the exit status and what to print for what pip-audit wrote."""
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError):
        lines = errors.strip().splitlines() or ["pip-audit said nothing"]
        return 0, [f"Not audited, the database of vulnerabilities cannot be reached: {lines[-1]}"]
    found = [
        f"{package['name']} {package['version']}: {weakness['id']}, fixed in "
        f"{', '.join(weakness['fix_versions']) or 'no version yet'}"
        for package in packages
        for weakness in package.get("vulns", [])
    ]
    skipped = [package for package in packages if "skip_reason" in package]
    if found:
        return 1, found
    if packages and len(skipped) == len(packages):
        reason = skipped[0]["skip_reason"]
        return 0, [
            f"Not audited, the database of vulnerabilities has none of {len(packages)} packages: {reason}"
        ]
    unknown = [f"Not audited: {package['name']}: {package['skip_reason']}" for package in skipped]
    return 0, [*unknown, f"No known vulnerability in {len(packages) - len(skipped)} packages."]


if __name__ == "__main__":
    sys.exit(main())
