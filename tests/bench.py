#!/usr/bin/env python3
"""bench.py: measures and prints; called by bench.sh, which says how.

usage: bench.py AGENTRUN BUILT-TESTS BENCH-LINES WORK
"""
import os
import re
import select
import shutil
import subprocess
import sys
import time

KIND_TEXT = {
    "delta": "283 B, no event",
    "text": "283 B, an event each",
    "result": "150 KB, tool results",
    "prose": "150 KB, an event each",
    "big": "1 MiB, tool results",
    "mixed": "a long session",
}
GOAL_YAJL = {"delta": 0.75, "result": 0.9, "prose": 0.9, "big": 0.9}
GOAL_JQ = 5.0
GOAL_LATENCY_MS = 5.0
GOAL_RSS_MIB = 32.0

# Says its lines as fast as they are taken.
FAKE_CAT = """#!/bin/sh
exec cat "$BENCH_INPUT"
"""
# Says one line for each byte in the FIFO, with the time inside.
FAKE_CLOCK = """#!/usr/bin/env python3
import json, os, time
fifo = os.open(os.environ["BENCH_INPUT"], os.O_RDONLY)
n = 0
while os.read(fifo, 1):
    n += 1
    text = "%d at %d" % (n, time.monotonic_ns())
    os.write(1, (json.dumps({"type": "assistant", "message": {"id": "m",
        "content": [{"type": "text", "text": text}]}}) + "\\n").encode())
os.write(1, b'{"type":"result","is_error":false,"modelUsage":{}}\\n')
"""


def size_of(text):
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1].upper())
    return int(text[:-1]) * unit if unit else int(text)


