"""What a part of the settings is made of: blocks of fields, and how a form sends each."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from callscope.projects.configuration import Configuration

Label = str | Promise
Choices = tuple[tuple[str, Label], ...]
JUDGED_FROM_NOW_ON = _("Saved. Calls that are analyzed from now on will be judged with these settings.")


@dataclass(frozen=True, slots=True)
class Field:
    """One setting of a form; `kind` is how document.js and read_form() read it."""

    name: str
    label: Label
    kind: str = ""
    choices: Choices = ()
    aside: Label = ""
    unit: Label = ""
    rows: int = 0  # of a text area
    wide: bool = False
    short: Label = ""  # what it is called outside the form, where its label says how to fill it in


@dataclass(frozen=True, slots=True)
class Block:
    """Fields that stand together; those of one object of the document, where it is named."""

    fields: tuple[Field, ...]
    object: str = ""
    title: Label = ""
    hint: Label = ""
    columns: str = ""

    def path(self, field: Field) -> str:
        return f"{self.object}.{field.name}" if self.object else field.name


@dataclass(frozen=True, slots=True)
class Part:
    """Settings with an address of their own."""

    slug: str
    title: Label
    keys: tuple[str, ...] = ()  # of the document
    blocks: tuple[Block, ...] = ()
    hint: Label = ""
    aside: Label = ""
    template: str = ""  # of the fields, where they are lists
    judges: bool = False  # can be tried on calls before it is saved
    is_protecting: bool = False  # for managers alone to change
    saved: Label = JUDGED_FROM_NOW_ON

    def settings(self) -> tuple[str, ...]:
        """Return the names of its settings: all of the document where it is the whole of it."""
        return self.keys or tuple(Configuration.model_fields)

    def fields(self) -> Iterator[tuple[str, Field]]:
        """Yield path and field of every setting in the form."""
        for block in self.blocks:
            for each in block.fields:
                yield block.path(each), each
