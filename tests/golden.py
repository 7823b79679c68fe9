#!/usr/bin/env python3
"""Plays recorded output of the real runtimes through agentrun.

    golden.py [--update | --view] AGENTRUN GOLDEN_DIR FAKE_RUNTIME [CASE...]

Each folder GOLDEN_DIR/RUNTIME/CASE holds

    in.jsonl    stdout of the runtime, byte for byte
    stderr.txt  its stderr, if it had any
    meta.json   what, version, args (for agentrun), prompt, exit_code, signal
    out.jsonl   the events, without start, `time` and `duration_ms`
    out.text    the text format, durations as 0.0s (a few cases)

A case passes when a fake runtime that prints in.jsonl gives exactly out.jsonl
(and out.text), stderr.txt on stderr and the exit status of the table; with --view, when `agentrun view --from RUNTIME` on in.jsonl
gives the same events but for what recorded output cannot know. CASE is
RUNTIME/NAME; all by default. Prints TAP, one line per case. --update writes
out.jsonl and out.text anew instead.
"""

import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

EXIT_STATUS = {"finished": 0, "failed": 1, "rejected": 2}
PROGRAMS = {"claude-code": "claude", "codex": "codex", "pi": "pi", "dsh": "dsh"}
# 1 x 1 pixels; what --image takes is decided by the first bytes.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c636000000002000148afa4710000000049454e44ae426082")
TIMEOUT = 60


def normal_jsonl(data):
    lines = []
    for line in data.split(b"\n"):
        if line.startswith(b'{"schema":1,"type":"start"'):
            continue
        line = re.sub(rb'^(\{"schema":1,"type":"[a-z_]+"),"time":"[^"]*"',
                      rb"\1", line)
        line = re.sub(rb',"duration_ms":\d+,"usage":\{', b',"usage":{', line)
        lines.append(line)
    return b"\n".join(lines)


def normal_text(data):
    return re.sub(rb"(?m)^(\[[^\]]*\] agent (?:finished|failed) |\[end\] \w+ )"
                  rb"\d+\.\ds", rb"\g<1>0.0s", data)


def remark(detail):
    """What detail says of lines that are not JSON."""
    found = re.search(r"; (?:\d+ lines? of its output|its last line) .*",
                      detail, re.S)
    return found.group(0) if found else ""


def events_of(data):
    return [json.loads(line) for line in data.decode().split("\n") if line]


def read(path):
    with open(path, "rb") as f:
        return f.read()


