"""Keep the path that landed migrations import; the field itself is in `callscope.db.fields`."""

from callscope.db.fields import CompressedJSONField as CompressedJSONField