class Bench:
    def __init__(self, agentrun, built, lines, work):
        self.agentrun = agentrun
        self.yajl = os.path.join(built, "bench-yajl")
        self.peak_program = os.path.join(built, "bench-peak")
        self.lines, self.work = lines, work
        self.size = size_of(os.environ.get("BENCH_SIZE", "48M"))
        self.rounds = int(os.environ.get("BENCH_ROUNDS", "5"))
        self.missed = 0
        self.view = [agentrun, "view", "--from", "claude-code",
                     "--headless", "--format", "jsonl", "-"]

    def input(self, kind):
        """A file of lines of KIND; returns its path, bytes and lines."""
        path = os.path.join(self.work, kind)
        with open(path, "wb") as f:
            subprocess.run([sys.executable, "-B", self.lines, kind,
                            str(self.size)], stdout=f, check=True)
        with open(path, "rb") as f:
            count = sum(b.count(b"\n") for b in iter(
                lambda: f.read(1 << 20), b""))
        return path, os.path.getsize(path), count

    def pipe(self, command, path):
        """COMMAND reads PATH from a pipe: CPU seconds, seconds."""
        began = time.monotonic()
        cat = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
        child = subprocess.Popen(command, stdin=cat.stdout,
                                 stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        cat.stdout.close()
        _, _, used = os.wait4(child.pid, 0)
        child.returncode = 0
        took = time.monotonic() - began
        cat.wait()
        return used.ru_utime + used.ru_stime, took

    def peak(self, path):
        """The most memory that view has for PATH, in MiB."""
        with open(path, "rb") as f:
            done = subprocess.run([self.peak_program] + self.view, stdin=f,
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, check=True)
        return int(done.stderr.split()[-1]) / 1024

    def judge(self, value, goal, better=float.__ge__):
        if goal is None:
            return ""
        if better(float(value), float(goal)):
            return "ok, goal %g" % goal
        self.missed += 1
        return "MISSED, goal %g" % goal

    def throughput(self):
        print("\n# throughput of view --from: best of %d, %d MB each; ratio"
              " by CPU time / by the clock" % (self.rounds, self.size / 1e6))
        print("%-22s %9s %11s %15s %s" % (
            "lines", "MB/s", "lines/s", "x bare yajl", ""))
        for kind, what in KIND_TEXT.items():
            path, size, count = self.input(kind)
            ours, bare = [], []
            for _ in range(self.rounds):
                bare.append(self.pipe([self.yajl], path))
                ours.append(self.pipe(self.view, path))
            cpu, clock = (min(o[i] for o in ours) for i in (0, 1))
            ratios = [min(b[i] for b in bare) / min(o[i] for o in ours)
                      for i in (0, 1)]
            print("%-22s %9.0f %11.0f %7.2f / %5.2f %s" % (
                what, size / clock / 1e6, count / clock, *ratios,
                self.judge(ratios[0], GOAL_YAJL.get(kind))))
            if kind == "mixed":
                self.against_jq(path, cpu, clock)
            os.unlink(path)

    def against_jq(self, path, cpu, clock):
        if not shutil.which("jq"):
            print("  (no jq here)")
            return
        jq = self.pipe(["jq", "-c", "."], path)
        print("%-22s %9s %11s %7.2f / %5.2f %s" % (
            "  the same, x jq -c .", "", "", jq[0] / cpu, jq[1] / clock,
            self.judge(jq[0] / cpu, GOAL_JQ)))

    def fake(self, body):
        folder = os.path.join(self.work, "bin")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "claude")
        with open(path, "w") as f:
            f.write(body)
        os.chmod(path, 0o755)
        return folder

    def run_command(self, folder, path):
        return [self.agentrun, "claude-code", "--sandbox", "off", "--path",
                folder, "--env", "BENCH_INPUT=" + path, "-p", "x",
                "--headless", "--format", "jsonl"]

    def run(self):
        print("\n# throughput of a run with a fake runtime that is `cat`")
        folder = self.fake(FAKE_CAT)
        for kind in ("delta", "result", "mixed"):
            path, size, count = self.input(kind)
            best = min(self.one_run(folder, path)
                       for _ in range(self.rounds))
            print("%-22s %9.0f %11.0f" % (
                KIND_TEXT[kind], size / best / 1e6, count / best))
            os.unlink(path)

    def one_run(self, folder, path):
        began = time.monotonic()
        subprocess.run(self.run_command(folder, path),
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return time.monotonic() - began

    def latency_row(self, what, times):
        times.sort()
        median = times[len(times) // 2] / 1e6
        late = times[len(times) * 99 // 100] / 1e6
        print("%-22s %9.3f %11.3f %s" % (
            what, median, late,
            self.judge(late, GOAL_LATENCY_MS, float.__le__)))

    def latency(self):
        print("\n# from the raw line to its event, in ms: median, p99")
        fifo = os.path.join(self.work, "fifo")
        os.mkfifo(fifo)
        command = self.run_command(self.fake(FAKE_CLOCK), fifo)
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE)
        self.latency_row("run, short lines", self.clocked(child, fifo))
        for what, size in (("view, 283 B", 283), ("view, 150 KB", 150000)):
            child = subprocess.Popen(self.view, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)
            self.latency_row(what, self.echoed(child, size))

    def clocked(self, child, fifo):
        times = []
        go = os.open(fifo, os.O_WRONLY)
        out = child.stdout.fileno()
        for _ in range(1000):
            os.write(go, b".")
            data = b""
            while b'"type":"text"' not in data or not data.endswith(b"\n"):
                data += os.read(out, 1 << 16)
            now = time.monotonic_ns()
            times.append(now - int(re.search(rb"at (\d+)", data).group(1)))
        os.close(go)
        child.stdout.read()
        child.wait()
        return times

    def echoed(self, child, size):
        head = b'{"type":"assistant","message":{"id":"m","content":[{"type":' \
               b'"text","text":"'
        tail = b'"}]}}\n'
        line = head + b"x" * (size - len(head) - len(tail)) + tail
        out = child.stdout.fileno()
        times = []
        for _ in range(1000):
            began = time.monotonic_ns()
            child.stdin.write(line)
            child.stdin.flush()
            got = False
            while not got or select.select([out], [], [], 0)[0]:
                data = os.read(out, 1 << 20)
                got = data.endswith(b"\n") and b"start" not in data[:30]
            times.append(time.monotonic_ns() - began)
        child.stdin.close()
        child.stdout.read()
        child.wait()
        return times

    def memory(self):
        print("\n# peak memory in MiB; how much more than for a tenth of the input")
        for kind in ("big", "mixed", "text"):
            path, size, _ = self.input(kind)
            whole = self.peak(path)
            os.truncate(path, size // 10)
            tenth = self.peak(path)
            print("%-22s %9.1f %11.1f %s" % (
                KIND_TEXT[kind], whole, whole - tenth,
                self.judge(whole, GOAL_RSS_MIB, float.__le__)))
            os.unlink(path)


def main():
    bench = Bench(*sys.argv[1:])
    only = os.environ.get("BENCH_ONLY")
    for part in ("throughput", "run", "latency", "memory"):
        if only in (None, "", part):
            getattr(bench, part)()
            sys.stdout.flush()
    print("\n# goals missed: %d" % bench.missed)


if __name__ == "__main__":
    main()
