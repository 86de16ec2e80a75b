"""Request bodies: what DRF reads, with the ways closed by which a body could end in a 5xx."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework import parsers
from rest_framework.exceptions import ParseError


class JSONParser(parsers.JSONParser):
    """JSON in UTF-8 without NaN; the document must be an object."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the object. Raises ParseError."""
        try:
            document = super().parse(stream, media_type, {**(parser_context or {}), "encoding": "utf-8"})
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply.") from None
        if not isinstance(document, dict):
            raise ParseError("JSON parse error - the body must be an object.")
        return document


class MultiPartParser(parsers.MultiPartParser):
    """multipart/form-data, streamed to the upload handlers of the request."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the fields and files. Raises ParseError."""
        context = {**(parser_context or {}), "encoding": "utf-8"}
        try:
            return super().parse(stream, media_type, context)
        except (LookupError, UnicodeError) as error:  # a part names a charset that does not exist
            raise ParseError(f"Multipart form parse error - {error}") from None
        except Exception:  # Django leaves what has arrived of a file to the garbage collector
            for handler in context["request"].upload_handlers:
                handler.upload_interrupted()
            raise


class FormParser(parsers.FormParser):
    """application/x-www-form-urlencoded in UTF-8."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the fields. Raises ParseError."""
        return super().parse(stream, media_type, {**(parser_context or {}), "encoding": "utf-8"})
