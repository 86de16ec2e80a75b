"""Optional packages: which extra brings each, and the line that says how to install it.

Callscope is installed from a checkout, so the extras are named as they are installed there. A container
has no checkout, and what is installed into one is gone with it: there, the image is built again.
"""

import importlib.util
import sys
from pathlib import Path

IMAGE_EXTRAS = Path(sys.prefix) / "image-extras"  # of an image alone: the extras that it was built with

# Each extra of pyproject.toml and the modules by which it is known to be installed.
MODULES = {
    "postgres": ("psycopg",),
    "s3": ("storages", "boto3"),
    "celery": ("celery", "redis"),
    "whisper": ("faster_whisper",),
    "demo-asr": ("pocketsphinx",),
    "embeddings": ("safetensors", "tokenizers"),
}


def is_installed(extra: str) -> bool:
    """Return whether the modules of an extra can be imported; imports none of them."""
    return all(importlib.util.find_spec(module) is not None for module in MODULES[extra])


def get_command(extra: str) -> str:
    """Return the command that adds an extra, in the folder of the source."""
    try:
        present = IMAGE_EXTRAS.read_text("utf-8").strip().split(",")
    except OSError:
        return f"pip install '.[{extra}]'"
    wanted = ",".join([*filter(None, present), extra])
    return f"docker build . --file deploy/Containerfile --tag callscope --build-arg EXTRAS={wanted}"


def describe_installation(extra: str) -> str:
    """Return the sentence that says how to install an extra."""
    return f"To add it, run in the folder of Callscope's source: {get_command(extra)}."


def find_missing(database_url: str, storage_url: str, queue_url: str) -> list[str]:
    """Return a line for each setting whose extra is not installed; empty where all are."""
    needed = [
        ("CALLSCOPE_DATABASE_URL", "postgres", database_url.lower().startswith("postgres")),
        ("CALLSCOPE_STORAGE_URL", "s3", bool(storage_url)),
        ("CALLSCOPE_QUEUE_URL", "celery", bool(queue_url)),
    ]
    return [
        f"{setting} needs the extra {extra}, which is not installed. {describe_installation(extra)}"
        for setting, extra, is_needed in needed
        if is_needed and not is_installed(extra)
    ]
