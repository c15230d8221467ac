"""The messages of a Mahjong Soul record, whatever they are wrapped in (mahjong_soul tells the forms)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ingest.errors import RecordError

Fields = dict[str, Any]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Camel case also swallows the underscore before the number of these.
_NUMBERED = re.compile(r"^(part_point|shunweima|noting_fafu)(?=\d)")


def _snake_key(key: str) -> str:
    return _NUMBERED.sub(r"\1_", _CAMEL.sub("_", key).lower())


@lru_cache(maxsize=4096)
def _same_keys(keys: tuple[str, ...]) -> bool:
    return all(_snake_key(key) == key for key in keys)


def snake(fields: Fields) -> Fields:
    """Field names of the protocol for those in camel case."""
    if _same_keys(tuple(fields)):
        return fields
    return {_snake_key(key): value for key, value in fields.items()}


def messages_of(record: Any) -> tuple[Fields, list[tuple[str, Fields]]]:
    """Head and messages in order. Raises RecordError `bad_json` or `encoded`."""
    head: Fields = {}
    found: list[tuple[str, Fields]] = []
    pending: list[Any] = [record]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            raise RecordError(
                "encoded", "the messages of the record are still encoded; decode them into JSON with their names first"
            )
        if isinstance(part, list):
            pending.extend(reversed(part))
            continue
        if not isinstance(part, dict):
            raise RecordError("bad_json", "the record is not a list of named messages; export it again")
        if "passed" in part or "user_input" in part or "userInput" in part:
            # A GameAction: type 1 is a message, the others are what players did and said in between.
            if part.get("type") == 1 and part.get("result"):
                pending.append(part["result"])
            continue
        message = _message(part)
        if message is not None:
            name, fields = message
            if name == "RecordGame":
                head = fields
            elif name in ("GameDetailRecords", "ResGameRecord", "Wrapper"):
                pending.append(fields)
            elif name.startswith("Record"):
                found.append((name, fields))
            continue
        if isinstance(part.get("head"), dict):
            head = snake(part["head"])
        if "type" in part and not any(key in part for key in ("records", "actions")):
            if part["type"] == 1 and part.get("result"):
                pending.append(part["result"])
            continue
        for key in ("data", "records", "record", "actions", "details", "result"):
            # Where the decoded messages are there, `data` may still hold the encoded ones.
            if (inner := part.get(key)) and not (key == "data" and isinstance(inner, str) and _has_messages(part)):
                pending.append(inner)
                break
    if not found:
        raise RecordError("no_hands", "the record holds no message of a hand; decode it first, if it is not empty")
    return head, found


def _has_messages(part: Fields) -> bool:
    return bool(part.get("records") or part.get("actions"))


def _message(part: Fields) -> tuple[str, Fields] | None:
    """Name and fields of a message in any of its three forms."""
    name = part.get("name", part.get("@type", part.get("_name")))
    if isinstance(name, str) and name:
        inner = part.get("data", part.get("payload"))
        fields = inner if isinstance(inner, dict) else part
        if isinstance(inner, (list, str)):
            fields = {"records": inner}
        return name.rpartition(".")[2].rpartition("/")[2], snake(fields)
    if len(part) == 1:
        ((name, inner),) = part.items()
        if isinstance(inner, dict) and name.rpartition(".")[2].startswith("Record"):
            return name.rpartition(".")[2], snake(inner)
    return None