def strings_of(value):
    """Every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for v in value:
            yield from strings_of(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from strings_of(v)


class Result:
    def __init__(self, status, out, errs):
        self.status, self.out, self.errs = status, out, errs


class Case:
    def __init__(self, opts, name):
        self.opts = opts
        self.name = name
        self.runtime = name.split("/")[0]
        self.dir = os.path.join(opts.golden, name)
        self.meta = json.loads(read(self.file("meta.json")))

    def file(self, name):
        return os.path.join(self.dir, name)

    def has(self, name):
        return os.path.exists(self.file(name))

    def install(self, work):
        """The fake runtime of this case, the images, and an empty home."""
        bin_dir = os.path.join(work, "bin")
        os.mkdir(bin_dir)
        os.mkdir(os.path.join(work, "home"))
        program = os.path.join(bin_dir, PROGRAMS[self.runtime])
        with open(program, "wb") as f:
            f.write(read(self.opts.fake))
        os.chmod(program, 0o755)
        errs = self.file("stderr.txt") if self.has("stderr.txt") else ""
        code = self.meta["exit_code"]
        with open(os.path.join(bin_dir, "conf"), "w") as f:
            f.write("version='%s'\nin='%s'\nerrs='%s'\nsignal='%s'\n"
                    "exit_code=%d\n" % (
                        self.meta["version"], self.file("in.jsonl"), errs,
                        (self.meta["signal"] or "").replace("SIG", ""),
                        1 if code is None else code))
        for option, value in zip(self.meta["args"], self.meta["args"][1:]):
            if option == "--image":
                with open(os.path.join(work, value), "wb") as f:
                    f.write(PNG)

    def agentrun(self, work, args, stdin):
        env = dict(os.environ)
        env["PATH"] = os.path.join(work, "bin") + ":" + env["PATH"]
        env["HOME"] = os.path.join(work, "home")
        env["TMPDIR"] = work
        done = subprocess.run(
            [self.opts.agentrun] + args, input=stdin, cwd=work, env=env,
            capture_output=True, timeout=TIMEOUT)
        return Result(done.returncode,
                      done.stdout.replace(work.encode(), b"WORK"),
                      done.stderr.replace(work.encode(), b"WORK"))

    def play(self, fmt):
        with tempfile.TemporaryDirectory() as work:
            self.install(work)
            return self.agentrun(
                work, [self.runtime, "--sandbox", "off", "--headless",
                       "--format", fmt] + self.meta["args"],
                self.meta["prompt"].encode())

    def view(self):
        with tempfile.TemporaryDirectory() as work:
            os.mkdir(os.path.join(work, "home"))
            return self.agentrun(
                work, ["view", "--from", self.runtime, "--headless",
                       "--format", "jsonl", self.file("in.jsonl")], b"")

    def said_in_stream(self, detail):
        said = []
        for line in read(self.file("in.jsonl")).split(b"\n"):
            try:
                said += strings_of(json.loads(line))
            except ValueError:
                pass
        # Several errors are joined by "; ".
        return any(detail in s for s in said) or all(
            part in said for part in detail.split("; "))

    def recorded_end(self, end):
        """The end event as far as the stream alone can tell it."""
        end["exit_code"] = None
        good = [w for w in end["warnings"]
                if w.startswith("exit_after_result:")]
        end["warnings"] = [w for w in end["warnings"] if w not in good]
        if good:
            end["status"], end["detail"] = "finished", ""
        elif end["status"] == "failed" and not self.judged_by_stream(end):
            end["detail"] = (self.runtime + " ended without a result" +
                             remark(end["detail"]))

    def judged_by_stream(self, end):
        # Sentences that agentrun makes from what the stream says.
        if re.match(r"the answer was cut at|dsh ended its turn with",
                    end["detail"]):
            return True
        return self.said_in_stream(end["detail"])

    def recorded(self, events):
        """What `view --from` must give, derived from the events of the run."""
        echoes = self.runtime in ("claude-code", "pi")
        out = []
        for ev in events:
            if ev["type"] == "prompt":
                if not echoes:
                    continue
                ev["images"] = []
            if not echoes and ev["type"] == "usage":
                ev["model"] = None
            if ev["type"] == "end":
                self.recorded_end(ev)
                models = ev["usage"]["by_model"]
                if not echoes and models:
                    (counts,) = models.values()
                    ev["usage"]["by_model"] = {"unknown": counts}
            out.append(ev)
        return out

    def wanted_errs(self, end):
        if end["status"] == "rejected":
            return b"agentrun: " + end["detail"].encode() + b"\n"
        return read(self.file("stderr.txt")) if self.has("stderr.txt") else b""

    def play_problems(self):
        got = self.play("jsonl")
        want = read(self.file("out.jsonl"))
        end = events_of(want)[-1]
        if normal_jsonl(got.out) != want:
            yield "jsonl", want, normal_jsonl(got.out)
        if got.errs != self.wanted_errs(end):
            yield "stderr", self.wanted_errs(end), got.errs
        if got.status != EXIT_STATUS[end["status"]]:
            yield "exit status", b"", str(got.status).encode()
        if self.has("out.text"):
            got_text = normal_text(self.play("text").out)
            want_text = read(self.file("out.text"))
            if got_text != want_text:
                yield "text", want_text, got_text

    def lines(self):
        """How many lines there are; None: some are the runtime's own."""
        data = read(self.file("in.jsonl"))
        if b'"type"' in data:
            return None
        return data.count(b"\n") + (data[-1:] not in (b"", b"\n"))

    def foreign_problems(self, got):
        want = b"agentrun: no line of %s is %s output (%d line%s)\n" % (
            self.file("in.jsonl").encode(), self.runtime.encode(),
            self.lines(), b"" if self.lines() == 1 else b"s")
        if (got.status, got.out, got.errs) != (1, b"", want):
            yield "view", want, b"%d %s%s" % (got.status, got.out, got.errs)

    def view_problems(self):
        want = read(self.file("out.jsonl"))
        # A run that was rejected says nothing about the recording.
        if events_of(want)[-1]["status"] == "rejected":
            return
        got = self.view()
        if self.lines() is not None:
            yield from self.foreign_problems(got)
            return
        got_view = events_of(normal_jsonl(got.out))
        want_view = self.recorded(events_of(want))
        if got.errs or got.status:
            yield "view", b"", b"%d %s" % (got.status, got.errs)
        if got_view != want_view:
            yield "view", lines_of(want_view), lines_of(got_view)

    def update(self):
        with open(self.file("out.jsonl"), "wb") as f:
            f.write(normal_jsonl(self.play("jsonl").out))
        if self.has("out.text"):
            with open(self.file("out.text"), "wb") as f:
                f.write(normal_text(self.play("text").out))

    def run(self):
        try:
            if self.opts.update:
                self.update()
                return []
            if self.opts.view:
                return list(self.view_problems())
            return list(self.play_problems())
        except (OSError, ValueError, LookupError,
                subprocess.TimeoutExpired) as e:
            return [("run", b"", repr(e).encode())]


def lines_of(events):
    return b"\n".join(
        json.dumps(ev, ensure_ascii=False).encode() for ev in events)


def show(problem):
    what, want, got = problem
    diff = difflib.unified_diff(
        want.decode(errors="replace").split("\n"),
        got.decode(errors="replace").split("\n"),
        "want", "got", lineterm="", n=0)
    print("# %s:" % what)
    for line in list(diff)[:40]:
        print("#   " + line[:600])


class Options:
    def __init__(self, argv):
        self.update = "--update" in argv
        self.view = "--view" in argv
        rest = [a for a in argv if not a.startswith("--")]
        self.agentrun, self.golden, self.fake = map(os.path.abspath, rest[:3])
        self.names = rest[3:]


def main():
    opts = Options(sys.argv[1:])
    names = opts.names or sorted(
        runtime + "/" + name
        for runtime in PROGRAMS
        for name in os.listdir(os.path.join(opts.golden, runtime)))
    cases = [Case(opts, name) for name in names]
    failed = 0
    print("1..%d" % len(cases))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, (case, problems) in enumerate(
                zip(cases, pool.map(Case.run, cases)), 1):
            failed += bool(problems)
            print("%sok %d - %s" % (
                "not " if problems else "", number, case.name), flush=True)
            for problem in problems:
                show(problem)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
