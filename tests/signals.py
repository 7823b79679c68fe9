#!/usr/bin/env python3
"""Sends every signal to everything that agentrun can be.

    signals.py AGENTRUN [WORD]

Prints "ok WHAT" or "not ok WHAT" for each case (with WORD: for those whose name
holds it) and "# all sent" at the end. Each case has folders of its own: what is
left in them when agentrun is gone counts against it.
"""

import concurrent.futures
import fcntl
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time

AGENTRUN = os.path.abspath(sys.argv[1])
WORD = sys.argv[2] if len(sys.argv) > 2 else ""
PATIENCE = 60
WORKERS = 4

# A claude that says a line and waits until it is told to end.
CLAUDE = """#!/bin/sh
case $1 in --version) echo 2.1.332; exit ;; esac
cat >/dev/null
echo '{"type":"system","subtype":"init","cwd":"/x","session_id":"s"}'
trap 'exit 0' INT
echo ready >&2
sleep 300 & wait
"""
DONE = """#!/bin/sh
cat >/dev/null
%s
echo '{"type":"system","subtype":"init","cwd":"/x","session_id":"s"}'
echo '{"type":"assistant","message":{"id":"m","model":"m","content":[{"type":\
"text","text":"done"}]},"parent_tool_use_id":null}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"r"}'
"""

STOPS = [getattr(signal, "SIG" + name) for name in (
    "HUP INT TERM USR1 USR2 XCPU ALRM VTALRM PROF PWR POLL STKFLT").split()
    if hasattr(signal, "SIG" + name)]
STOPS += [signal.SIGRTMIN, signal.SIGRTMIN + 7, signal.SIGRTMAX]
CRASHES = [signal.SIGQUIT, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT,
           signal.SIGFPE, signal.SIGILL, signal.SIGTRAP, signal.SIGSYS]
SOME = [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGXCPU,
        signal.SIGRTMIN + 1]
SOME_CRASHES = [signal.SIGSEGV, signal.SIGQUIT, signal.SIGTRAP, signal.SIGSYS]


def name(s):
    if s >= signal.SIGRTMIN:
        return "SIGRTMIN+%d" % (s - signal.SIGRTMIN)
    return signal.Signals(s).name.replace("SIGIO", "SIGPOLL")


def code(s):
    return 128 + (signal.SIGTERM if s == signal.SIGHUP else s)


def detail(s):
    if s in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        return ""
    return "stopped by " + name(s)


class Failed(Exception):
    pass


def expect(what, got, want):
    if got != want:
        raise Failed(f"{what}: {got!r}, not {want!r}")


