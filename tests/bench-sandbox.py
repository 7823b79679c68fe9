#!/usr/bin/env python3
"""What the sandbox and its proxy cost, against the same without them, measured
alternately in one run. Usage: bench-sandbox.py BOX PROXYD. The last column is
the limit; the exit status is 1 when one is passed."""
import os
import socket
import statistics
import subprocess
import sys
import threading
import time

BOX, PROXYD = sys.argv[1:3]
MIB = 1 << 20
failed = False


def row(what, value, unit, limit, good):
    global failed
    failed |= not good
    print(f"{what:46} {value:10.3f} {unit:5} {limit:>10} {'' if good else 'TOO MUCH'}",
          flush=True)


# --- start-up ---
def start(*args):
    t = time.perf_counter()
    subprocess.run([BOX, *args, "--", "/bin/true"], check=True)
    return (time.perf_counter() - t) * 1000


for _ in range(3):
    start("-n"), start()
without, inside = [], []
for _ in range(40):
    without.append(start("-n"))
    inside.append(start())
a, b = statistics.median(without), statistics.median(inside)
row("start and end, no sandbox (median)", a, "ms", "", True)
row("start and end, sandbox (median)", b, "ms", "", True)
row("the sandbox adds", b - a, "ms", "< 30", b - a < 30)


# --- proxy ---
def serve(c):
    kind = c.recv(1)
    if kind == b"d":  # a download
        block = b"x" * MIB
        for _ in range(SIZE // MIB):
            c.sendall(block)
        c.close()
        return
    while True:  # a conversation
        d = c.recv(4096)
        if not d:
            break
        c.sendall(d)


def accept(s):
    while True:
        c, _ = s.accept()
        c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(c,), daemon=True).start()


SIZE = 512 * MIB
# The server is a process of its own, as it would be.
server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]
child = os.fork()
if child == 0:
    try:
        accept(server)
    finally:
        os._exit(0)
proxy = subprocess.Popen([PROXYD, f"127.0.0.1:{port}"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True)
proxy_port = int(proxy.stdout.readline().split()[1])


def direct():
    c = socket.create_connection(("127.0.0.1", port))
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return c


def tunnel():
    c = socket.create_connection(("127.0.0.1", proxy_port))
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    c.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += c.recv(1)
    return c


def download(c):
    buf = bytearray(MIB)
    t = time.perf_counter()
    c.sendall(b"d")
    n = 0
    while True:
        r = c.recv_into(buf)
        if not r:
            break
        n += r
    t = time.perf_counter() - t
    c.close()
    assert n == SIZE, n
    return n / t / 1e6


def trips(c):
    c.sendall(b"e")
    times = []
    for _ in range(2000):
        t = time.perf_counter()
        c.sendall(b"x")
        c.recv(1)
        times.append(time.perf_counter() - t)
    c.close()
    return statistics.median(times) * 1000


def opening(how):
    times = []
    for _ in range(200):
        t = time.perf_counter()
        c = how()
        times.append(time.perf_counter() - t)
        c.close()
    return statistics.median(times) * 1000


try:
    pairs = [(download(direct()), download(tunnel())) for _ in range(5)]
    a = statistics.median(x for x, _ in pairs)
    b = statistics.median(y for _, y in pairs)
    ratio = statistics.median(y / x for x, y in pairs)
    row("download, direct", a, "MB/s", "", True)
    row("download, through the proxy", b, "MB/s", "", True)
    row("the proxy keeps", ratio, "", ">= 0.45", ratio >= 0.45)
    pairs = [(trips(direct()), trips(tunnel())) for _ in range(3)]
    a = min(x for x, _ in pairs)
    b = min(y for _, y in pairs)
    row("round trip of a byte, direct", a, "ms", "", True)
    row("round trip of a byte, through the proxy", b, "ms", "", True)
    row("the proxy adds", b - a, "ms", "< 0.1", b - a < 0.1)
    row("opening, direct", opening(direct), "ms", "", True)
    row("opening, through the proxy", opening(tunnel), "ms", "", True)
finally:
    os.kill(child, 9)
    proxy.stdin.close()
sys.exit(failed)
