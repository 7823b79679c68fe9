#!/usr/bin/env python3
"""How `agentrun view` takes a long stream, beside less and lnav on the same
file (those that are installed).

    bench-view.py AGENTRUN DIRECTORY

For each program, in a terminal of 100 x 30: the time until its first screen
stands, the time until the whole file is in (it is at the end of the file and
rests), and the most memory it held. Then a folder of 500 runs, 20 of them
live. BENCH_EVENTS (default 1000000) is the length of the stream.
"""

import fcntl
import json
import os
import pty
import select
import shutil
import struct
import sys
import termios
import threading
import time

AGENTRUN, WORK = sys.argv[1:3]
EVENTS = int(os.environ.get("BENCH_EVENTS", "1000000"))
LIMIT = 300


def line(of, second, **fields):
    stamp = "2026-10-04T13:%02d:%02d.000Z" % (second // 60 % 60, second % 60)
    return json.dumps({"schema": 1, "type": of, "time": stamp, **fields},
                      separators=(",", ":"), ensure_ascii=False) + "\n"


COUNTS = {"input_tokens": 120, "output_tokens": 40, "cache_read_tokens": 9000,
          "cache_write_tokens": 300, "cost_usd": None}


def start():
    return line("start", 0, runtime="claude-code", sandbox="none",
                network={"mode": "full", "allow": [], "enforced": False},
                deny_read=[], model=None, cwd="/w", argv=[], env=[], notes=[])


def end():
    return line("end", 3599, status="finished", exit_code=0, detail="",
                duration_ms=3599000, usage={**COUNTS, "by_model": {}},
                result="the very last line", session_id=None, warnings=[])


def body(i):
    """One of the events of a run with subagents now and then."""
    parent = "a%d" % (i // 1000) if i >= 1000 and i % 3 else None
    at = i * 3600 // EVENTS
    if i % 1000 == 0 and i:
        return line("subagent_start", at, id="a%d" % (i // 1000), parent=None,
                    number=i // 1000, kind="Explore", model="haiku",
                    description="Look at part %d" % i)
    if i % 1000 == 999 and i > 1000:
        return line("subagent_end", at, id="a%d" % (i // 1000),
                    status="finished", duration_ms=12400,
                    usage={**COUNTS, "by_model": {}})
    if i % 10 < 4:
        common = {"id": "t%d" % (i // 2), "parent": parent, "name": "Bash",
                  "summary": "Bash: make check TESTS=tests/t-%d.sh" % (i // 2)}
        if i % 2 == 0:
            return line("tool_start", at, **common)
        return line("tool", at, **common, denied=False, error=i % 30 == 3)
    if i % 10 < 6:
        return line("usage", at, parent=parent, model="claude-haiku-5-5",
                    **COUNTS, context_tokens=9420)
    return line("text", at, parent=parent,
                text="Step %d: the parser is fine.\n第二行 of this text." % i)


class Program:
    """A program in a terminal, watched from outside."""
    def __init__(self, argv):
        self.begin = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", LC_ALL="C.UTF-8", HOME=WORK)
            os.execvp(argv[0], argv)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 30, 100, 0, 0))
        self.out = bytearray()
        self.peak = 0

    def seconds(self):
        return time.monotonic() - self.begin

    def read(self, wait):
        if not select.select([self.fd], [], [], wait)[0]:
            return False
        try:
            self.out += os.read(self.fd, 65536)
        except OSError:
            return False
        return True

    def until(self, word):
        while word not in self.out and self.seconds() < LIMIT:
            self.read(0.02)
        return self.seconds()

    def cpu(self):
        with open("/proc/%d/stat" % self.pid) as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def until_rest(self):
        """Until it has used next to nothing for a second; when that began."""
        since, used = self.seconds(), self.cpu()
        while self.seconds() < LIMIT:
            self.read(0.05)
            if self.cpu() > used + 0.03:
                since, used = self.seconds(), self.cpu()
            elif self.seconds() - since > 1:
                break
        return since

    def memory(self):
        with open("/proc/%d/status" % self.pid) as f:
            for row in f:
                if row.startswith("VmHWM:"):
                    return int(row.split()[1]) / 1024
        return 0

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def stop(self):
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def row(name, first, loaded, memory):
    print("%-16s first screen %6.2f s   all of it %6.2f s   memory %6.0f MB"
          % (name, first, loaded, memory))
    sys.stdout.flush()


def one_file(path):
    size = os.path.getsize(path) / 1e6
    print("a stream of %d events, %.0f MB" % (EVENTS, size))
    p = Program([AGENTRUN, "view", path])
    first = p.until(b"[main]")
    p.until(b"[end]")
    row("agentrun view", first, p.until_rest(), p.memory())
    p.stop()
    if shutil.which("less"):
        p = Program(["less", path])
        first = p.until(b"schema")
        p.type("G")
        p.until(b"the very last line")
        row("less, then G", first, p.until_rest(), p.memory())
        p.stop()
    if shutil.which("lnav"):
        p = Program(["lnav", path])
        first = p.until(b"schema")
        row("lnav", first, p.until_rest(), p.memory())
        p.stop()


def folder(runs=500, live=20):
    path = os.path.join(WORK, "runs")
    os.makedirs(path)
    for i in range(runs):
        with open("%s/%03d.jsonl" % (path, i), "w") as f:
            f.write(start())
            f.writelines(body(n) for n in range(1, 400))
            if i >= live:
                f.write(end())
    files = [open("%s/%03d.jsonl" % (path, i), "a") for i in range(live)]
    stop = threading.Event()

    def grow():
        n = 400
        while not stop.wait(0.05):
            for f in files:
                f.write(body(n))
                f.flush()
            n += 1

    print("a folder of %d runs, %d of them live (20 events a second each)"
          % (runs, live))
    p = Program([AGENTRUN, "view", "--dir", path])
    grower = threading.Thread(target=grow)
    grower.start()
    first = p.until(b"500 runs")
    end_of_load = time.monotonic() + 3
    while time.monotonic() < end_of_load:
        p.read(0.05)
    worst = 0
    used, since = p.cpu(), time.monotonic()
    for i in range(20):
        seen = len(p.out)
        asked = time.monotonic()
        p.type("jk"[i % 2])
        while len(p.out) == seen and time.monotonic() - asked < 5:
            p.read(0.005)
        worst = max(worst, time.monotonic() - asked)
        until = time.monotonic() + 0.2
        while time.monotonic() < until:
            p.read(0.02)
    load = (p.cpu() - used) / (time.monotonic() - since) * 100
    stop.set()
    grower.join()
    print("%-16s all listed %8.2f s   slowest key %5.0f ms   memory %6.0f MB"
          "   %.0f %% of a CPU" % ("agentrun view", first, worst * 1000,
                                  p.memory(), load))
    p.stop()


def main():
    path = os.path.join(WORK, "million.jsonl")
    with open(path, "w") as f:
        f.write(start())
        f.writelines(body(i) for i in range(1, EVENTS))
        f.write(end())
    one_file(path)
    os.unlink(path)
    folder()


main()
