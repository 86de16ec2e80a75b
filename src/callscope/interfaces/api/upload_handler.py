"""Stream the file of an upload to the data folder, counted and hashed on its way.

Nothing of it is held in memory. An upload past CALLSCOPE_MAX_UPLOAD_MB is cut
off as soon as that is known: by its announced length, else by the byte too many.
"""

import contextlib
import hashlib
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadedfile import UploadedFile as DjangoUploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest

from callscope.calls import storage
from callscope.calls.room import require_room
from callscope.messages.message import Message
from callscope.pipeline.files.intake import Incoming
from callscope.processes import crash_points

FORM_BYTES = 1024 * 1024  # of a form besides its file: fields, boundaries, headers
MEGABYTE = 1024 * 1024


class ArrivingFile(DjangoUploadedFile):  # type: ignore[type-arg]
    """An uploaded file in the folder of arriving files; goes with the request unless it was taken in."""

    def __init__(self, name: str | None, content_type: str | None) -> None:
        arriving = tempfile.NamedTemporaryFile(dir=storage.incoming_folder(), suffix=".upload")  # noqa: SIM115
        super().__init__(file=arriving, name=name, content_type=content_type, size=0)
        self.path = Path(arriving.name)
        self.sha256 = ""

    def close(self) -> None:
        """Remove the file; taken in, it lies elsewhere already."""
        with contextlib.suppress(FileNotFoundError):
            super().close()

    def as_incoming(self) -> Incoming:
        """Return what the pipeline takes in."""
        return Incoming(self.path, self.name or "", self.size or 0, self.sha256)


class StreamingUploadHandler(FileUploadHandler):
    """Write each file of a form to disk while it arrives."""

    file: ArrivingFile

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self.limit = settings.ENVIRONMENT.max_upload_mb * MEGABYTE
        self.received = 0

    def handle_raw_input(
        self, input_data: Any, META: Any, content_length: int, boundary: Any, encoding: Any = None
    ) -> None:
        """Refuse by the announced length, before anything is read."""
        if content_length > self.limit + FORM_BYTES:
            raise RequestDataTooBig(format_size_limit())
        require_room(content_length)

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Open the file in the folder of arriving files."""
        super().new_file(*args, **kwargs)
        # A process that was killed leaves its arriving files; the next upload removes them.
        storage.clear_stale_arrivals()
        self.file = ArrivingFile(self.file_name, self.content_type)
        self.digest = hashlib.sha256()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write, hash and count."""
        # A client may announce less than it sends, so the bytes are counted as well.
        self.received += len(raw_data)
        if self.received > self.limit:
            raise RequestDataTooBig(format_size_limit())
        crash_points.reach_point("stream")
        self.digest.update(raw_data)
        self.file.write(raw_data)

    def file_complete(self, file_size: int) -> "ArrivingFile":
        """Return the file, whole on disk."""
        self.file.flush()
        self.file.seek(0)
        self.file.size = file_size
        self.file.sha256 = self.digest.hexdigest()
        return self.file

    def upload_interrupted(self) -> None:
        """Remove what has arrived of a file whose sender went away."""
        if hasattr(self, "file"):
            self.file.close()


def format_size_limit() -> str:
    return str(Message("upload_too_large", count=settings.ENVIRONMENT.max_upload_mb))
