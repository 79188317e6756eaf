"""Writes python/faultbook/answer.py from schemas/diagnosis-2.json: ``python3 python/generate.py [--check]``."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "schemas" / "diagnosis-2.json"
TARGET = ROOT / "python" / "faultbook" / "answer.py"

HEAD = '''"""The answer as dataclasses. Written by python/generate.py from schemas/diagnosis-2.json; change that instead.

Names that are words of Python end in ``_`` here. Fields that this version does not know are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

from faultbook._shown import Shown
'''

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
KEYWORDS = {"for", "with", "from", "class", "is", "in"}


def reference(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[-1]


class Reader:
    """The type of a schema, and the expression that reads a value of it."""

    def __init__(self, definitions: dict[str, Any]) -> None:
        self.definitions = definitions

    def kind(self, schema: dict[str, Any]) -> str:
        if "$ref" in schema:
            return reference(schema)
        if "anyOf" in schema:
            parts = [self.kind(one) for one in schema["anyOf"] if one.get("type") != "null"]
            nullable = len(parts) < len(schema["anyOf"])
            joined = parts[0] if len(parts) == 1 else f"Union[{', '.join(parts)}]"
            return f"Optional[{joined}]" if nullable else joined
        kind = schema.get("type")
        if isinstance(kind, list):
            rest = [one for one in kind if one != "null"]
            return f"Optional[{self.kind({**schema, 'type': rest[0]})}]"
        if "const" in schema:
            return f"Literal[{json.dumps(schema['const'])}]"
        if kind == "array":
            return f"list[{self.kind(schema['items'])}]"
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            return f"dict[str, {self.kind(schema['additionalProperties'])}]"
        return PLAIN.get(str(kind), "Any")

    def read(self, schema: dict[str, Any], value: str) -> str:
        if "$ref" in schema:
            name = reference(schema)
            return f"{name}.from_json({value})" if "properties" in self.definitions[name] else value
        if "anyOf" in schema:
            parts = [one for one in schema["anyOf"] if one.get("type") != "null"]
            read = self.read(parts[0], value)
            return value if len(parts) > 1 or read == value else f"None if {value} is None else {read}"
        if schema.get("type") == "array":
            read = self.read(schema["items"], "one")
            return value if read == "one" else f"[{read} for one in {value}]"
        if isinstance(schema.get("additionalProperties"), dict):
            read = self.read(schema["additionalProperties"], "one")
            return value if read == "one" else f"{{name: {read} for name, one in {value}.items()}}"
        return value


def described(words: str, indent: str) -> str:
    lines = textwrap.wrap(" ".join(words.split()).replace("\\", "\\\\"), 110 - len(indent)) or [""]
    if len(lines) == 1:
        return f'{indent}"""{lines[0]}"""\n'
    return f'{indent}"""' + f"\n{indent}".join(lines) + f'\n{indent}"""\n'


def alias(name: str, schema: dict[str, Any], reader: Reader) -> str:
    if "oneOf" in schema:
        values = ", ".join(json.dumps(one["const"]) for one in schema["oneOf"])
        line = f"{name} = Literal[{values}]\n"
    else:
        line = f"{name} = {reader.kind(schema)}\n"
    return line + described(schema.get("description", ""), "")


def dataclass_of(name: str, schema: dict[str, Any], reader: Reader) -> str:
    required = set(schema.get("required", []))
    fields = sorted(schema["properties"].items(), key=lambda field: field[0] not in required)
    base = "(Shown)" if name == "Diagnosis" else ""
    out = f"@dataclass(frozen=True)\nclass {name}{base}:\n{described(schema.get('description', ''), '    ')}\n"
    reads = []
    for field, value in fields:
        safe = field + "_" if field in KEYWORDS else field
        kind = reader.kind(value)
        if field not in required and not kind.startswith("Optional"):
            kind = f"Optional[{kind}]"
        out += f"    {safe}: {kind}{'' if field in required else ' = None'}\n"
        out += described(value["description"], "    ") if value.get("description") else ""
        got = f'data["{field}"]' if field in required else f'data.get("{field}")'
        read = reader.read(value, got)
        if field not in required and read != got and not read.startswith("None if"):
            read = f"None if {got} is None else {read}"
        reads.append(f"            {safe}={read},\n")
    out += f"\n    @classmethod\n    def from_json(cls, data: Mapping[str, Any]) -> {name}:\n"
    out += f'        """Reads one from parsed JSON."""\n        return cls(\n{"".join(reads)}        )\n'
    return out


def generated() -> str:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    definitions = schema["$defs"]
    if "Shown" in definitions:
        sys.exit("a type of the schema has the name of the class that answers inherit from: Shown")
    reader = Reader(definitions)
    aliases = [alias(name, one, reader) for name, one in definitions.items() if "properties" not in one]
    classes = [dataclass_of(name, one, reader) for name, one in definitions.items() if "properties" in one]
    top = {key: value for key, value in schema.items() if key != "$defs"}
    classes.append(dataclass_of("Diagnosis", top, reader))
    return HEAD + "\n" + "\n".join(aliases) + "\n\n" + "\n\n".join(classes)


def main() -> int:
    wanted = generated()
    if "--check" in sys.argv[1:]:
        same = TARGET.exists() and TARGET.read_text(encoding="utf-8") == wanted
        if not same:
            print("python/faultbook/answer.py differs from the schema: python3 python/generate.py", file=sys.stderr)
        return 0 if same else 1
    TARGET.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
