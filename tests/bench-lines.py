#!/usr/bin/env python3
"""bench-lines: raw claude-code output for `make bench`.

usage: bench-lines.py KIND BYTES

Writes about BYTES of lines of one KIND to standard output:
  delta   283-byte stream_event lines; they give no event
  text    283-byte assistant lines; each gives a text event
  result  150 KB tool results (source code, many escapes); with their calls
  prose   150 KB texts, hardly any escape; each gives a text event
  big     tool results of 1 MiB
  mixed   a long session: deltas, texts, calls, results of all sizes
"""
import json
import random
import sys

UUID = "0b180080-32c9-4ba2-83fc-3194f35b0e21"
SESSION = "7cd632e9-b4cb-4d0f-b4a2-2a7079444802"
LONG = 150 * 1000
CODE = """static int read_line(struct seen *s, const char *name)
{
\tif (!memchr(s->out.buf, '\\n', s->out.len))
\t\treturn err_set(err, "cannot open '%s'", name);
\treturn 0; /* nothing is left \u2026 */
}

"""
PROSE = "The quick brown fox jumps over the lazy dog. " * 4


def dump(obj):
    return json.dumps(obj, ensure_ascii=False, separators=(",", ":"))


def tail(**more):
    return dict(parent_tool_use_id=None, session_id=SESSION, uuid=UUID, **more)


def delta(text):
    return {"type": "stream_event",
            "event": {"type": "content_block_delta", "index": 0,
                      "delta": {"type": "text_delta", "text": text}},
            **tail()}


def assistant(n, *blocks):
    return {"type": "assistant",
            "message": {"id": "m1", "model": "claude-opus-5-5",
                        "content": list(blocks)},
            **tail()}


def call(n):
    return assistant(n, {"type": "tool_use", "id": "toolu_%d" % n,
                         "name": "Bash",
                         "input": {"command": "cat src/file-%d.c" % n}})


def result(n, text):
    return {"type": "user",
            "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_%d" % n,
                 "content": text}]},
            **tail(timestamp="2026-12-01T03:09:52.601Z")}


def pad(make, size):
    """The line of MAKE(text) with as much text as makes SIZE bytes."""
    short = len(dump(make("")).encode()) + 1
    return dump(make("x" * max(1, size - short)))


def code(size):
    return (CODE * (size // len(CODE) + 1))[:size]


def lines(kind):
    rnd = random.Random(7)
    n = 0
    while True:
        n += 1
        if kind == "delta":
            yield pad(delta, 283)
        elif kind == "text":
            yield pad(lambda t: assistant(
                n, {"type": "text", "text": t}), 283)
        elif kind == "prose":
            yield pad(lambda t: assistant(n, {
                "type": "text", "text": (PROSE * 1000)[:len(t)] or ""}), LONG)
        elif kind == "result":
            yield dump(call(n))
            yield dump(result(n, code(LONG - 12000)))
        elif kind == "big":
            yield dump(call(n))
            yield dump(result(n, code((1 << 20) - 90000)))
        else:
            for i in range(40):
                yield dump(delta(PROSE[:rnd.randrange(4, 60)]))
            yield dump(assistant(n, {
                "type": "text", "text": PROSE[:rnd.randrange(20, 180)]}))
            yield dump(call(n))
            size = int(rnd.paretovariate(0.7) * 200)
            yield dump(result(n, code(min(size, 900000))))


def main():
    kind, size = sys.argv[1], int(sys.argv[2])
    out = sys.stdout.buffer
    done = 0
    batch = []
    held = 0
    for line in lines(kind):
        data = line.encode() + b"\n"
        batch.append(data)
        done += len(data)
        held += len(data)
        if held > 1 << 20 or done >= size:
            out.write(b"".join(batch))
            batch, held = [], 0
        if done >= size:
            break


if __name__ == "__main__":
    main()
