#!/usr/bin/env python3
"""Checks streams of events against the published schema.

    schema.py SCHEMA FILE...

Each FILE is a stream as --format jsonl writes it. Two things are asked for
beyond the schema, which must let later fields pass: every field is in it, and
the fields stand in its order. Prints TAP, one line per file.
"""

import json
import sys

import jsonschema


def undescribed(value, schema, defs, path=""):
    """The first field of VALUE that SCHEMA has not, or out of order."""
    while "$ref" in schema:
        schema = defs[schema["$ref"].rsplit("/", 1)[1]]
    if isinstance(value, list):
        for item in value:
            found = undescribed(item, schema["items"], defs, path + "[]")
            if found:
                return found
    if not isinstance(value, dict):
        return None
    fields = schema.get("properties", {})
    rest = schema.get("additionalProperties")
    if rest is None and list(value) != [f for f in fields if f in value]:
        return path + " " + " ".join(value)
    for name, inner in value.items():
        found = undescribed(inner, fields.get(name, rest), defs,
                            path + "." + name)
        if found:
            return found
    return None


def fault_of(path, validator, schema):
    by_type = {d["properties"]["type"]["const"]: d
               for d in schema["$defs"].values()
               if "const" in d.get("properties", {}).get("type", {})}
    lines = 0
    with open(path, encoding="utf-8", newline="\n") as f:
        for lines, line in enumerate(f, 1):
            event = json.loads(line)
            error = jsonschema.exceptions.best_match(
                validator.iter_errors(event))
            if error:
                return "line %d: %s" % (lines, error.message)
            if event["type"] not in by_type:
                return "line %d: type %s" % (lines, event["type"])
            found = undescribed(event, by_type[event["type"]],
                                schema["$defs"])
            if found:
                return "line %d: not in the schema:%s" % (lines, found)
    return None if lines else "no event"


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        schema = json.load(f)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    print("1..%d" % len(sys.argv[2:]))
    for i, path in enumerate(sys.argv[2:], 1):
        fault = fault_of(path, validator, schema)
        print("%s %d - %s" % ("not ok" if fault else "ok", i,
                              path.rsplit("/", 1)[-1]))
        if fault:
            print("# " + fault)


main()