def until(what, seen, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not seen():
        if time.monotonic() > end:
            raise Failed("never: " + what)
        time.sleep(0.01)


class Place:
    """The folders of one case, and the process in them."""

    def __init__(self):
        self.top = tempfile.mkdtemp(prefix="signals-")
        for d in "bin home tmp repo".split():
            os.mkdir(self.at(d))
        os.mkdir(self.at("home/.claude"))
        self.write("home/.claude/.credentials.json", '{"secret":1}')
        self.program("claude", CLAUDE)
        self.env = {
            "PATH": os.environ["PATH"], "HOME": self.at("home"),
            "TMPDIR": self.at("tmp"), "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color"}
        for key in os.environ:
            if key.endswith("SAN_OPTIONS") or key.startswith("GCOV"):
                self.env[key] = os.environ[key]
        self.p = None
        self.tty = -1
        self.shown = b""

    def at(self, path):
        return os.path.join(self.top, path)

    def write(self, path, text):
        with open(self.at(path), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, path):
        try:
            with open(self.at(path), encoding="utf-8") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def program(self, what, text):
        self.write("bin/" + what, text)
        os.chmod(self.at("bin/" + what), 0o755)

    def start(self, args, before=lambda: None, stdout=None):
        """Starts agentrun with every signal as a fresh process has it."""
        def child():
            for each in signal.valid_signals() - {
                    signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(each, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            before()
        out = stdout if stdout is not None else open(self.at("out"), "wb")
        self.p = subprocess.Popen(
            [AGENTRUN] + args, env=self.env, cwd=self.at("repo"),
            stdin=subprocess.DEVNULL, stdout=out,
            stderr=open(self.at("err"), "wb"), preexec_fn=child,
            start_new_session=self.tty < 0)
        return self

    def run(self, *more, sandbox="off", **how):
        return self.start(
            ["claude-code", "-p", "x", "--path", self.at("bin"), "--sandbox",
             sandbox, "--format", "jsonl", *more], **how)

    def on_terminal(self, args):
        """The same on a terminal of its own; its state is kept."""
        self.tty, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, 80))
        self.slave = slave
        self.modes = termios.tcgetattr(slave)

        def child():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in (0, 2):
                os.dup2(slave, fd)
        self.start(args, before=child, stdout=slave)
        return self

    def look(self):
        """Reads what the terminal got. Returns it."""
        while select.select([self.tty], [], [], 0)[0]:
            try:
                self.shown += os.read(self.tty, 65536)
            except OSError:
                break
        return self.shown

    def ready(self):
        until("the runtime runs", lambda: "ready" in self.read("err"))
        return self

    def drawn(self, what=b"[main]"):
        until("the view shows " + repr(what), lambda: what in self.look())
        return self

    def kill(self, s):
        os.kill(self.p.pid, s)
        return self

    def wait(self):
        end = time.monotonic() + PATIENCE
        while self.p.poll() is None:
            if self.tty >= 0:
                self.look()
            if time.monotonic() > end:
                raise Failed("agentrun does not end")
            time.sleep(0.01)
        return self.p.returncode

    def events(self, path="out"):
        return [json.loads(line) for line in self.read(path).splitlines()]

    def end(self, path="out"):
        events = self.events(path)
        if not events or events[-1]["type"] != "end":
            raise Failed("no end event: " + self.read("err"))
        return events[-1]

    def processes(self):
        """Whatever has the folder of this case's programs in its PATH."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if self.at("bin").encode() in f.read():
                        found.append(int(pid))
            except OSError:
                pass
        return found

    def folders(self):
        state = self.at("home/.local/state/agentrun")
        return os.listdir(self.at("tmp")) + (
            os.listdir(state) if os.path.isdir(state) else [])

    def nothing_left(self):
        expect("what is left in the folders", self.folders(), [])
        until("no process is left", lambda: not self.processes(), 10)

    def terminal_is_back(self):
        self.look()
        last = {}
        for at, onoff in re.findall(rb"\x1b\[\?(\d+)([hl])", self.shown):
            last[int(at)] = onoff
        expect("the alternate screen", last.get(1049), b"l")
        for mode in (1000, 1006, 2004, 2026):
            expect(f"mode {mode}", last.get(mode, b"l"), b"l")
        expect("the cursor", last.get(25, b"h"), b"h")
        expect("the modes of the terminal", termios.tcgetattr(self.slave),
               self.modes)

    def clean(self):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        if self.p and self.p.poll() is None:
            self.p.kill()
            self.p.wait()
        for fd in (self.tty, self.slave) if self.tty >= 0 else ():
            os.close(fd)
        subprocess.run(["chmod", "-R", "u+rwX", self.top], check=False)
        shutil.rmtree(self.top, ignore_errors=True)


# --- the cases: functions of a place and a signal ---

def interrupted(p, s, returned):
    """`end` and the exit status say the same, and the right thing."""
    end = p.end()
    expect("status", end["status"], "interrupted")
    expect("detail", end["detail"], detail(s))
    expect("exit status", returned, code(s))
    p.nothing_left()


def run_stop(p, s, sandbox="off"):
    """A signal ends a run; --save gets its end, too."""
    p.run("--save", p.at("saved"), "--session-dir", p.at("sessions"),
          sandbox=sandbox).ready()
    interrupted(p, s, p.kill(s).wait())
    expect("--save", p.read("saved"), p.read("out"))


def boxed_stop(p, s):
    run_stop(p, s, "on")


def job_stop(p, s, sandbox="on"):
    """A signal to every process of the job at once, as a cgroup gets it."""
    p.program("claude", CLAUDE.replace("trap 'exit 0' INT", "trap '' HUP"))
    p.run(sandbox=sandbox).ready()
    inside = p.processes()
    for pid in [p.p.pid] + [
            int(x) for x in subprocess.run(
                ["ps", "-eo", "pid=,args="], stdout=subprocess.PIPE, text=True,
                check=True).stdout.splitlines()
            for x in [x.split()[0]] if p.top in x]:
        try:
            os.kill(pid, s)
        except OSError:
            pass
    for pid in inside:
        try:
            os.kill(pid, s)
        except OSError:
            pass
    interrupted(p, s, p.wait())


def job_stop_unboxed(p, s):
    job_stop(p, s, "off")


def run_crash(p, s, sandbox="off"):
    """A crash leaves nothing, and dies of what it died of."""
    p.run("--session-dir", p.at("sessions"), sandbox=sandbox).ready()
    expect("exit status", p.kill(s).wait(), -s)
    p.nothing_left()


def boxed_crash(p, s):
    run_crash(p, s, "on")


def view_stop(p, s):
    """A run in the view: the terminal is given back."""
    p.on_terminal(["claude-code", "-p", "x", "--path", p.at("bin"),
                   "--sandbox", "off", "--format", "rich",
                   "--save", p.at("out")]).drawn(b"ready")
    interrupted(p, s, p.kill(s).wait())
    p.terminal_is_back()


def view_crash(p, s):
    p.on_terminal(["claude-code", "-p", "x", "--path", p.at("bin"),
                   "--sandbox", "off", "--format", "rich"]).drawn(b"ready")
    expect("exit status", p.kill(s).wait(), -s)
    p.terminal_is_back()
    p.nothing_left()


def demo_view(p, s):
    p.on_terminal(["demo", "--format", "rich", "--save",
                   p.at("out")]).drawn()
    interrupted(p, s, p.kill(s).wait())
    p.terminal_is_back()


def demo_view_crash(p, s):
    p.on_terminal(["demo", "--format", "rich"]).drawn()
    expect("exit status", p.kill(s).wait(), -s)
    p.terminal_is_back()
    p.nothing_left()


def demo_stop(p, s):
    p.start(["demo", "--format", "jsonl"])
    until("the demo plays", lambda: '"start"' in p.read("out"))
    interrupted(p, s, p.kill(s).wait())


def a_stream(p, path):
    subprocess.run([AGENTRUN, "demo", "--speed", "0", "--format", "jsonl"],
                   env=p.env, stdout=open(p.at(path), "wb"), check=True)


def saved_view(p, s):
    a_stream(p, "repo/run.jsonl")
    p.on_terminal(["view", "run.jsonl"]).drawn(b"finished")
    expect("exit status", p.kill(s).wait(), code(s))
    p.terminal_is_back()
    p.nothing_left()


def dir_view(p, s):
    a_stream(p, "repo/one.jsonl")
    p.on_terminal(["view", "--dir", "."]).drawn(b"one")
    expect("exit status", p.kill(s).wait(), code(s))
    p.terminal_is_back()
    p.nothing_left()


def saved_view_crash(p, s):
    a_stream(p, "repo/run.jsonl")
    p.on_terminal(["view", "run.jsonl"]).drawn(b"finished")
    expect("exit status", p.kill(s).wait(), -s)
    p.terminal_is_back()
    p.nothing_left()


def plain(args):
    """Commands that leave nothing behind die of the signal."""
    def case(p, s):
        os.mkfifo(p.at("repo/fifo"))
        p.start(args)
        hold = os.open(p.at("repo/fifo"), os.O_WRONLY)
        expect("exit status", p.kill(s).wait(), -s)
        os.close(hold)
        p.nothing_left()
    return case


export_stop = plain(["export", "--to", "md", "fifo"])
headless_view = plain(["view", "--headless", "--format", "jsonl", "fifo"])


def doctor_stop(p, s):
    """Its trial folder and what it has started go, too."""
    p.program("claude", "#!/bin/sh\ntrap '' TERM\necho ready >&2\n"
              ": >$HOME/ready\nsleep 300 & wait\n")
    p.env["PATH"] = p.at("bin") + ":" + p.env["PATH"]
    p.start(["doctor", "claude-code"])
    until("claude is asked", lambda: os.path.exists(p.at("home/ready")))
    expect("exit status", p.kill(s).wait(), code(s))
    expect("the report", p.read("out"), "")
    p.nothing_left()


def version_stop(p, s):
    """`dsh --version` that hangs does not hang us."""
    p.program("dsh", "#!/bin/sh\n: >$HOME/ready\nsleep 300 & wait\n")
    p.start(["dsh", "-p", "x", "--path", p.at("bin"), "--sandbox", "off",
             "--format", "jsonl"])
    until("dsh is asked", lambda: os.path.exists(p.at("home/ready")))
    interrupted(p, s, p.kill(s).wait())


def prompt_stop(p, s):
    os.mkfifo(p.at("prompt"))
    p.start(["claude-code", "--prompt-file", p.at("prompt"), "--path",
             p.at("bin"), "--sandbox", "off", "--format", "jsonl"])
    hold = os.open(p.at("prompt"), os.O_WRONLY)
    os.write(hold, b"half")
    interrupted(p, s, p.kill(s).wait())
    os.close(hold)


def first_moment(p, s):
    """As early as can be: an `end`, or it was not our program yet."""
    p.run()
    returned = p.kill(s).wait()
    if returned != -s:
        interrupted(p, s, returned)
    else:
        expect("output", p.read("out"), "")
        p.nothing_left()


def ignored_stop(p, s):
    """What the caller ignores does nothing."""
    p.program("claude", DONE % "echo ready >&2\nwhile ! test -e go; do "
              "sleep 0.05; done")
    p.run(before=lambda: signal.signal(s, signal.SIG_IGN)).ready().kill(s)
    p.kill(s)
    p.write("repo/go", "")
    expect("exit status", p.wait(), 0)
    expect("status", p.end()["status"], "finished")
    p.nothing_left()


def no_answer(p, s):
    """XFSZ and PIPE, and those that do nothing by default."""
    p.program("claude", DONE % "echo ready >&2\nwhile ! test -e go; do "
              "sleep 0.05; done")
    p.run().ready().kill(s)
    p.write("repo/go", "")
    expect("exit status", p.wait(), 0)
    p.nothing_left()


def runtime_is_fresh(p, s):
    """The runtime ignores nothing and blocks nothing, whatever we do."""
    p.program("claude", "#!/bin/sh\nexec >$HOME/fresh\n"
              "grep -E '^Sig(Ign|Blk)' /proc/self/status\n")
    p.run(before=lambda: (
        signal.signal(signal.SIGHUP, signal.SIG_IGN),
        signal.signal(signal.SIGCHLD, signal.SIG_IGN),
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())))
    p.wait()
    sets = [int(x, 16) for x in p.read("home/fresh").split()[1::2]]
    library = 3 << 31  # 32 and 33 are the C library's own
    expect("blocked and ignored", [x & ~library for x in sets], [0, 0])
    p.nothing_left()


def chld_ignored(p, s):
    """A parent that ignores SIGCHLD or blocks everything."""
    p.program("claude", DONE % ":" + "exit 0\n")
    p.run(before=lambda: (
        signal.signal(signal.SIGCHLD, signal.SIG_IGN),
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())))
    expect("exit status", p.wait(), 0)
    expect("exit code", p.end()["exit_code"], 0)
    p.nothing_left()


def after_the_end(p, s):
    """A signal while the folders are removed changes nothing any more."""
    p.program("claude", DONE % (
        "cd $CLAUDE_CONFIG_DIR && mkdir many && cd many &&\n"
        "seq 5000 | xargs touch"))
    p.run("--session-dir", p.at("sessions"))
    until("the end", lambda: '"type":"end"' in p.read("out"))
    p.kill(s)
    expect("exit status", p.wait(), 0)
    expect("status", p.end()["status"], "finished")
    p.nothing_left()


def helper_killed(p, s, sandbox="on"):
    """The box or the process that watches the runtime is killed."""
    p.run("--session-dir", p.at("sessions"), sandbox=sandbox).ready()
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(p.p.pid)], check=True,
        stdout=subprocess.PIPE, text=True).stdout.split()
    for pid in children:
        os.kill(int(pid), s)
    if s != signal.SIGKILL:  # not theirs to answer
        interrupted(p, signal.SIGTERM, p.kill(signal.SIGTERM).wait())
        return
    expect("exit status", p.wait(), 1)
    expect("end", [p.end()["status"], p.end()["detail"]],
           ["failed", "ready\n"])
    p.nothing_left()


def watcher_killed(p, s):
    helper_killed(p, s, "off")


def left_behind(p, s):
    """What SIGKILL leaves is removed by the next start, not what lives."""
    live = Place()
    try:
        live.env.update(HOME=p.env["HOME"], TMPDIR=p.env["TMPDIR"])
        live.run("--session-dir", live.at("sessions")).ready()
        lives = set(p.folders())
        expect("folders of a living run", len(lives), 4)
        p.run("--session-dir", p.at("sessions")).ready()
        expect("exit status", p.kill(s).wait(), -s)
        expect("what is left", len(p.folders()), 8)
        until("the runtime is gone", lambda: not p.processes())
        # What another machine has made, and what is none of ours, stays.
        for text, what in (("agentrun 1 1 other elsewhere\n", "agentrun-other1"),
                           ("", "agentrun-other2")):
            os.mkdir(p.at("tmp/" + what))
            p.write("tmp/" + what + "/file", "")
            p.write("tmp/" + what + ".lock", text)
        os.mkdir(p.at("tmp/agentrun-other3"))
        os.symlink(p.at("home"), p.at("tmp/agentrun-other4"))
        others = {x for x in p.folders() if "other" in x}
        p.program("claude", DONE % ":")
        p.run("--session-dir", p.at("sessions"))
        expect("exit status", p.wait(), 0)
        expect("after the next", set(p.folders()), lives | others)
        expect("credentials", p.read("home/.claude/.credentials.json"),
               '{"secret":1}')
        expect("exit status", live.kill(signal.SIGTERM).wait(), 143)
        expect("at last", set(p.folders()), others)
    finally:
        live.clean()


def debug_folder(p, s):
    """--debug keeps its folder, and the next start does, too."""
    p.program("claude", DONE % ":")
    p.run("--debug").wait()
    kept = re.findall(r"kept: (\S+)", p.read("err"))
    expect("folders", len(kept), 1)
    p.run().wait()
    expect("kept", p.folders(), [os.path.basename(kept[0])])


def file_too_large(p, s):
    """A limit on the size of files is a write error."""
    p.run("--save", p.at("saved"), before=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (64, 64)), stdout=subprocess.PIPE)
    out = p.p.stdout.read().decode()
    expect("exit status", p.wait(), 1)
    end = json.loads(out.splitlines()[-1])
    expect("end", [end["status"], "File too large" in end["detail"]],
           ["failed", True])
    p.nothing_left()


def hangs(p, s):
    """The loop does not turn (a reader that does not read): the second signal
    ends it all the same."""
    r, w = os.pipe()
    os.set_blocking(w, False)
    try:
        while True:
            os.write(w, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(w, True)
    p.start(["claude-code", "--no-such-option", "--format", "jsonl"], stdout=w)
    until("the refusal", lambda: "no-such-option" in p.read("err"))
    time.sleep(0.2)
    p.kill(s)
    time.sleep(1.2)
    p.kill(s)
    expect("exit status", p.wait(), code(s))
    os.close(r)
    os.close(w)


def gone_terminal(p, s):
    """Where SIGHUP is ignored a terminal that goes away ends no run."""
    p.program("claude", DONE % "echo ready >&2\nwhile ! test -e go; do "
              "sleep 0.05; done")
    tty, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, 80))

    def child():
        signal.signal(s, signal.SIG_IGN)
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        os.dup2(slave, 0)
    p.tty = 0
    p.start(["claude-code", "-p", "x", "--path", p.at("bin"), "--sandbox",
             "off", "--format", "rich", "--save", p.at("saved")],
            before=child, stdout=slave)
    p.tty = -1
    p.ready()
    os.close(slave)
    os.close(tty)
    time.sleep(0.3)
    p.write("repo/go", "")
    p.wait()
    expect("status", p.end("saved")["status"], "finished")
    p.nothing_left()


def box_works():
    if not shutil.which("bwrap"):
        return False
    p = Place()
    try:
        p.program("claude", DONE % ":")
        p.run(sandbox="on")
        return p.wait() == 0
    finally:
        p.clean()


def view_works():
    p = Place()
    try:
        p.start(["demo", "--speed", "0", "--format", "rich"])
        p.wait()
        return "built without" not in p.read("err")
    finally:
        p.clean()


def all_cases():
    one = [signal.SIGTERM]
    cases = [
        (run_stop, STOPS), (run_crash, CRASHES), (first_moment, STOPS),
        (job_stop_unboxed, SOME), (demo_stop, SOME), (export_stop, SOME),
        (headless_view, SOME), (doctor_stop, SOME), (version_stop, SOME),
        (prompt_stop, STOPS), (ignored_stop, STOPS),
        (no_answer, [signal.SIGXFSZ, signal.SIGPIPE, signal.SIGCHLD,
                     signal.SIGURG, signal.SIGWINCH, signal.SIGCONT]),
        (runtime_is_fresh, one), (chld_ignored, one),
        (after_the_end, [signal.SIGTERM, signal.SIGUSR1]),
        (watcher_killed, [signal.SIGKILL] + SOME),
        (left_behind, [signal.SIGKILL]), (debug_folder, one),
        (file_too_large, [signal.SIGXFSZ]), (hangs, SOME)]
    if view_works():
        cases += [
            (view_stop, STOPS), (view_crash, CRASHES), (demo_view, SOME),
            (demo_view_crash, SOME_CRASHES), (saved_view, SOME),
            (dir_view, SOME), (saved_view_crash, SOME_CRASHES),
            (gone_terminal, [signal.SIGHUP])]
    else:
        print("# built without the view")
    if box_works():
        cases += [(boxed_stop, STOPS), (boxed_crash, CRASHES),
                  (job_stop, SOME), (helper_killed, [signal.SIGKILL] + SOME)]
    else:
        print("# no sandbox here")
    return [(f, s) for f, signals in cases for s in signals]


def play(case):
    function, s = case
    what = f"{function.__name__} {name(s)}"
    p = Place()
    try:
        function(p, s)
        return "ok " + what
    except Failed as e:
        return f"not ok {what}\n# {e}\n# stderr: {p.read('err')[-300:]!r}"
    finally:
        p.clean()


def main():
    cases = [c for c in all_cases() if WORD in f"{c[0].__name__} {name(c[1])}"]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for line in pool.map(play, cases):
            print(line, flush=True)
    print("# all sent")


main()
