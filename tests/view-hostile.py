#!/usr/bin/env python3
"""Streams made to do harm, through every way out of `agentrun view` and
`agentrun export`.

    view-hostile.py AGENTRUN [BIG]

Prints "ok WHAT" or "not ok WHAT" for each and "# all tried" at the end. BIG
(default 20000) is the number of subagents and a hundredth of the longest line;
1000000 is what the program promises to stand.
"""

import html.parser
import json
import os
import pty
import random
import re
import select
import subprocess
import sys
import time

AGENTRUN = sys.argv[1]
BIG = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
TIMEOUT = 120
EVIL = "\x1b]0;EVIL\x07\x1b[31m\x9b31m\x9d0;EVIL\x9c\u202eX\u2066\r\n\x00\x08" \
       "\x1bP+q\x1b\\</script><script>alert(1)</script>`\"'&|\\\n# h\n~~~\n```\n"
TIME = "2026-10-04T13:00:00.000Z"
USAGE = {"input_tokens": 1, "output_tokens": 2, "cache_read_tokens": None,
         "cache_write_tokens": 0, "cost_usd": 0.5, "by_model": {}}
VOID = {"meta", "br", "hr", "img", "input", "link"}


def event(of, **fields):
    return json.dumps({"schema": 1, "type": of, "time": TIME, **fields})


def start(**more):
    return event("start", **{
        "runtime": "pi", "sandbox": "none",
        "network": {"mode": "full", "allow": [], "enforced": False},
        "deny_read": [], "model": None, "cwd": "/", "argv": [], "env": [],
        **more})


def agent(id, parent, number=1, kind="Explore", text="d"):
    return event("subagent_start", id=id, parent=parent, number=number,
                 kind=kind, model=None, description=text)


def agent_end(id):
    return event("subagent_end", id=id, status="finished", duration_ms=5,
                 usage=USAGE)


def text(parent, what):
    return event("text", parent=parent, text=what)


def tool(id, parent, name="Bash", summary="Bash: x"):
    common = {"id": id, "parent": parent, "name": name, "summary": summary}
    return [event("tool_start", **common),
            event("tool", **common, denied=False, error=True)]


def end(**more):
    return event("end", **{
        "status": "finished", "exit_code": 0, "detail": "", "duration_ms": 9,
        "usage": USAGE, "result": "r", "session_id": None, "warnings": [],
        **more})


def escapes():
    e = EVIL
    usage = {**USAGE, "by_model": {e: {k: 1 for k in USAGE if k != "by_model"}}}
    return [
        start(runtime=e, sandbox=e, model=e, cwd=e, argv=[e], env=[e],
              deny_read=[e], notes=[e],
              network={"mode": e, "allow": [e], "enforced": False}),
        event("prompt", text=e, images=[e]),
        agent(e, None, kind=e, text=e), *tool(e, e, e, e), text(e, e),
        event("usage", parent=e, model=e, input_tokens=1, output_tokens=1,
              cache_read_tokens=1, cache_write_tokens=1, cost_usd=1,
              context_tokens=3),
        event("subagent_end", id=e, status="failed", duration_ms=1,
              usage=usage),
        event("network", host=e, port=1, allowed=False, reason=e),
        event(e, x=e),
        text(None, e),
        end(status="failed", detail=e, result=e, session_id=e, warnings=[e],
            usage=usage)]


def long_line():
    return [start(), text(None, "x" * (100 * BIG)),
            text(None, "short\n" * (4 * BIG)), end()]


def many_agents():
    return [start(), *(agent("a%d" % i, "a%d" % (i - 1) if i % 7 else None, i)
                       for i in range(1, BIG)), text("a9", "still here"),
            end()]


def deep_agents():
    return [start(), *(agent("a%d" % i, "a%d" % (i - 1), i)
                       for i in range(1, 3000)), text("a2999", "deep"), end()]


def cycles():
    lines = [start(), agent("a", "b"), agent("b", "a", 2), agent("c", "c", 3),
             agent("a", "c", 4), text("a", "in a"), text("b", "in b"),
             text("c", "in c"), text("nobody", "in nobody")]
    for id in "abcabc":
        lines += tool("t" + id, id) + [agent_end(id)]
    return lines + [end()]


def repeated():
    lines = [start(), start(), event("prompt", text="p", images=[])]
    for _ in range(300):
        lines += [agent("a", None), agent("a", "a"), *tool("t", "a"),
                  tool("t", None)[0], agent_end("a"), agent_end("a")]
    return lines + [end(), end(), text(None, "after the end"), start(), end()]


def numbers():
    big = ["99999999999999999999999", "-99999999999999999999999", "1e400",
           "-1e400", "-0", "-1", "0.5", "9223372036854775807", "1e-400"]
    lines = [start()]
    for n in big:
        for line in (agent("a" + n, None, 7777),
                     event("network", host="h", port=7777, allowed=False,
                           reason=None),
                     event("usage", parent=None, model="m", input_tokens=7777,
                           output_tokens=7777, cache_read_tokens=7777,
                           cache_write_tokens=7777, cost_usd=7777,
                           context_tokens=7777),
                     end(exit_code=7777, duration_ms=7777)):
            lines.append(line.replace("7777", n))
    for year in ("0000", "9999"):
        lines.append(text(None, year).replace("2026", year))
    return lines + [end()]


