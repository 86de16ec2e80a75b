"""What is wrong with a configuration document, in our words: the rule, and the value that breaks it."""

from typing import Any

from callscope.messages.message import Message, quoted


class InvalidValue(ValueError):
    """Raised by our own validators; pydantic passes it on with the path of the value."""

    def __init__(self, code: str, **params: object) -> None:
        super().__init__(code)
        self.message = Message(code, **params)


def format_path(location: tuple[int | str, ...]) -> str:
    """Return a path such as `rubric.sections[0].criteria[2].max_points`."""
    path = ""
    for part in location:
        if isinstance(part, str) and part.startswith("<"):
            continue  # which kind of phrase pydantic tried, no part of the document
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def explain_error(error: Any) -> Message:
    """Return pydantic's error in our words: what is wrong, the value, what is allowed."""
    context = error.get("ctx", {})
    value = error.get("input")
    match error["type"]:
        case "missing":
            return Message("required")
        case "extra_forbidden":
            return Message("unknown_setting")
        case "invalid_key":
            return Message("setting_no_text")
        case "string_unicode":
            return Message("lone_surrogate")
        case "greater_than":
            return _with_value(Message("not_above", least=context["gt"]), value)
        case "greater_than_equal":
            return _with_value(Message("too_small", least=context["ge"]), value)
        case "less_than_equal":
            return _with_value(Message("too_large", most=context["le"]), value)
        case "literal_error":
            return _with_value(Message("not_allowed", allowed=context["expected"].replace("'", "")), value)
        case "string_type":
            return _with_value(Message("not_text"), value)
        case "bool_type" | "bool_parsing":
            return _with_value(Message("not_boolean"), value)
        case "list_type":
            return _with_value(Message("not_list"), value)
        case "model_type" | "dict_type" | "model_attributes_type":
            return _with_value(Message("not_mapping"), value)
        case "int_type" | "int_parsing" | "int_from_float" | "int_parsing_size":
            return _with_value(Message("not_whole_number"), value)
        case "decimal_type" | "decimal_parsing" | "float_type" | "float_parsing" | "finite_number":
            return _with_value(Message("not_number"), value)
        case "string_too_long":
            return Message("longer_than", most=context["max_length"], count=len(value))
        case "too_short":
            return Message("too_few_entries", least=context["min_length"])
        case "too_long":
            return Message("too_many_entries", most=context["max_length"], count=len(value))
        case "value_error" if isinstance(context["error"], InvalidValue):
            return context["error"].message
        case "value_error":
            return quoted(context["error"])
        case _:
            return quoted(error["msg"])


def _with_value(rule: Message, value: Any) -> Message:
    """Return the rule with the value that breaks it, where that is short enough to be shown."""
    if value is None or isinstance(value, bool):
        shown = {True: "true", False: "false", None: "null"}[value]
    elif value == "":
        return rule  # of an empty field nothing needs to be shown
    elif isinstance(value, str | int | float):
        shown = _show(value)
    else:
        return rule
    return Message("but_is", rule=rule, value=shown)


def _show(value: object) -> str:
    """Return the start of a value; an integer of thousands of digits, which Python does not print, in hex."""
    try:
        return repr(value)[:80]
    except ValueError:
        return f"{value:#x}"[:80] if isinstance(value, int) else type(value).__name__