def broken():
    deep = "[" * 100000 + "]" * 100000
    return [start(), '{"schema":1,"type":"text","x":%s}' % deep, "[" * 100000,
            '"' * 1000, "{}", "[]", "null", "\x00" * 100, '{"schema":1',
            '{"schema":1,"type":"text","time":"%s","parent":null,'
            '"text":"\\ud800 \\udc00 \\ud83d\\ude00"}' % TIME, end()]


def mutated():
    rng = random.Random(5)
    source = [line.encode("utf-8", "surrogatepass") for line in
              escapes() + cycles() + numbers()]
    lines = []
    for _ in range(3000):
        line = bytearray(rng.choice(source))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(line))
            line[at:at + rng.randint(0, 2)] = bytes(
                rng.randrange(256) for _ in range(rng.randint(0, 2)))
        lines.append(bytes(line))
    return lines


STREAMS = [escapes, long_line, many_agents, deep_agents, cycles, repeated,
           numbers, broken, mutated]


def write(path, lines):
    with open(path, "wb") as f:
        for line in lines:
            f.write(line if isinstance(line, bytes) else line.encode())
            f.write(b"\n")


def say(good, what, why=""):
    print(("ok " if good else "not ok ") + what)
    if not good:
        print("# " + str(why)[:300].replace("\n", " "))
    sys.stdout.flush()


def run(*args, **kw):
    return subprocess.run([AGENTRUN, *args], timeout=TIMEOUT,
                          stderr=subprocess.PIPE, **kw)


def on_terminal(args, keys):
    """All bytes that ARGS write to a terminal; KEYS are typed, each after the
    screen has been quiet."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execv(AGENTRUN, [AGENTRUN, *args])
    out = bytearray()
    until = time.monotonic() + TIMEOUT
    keys = list(keys)
    while time.monotonic() < until:
        ready = select.select([fd], [], [], 0.25)[0]
        if ready:
            try:
                data = os.read(fd, 65536)
            except OSError:
                break
            if not data:
                break
            out += data
        elif keys:
            os.write(fd, keys.pop(0).encode())
    else:
        os.kill(pid, 9)
        return out, "timeout"
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(fd)
    return out, status


class Checker(html.parser.HTMLParser):
    """Tags that nest, none that scripts or loads, no attribute we do not
    write."""
    def __init__(self):
        super().__init__()
        self.stack, self.bad = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.stack.append(tag)
        if tag in ("script", "img", "iframe", "link", "object", "form"):
            self.bad.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name == "src" or (
                    name == "href" and not re.fullmatch(
                        r"#run\d+-agent\d+", value or "")):
                self.bad.append(name)

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.bad.append("/" + tag)


def check_html(data):
    checker = Checker()
    checker.feed(data.decode("utf-8"))
    checker.close()
    return checker.bad + checker.stack


def controls(data):
    return re.findall(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|"
                      rb"\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]",
                      data)


def check(make):
    name = make.__name__
    path = name + ".jsonl"
    write(path, make())
    huge = os.path.getsize(path) > 10 << 20
    p = run("view", "--headless", "--format", "text", path,
            stdout=subprocess.DEVNULL)
    say(p.returncode in (0, 1), name + ": text", p.stderr[-300:])
    with open("passed", "wb") as out:
        p = run("view", "--headless", "--format", "jsonl", path, stdout=out)
    bad = p.stderr.count(b" no event")
    same = open("passed", "rb").read() == open(path, "rb").read()
    say(p.returncode in (0, 1) and same == (bad == 0), name + ": jsonl",
        p.stderr[-300:])
    out, status = on_terminal(
        ["view", "--headless", "--format", "text", path], "")
    left = controls(out.replace(b"\r\n", b"\n"))
    say(status in (0, 1) and not left, name + ": text on a terminal",
        "%s %s" % (status, left[:5]))
    out, status = on_terminal(["view", path], "Gg1]0q")
    left = re.findall(rb"EVIL\x07|\x1b\]0|\x1bP|\xc2[\x80-\x9f]|"
                      rb"\xe2\x80[\xaa-\xae]", out)
    say(status in (0, 1, 2) and not left, name + ": full screen",
        "%s %s %s" % (status, left[:5], out[-200:]))
    for to in "html", "md":
        p = run("export", "--to", to, path, stdout=subprocess.PIPE)
        left = controls(p.stdout) + (
            check_html(p.stdout) if to == "html" and not huge else [])
        say(p.returncode in (0, 1) and not left, "%s: export to %s" % (name, to),
            "%s %s %s" % (p.returncode, p.stderr[-200:], left[:5]))
    os.unlink(path)


for stream in STREAMS:
    check(stream)
print("# all tried")
