#!/usr/bin/env python3
"""The proxy against clients, servers and name servers that misbehave.

Runs in a private network namespace (unshare -Urnm): the "internet" is the
loopback device with public addresses on it, names come from a hosts file and
a name server of our own. Usage: proxy.py PROXYD WORKDIR. Prints TAP."""
import base64
import ctypes
import fcntl
import os
import resource
import socket
import struct
import subprocess
import sys
import threading
import time

PROXYD, WORK = sys.argv[1], sys.argv[2]
PUBLIC = "93.184.216.34"
count = failed = 0


def ok(what, good, note=""):
    global count, failed
    count += 1
    if not good:
        failed += 1
    print(("ok" if good else "not ok"), count, "-", what, flush=True)
    if not good and note:
        print("#", repr(note)[:600], flush=True)


# --- the private internet ---

def interface(name, address):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    if address:
        fcntl.ioctl(s, 0x8916, struct.pack(
            "16sHH4s8x", name.encode(), socket.AF_INET, 0,
            socket.inet_aton(address)))  # SIOCSIFADDR
    flags = struct.unpack("16sh", fcntl.ioctl(
        s, 0x8913, struct.pack("16sh", name.encode(), 0)))[1]
    fcntl.ioctl(s, 0x8914, struct.pack("16sh", name.encode(), flags | 1))


def cover(path, text):
    mine = os.path.join(WORK, os.path.basename(path))
    with open(mine, "w") as f:
        f.write(text)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(mine.encode(), os.path.realpath(path).encode(), None,
                  4096, None) != 0:  # MS_BIND
        raise OSError(ctypes.get_errno(), path)


interface("lo", None)
interface("lo:1", PUBLIC)
interface("lo:2", "10.0.0.5")
cover("/etc/hosts", f"127.0.0.1 localhost\n{PUBLIC} example.com a.example.com\n"
      "10.0.0.5 intern.test\n127.0.0.1 loop.test\n")
cover("/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
if os.path.exists("/etc/nsswitch.conf"):
    cover("/etc/nsswitch.conf", "hosts: files dns\n")

queries = []
turns = {}


def name_server():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 53))
    while True:
        q, peer = s.recvfrom(512)
        labels, i = [], 12
        while q[i]:
            labels.append(q[i + 1:i + 1 + q[i]].decode())
            i += q[i] + 1
        name = ".".join(labels).lower()
        kind = struct.unpack(">H", q[i + 1:i + 3])[0]
        queries.append(name)
        if name.startswith("silent"):
            continue
        answers = []
        if kind == 1:
            if name == "rebind.test":
                n = turns[name] = turns.get(name, 0) + 1
                answers = [PUBLIC if n % 2 else "127.0.0.1"]
            elif name == "mixed.test":
                answers = [PUBLIC, "192.168.1.1"]
            elif name == "public.test":
                answers = [PUBLIC]
        r = q[:2] + (b"\x81\x80" if answers or kind != 1 or
                     name.endswith(".test") and name != "none.test"
                     else b"\x81\x83")
        r += struct.pack(">HHHH", 1, len(answers), 0, 0) + q[12:i + 5]
        for a in answers:
            r += b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4)
            r += socket.inet_aton(a)
        s.sendto(r, peer)


threading.Thread(target=name_server, daemon=True).start()


class Server:
    """Calls SERVE(connection) in a thread for each client."""

    def __init__(self, address, port, serve):
        self.got = []
        self.serve = serve
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.s = socket.socket(family, socket.SOCK_STREAM)
        self.s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.s.bind((address, port))
        self.s.listen(2000)
        self.port = self.s.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            c, _ = self.s.accept()
            threading.Thread(target=self.one, args=(c,), daemon=True).start()

    def one(self, c):
        try:
            self.serve(self, c)
        except OSError:
            pass
        c.close()


def read_head(c):
    data = b""
    while b"\r\n\r\n" not in data:
        d = c.recv(65536)
        if not d:
            break
        data += d
    return data


def http(server, c):
    data = read_head(c)
    server.got.append(data)
    if b" /redirect " in data:
        c.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%d/\r\n"
                  b"Content-Length: 0\r\n\r\n" % private.port)
    else:
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    c.settimeout(0.3)
    try:
        while True:
            d = c.recv(65536)
            if not d:
                break
            server.got[-1] += d
    except OSError:
        pass


def echo(server, c):
    """Echoes, and says "end" behind the client's half-close."""
    while True:
        d = c.recv(65536)
        if not d:
            break
        c.sendall(d)
    c.sendall(b"end")


def flood(server, c):
    read = c.recv(10)
    block = b"x" * 65536
    server.got.append(read)
    for _ in range(1600):  # 100 MiB
        c.sendall(block)


public = Server(PUBLIC, 80, http)
tls = Server(PUBLIC, 443, echo)
big = Server(PUBLIC, 8443, flood)
private = Server("127.0.0.1", 0, http)
intern = Server("10.0.0.5", 80, http)


# --- the proxy ---

class Proxy:
    def __init__(self, *args):
        self.p = subprocess.Popen([PROXYD, *args], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        self.port = int(self.p.stdout.readline().split()[1])
        self.seen = []
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        for line in self.p.stdout:
            self.seen.append(line.strip())

    def saw(self, line, times=1):
        until = time.time() + 5
        while self.seen.count(line) < times and time.time() < until:
            time.sleep(0.01)
        return self.seen.count(line) >= times

    def open(self):
        c = socket.create_connection(("127.0.0.1", self.port))
        c.settimeout(25)
        return c

    def ask(self, data):
        c = self.open()
        c.sendall(data)
        return drain(c)

    def end(self):
        self.p.stdin.close()
        return self.p.wait(10)


def drain(c):
    out = b""
    try:
        while True:
            d = c.recv(65536)
            if not d:
                break
            out += d
    except ConnectionResetError:
        out += b"<reset>"
    c.close()
    return out


def status(answer):
    return answer[9:12].decode() if answer.startswith(b"HTTP/1.1 ") else repr(answer[:40])


def get(host, path="/"):
    return f"GET http://{host}{path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


def connect(target):
    return f"CONNECT {target} HTTP/1.1\r\n\r\n".encode()


def reason(answer):
    for line in answer.split(b"\r\n\r\n")[0].split(b"\r\n"):
        if line.startswith(b"X-Agentrun-Reason: "):
            return line.split(b": ")[1].decode()


p = Proxy("example.com", "*.example.com", "example.com:8443", "rebind.test",
          "mixed.test", "public.test", "intern.test", "loop.test",
          "silent.test", "silent2.test", "none.test", "nobody.example.com:81",
          f"127.0.0.1:{private.port}")
full = Proxy("-f")

# What takes long starts now.
late = {}


def later(name, work):
    def run():
        start = time.time()
        late[name] = (work(), time.time() - start)
    t = threading.Thread(target=run)
    t.start()
    return t


def slow_head():
    c = p.open()
    c.sendall(b"GET http://example.com/ HTTP/1.1\r\n")
    return drain(c)


slow = [later("head", slow_head),
        later("dns", lambda: p.ask(get("silent.test")))]

# --- what passes ---
a = p.ask(get("example.com", "/x?y=z"))
ok("a public name passes", status(a) == "200" and a.endswith(b"hi"), a)
ok("the server gets origin form and the right host",
   public.got[-1] == b"GET /x?y=z HTTP/1.1\r\nHost: example.com\r\n"
   b"Connection: close\r\n\r\n", public.got[-1])
ok("it is told", p.saw("seen example.com 80 allowed"), p.seen)
a = p.ask(get("A.Example.COM."))
ok("a wildcard passes", status(a) == "200", a)
ok("the name is told as normalised", p.saw("seen a.example.com 80 allowed"), p.seen)
a = p.ask(get("public.test"))
ok("a name from the name server passes", status(a) == "200", a)
p.ask(get("example.com"))
p.ask(get("example.com"))
ok("every connection is told", p.saw("seen example.com 80 allowed", 3), p.seen)
a = p.ask(get(f"127.0.0.1:{private.port}"))
ok("an allowed private literal passes", status(a) == "200", a)

# --- what does not ---
before = len(queries)
a = p.ask(connect("evil.test:443"))
ok("another host is refused", status(a) == "403" and
   reason(a) == "not_allowed" and b"--allow-host evil.test\n" in a, a)
ok("the refusal is told", p.saw("seen evil.test 443 not_allowed"), p.seen)
ok("and never looked up", "evil.test" not in queries[before:], queries)
a = p.ask(connect("example.com:22"))
ok("another port is refused", status(a) == "403" and
   b"--allow-host example.com:22\n" in a, a)
for name in ("intern.test", "loop.test", "mixed.test"):
    a = p.ask(get(name))
    ok(f"{name} is private", status(a) == "403" and
       reason(a) == "private_address", a)
    ok(f"{name} is told", p.saw(f"seen {name} 80 private_address"), p.seen)
ok("nothing came through", not intern.got, intern.got)
a = p.ask(get("none.test"))
ok("a name that does not exist is 502", status(a) == "502", a)
a = p.ask(connect("nobody.example.com:81"))
ok("no route to a name is 502", status(a) == "502", a)

# --- rebinding and redirects ---
reached = len(private.got)
answers = [status(p.ask(get("rebind.test"))) for _ in range(6)]
ok("a rebinding name never reaches loopback",
   len(private.got) == reached and "403" in answers and
   set(answers) <= {"200", "403"}, answers)
a = p.ask(get("example.com", "/redirect"))
ok("a redirect is passed on as it is", status(a) == "302", a)
a = full.ask(get(f"127.0.0.1:{private.port}"))
ok("and where it leads is refused", status(a) == "403" and
   reason(a) == "private_address" and len(private.got) == reached, a)

# --- literals in every dress ---
for host in ("127.0.0.1", "169.254.169.254", "10.0.0.5", "0.0.0.0",
             "192.168.0.1", "172.16.0.1", "100.64.0.1", "[::1]", "[::]",
             "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]",
             "[2002:7f00:1::]", "[fe80::1]", "[fd00::1]", "[::127.0.0.1]"):
    a = full.ask(connect(f"{host}:{private.port}"))
    ok(f"full: {host} is private", status(a) == "403" and
       reason(a) == "private_address", a)
for host in ("127.1", "2130706433", "0177.0.0.1", "0x7f.1", "0x7f000001",
             "127.0.0.01", "0", "1.2.3.4.5", "127.0.0.1.nip.0x1"):
    a = full.ask(connect(f"{host}:{private.port}"))
    ok(f"full: {host} never matches", status(a) == "403" and
       reason(a) == "not_allowed", a)
for host in ("127.0.0.1%00.example.com", "[fe80::1%lo]", "user@example.com",
             "example.com\0.evil", "exa mple.com", "\u0131.example.com"):
    a = full.ask(connect(f"{host}:443"))
    ok(f"full: {host!r} is no host", status(a) == "400", a)
a = full.ask(get("example.com"))
ok("full: a public name passes", status(a) == "200", a)
a = full.ask(get("localhost"))
ok("full: localhost is private", reason(a) == "private_address", a)

# --- the protocol ---
for what, data in (("origin form", b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"),
                   ("https in absolute form", get("x").replace(b"http:", b"https:")),
                   ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
                   ("SOCKS 5", b"\x05\x01\x00"),
                   ("SOCKS 4", b"\x04\x01\x00\x50\x5d\xb8\xd8\x22\x00"),
                   ("NUL", b"GET http://example.com/ HTTP/1.1\r\nA: \0\r\n\r\n"),
                   ("bare LF", b"GET http://example.com/ HTTP/1.1\n\n"),
                   ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")):
    a = p.ask(data)
    ok(f"{what} is 400", status(a) == "400", a)
c = p.open()
for b in get("example.com", "/single"):
    c.sendall(bytes([b]))
a = drain(c)
ok("a head in single bytes", status(a) == "200", a)
line = b"GET http://example.com/ HTTP/1.1\r\nA: "
a = p.ask(line + b"a" * (16384 - len(line) - 4) + b"\r\n\r\n")
ok("a head of 16 KiB passes", status(a) == "200", a)
a = p.ask(line + b"a" * (16385 - len(line) - 4) + b"\r\n\r\n")
ok("one byte more is 431", status(a) == "431", a)
a = p.ask(line + b"a" * 1000000)
ok("a head without end is 431", status(a) == "431", a)
a = p.ask(get("example.com", "/one") +
          b"GET http://evil.test/two HTTP/1.1\r\nHost: evil.test\r\n\r\n")
time.sleep(0.4)
ok("a second request in the packet goes nowhere",
   status(a) == "200" and b"/two" not in public.got[-1], public.got[-1])
a = p.ask(b"POST http://example.com/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET")
ok("a body ends where it says", public.got[-1].endswith(b"\r\n\r\nabc"), public.got[-1])
a = p.ask(connect("evil.test:1") + b"y" * 40000)
ok("an answer arrives over unread bytes", status(a) == "403" and
   a.endswith(b"\n"), a)

# --- tunnels ---
c = p.open()
c.sendall(connect("example.com:443") + b"early")
a = b""
while not a.endswith(b"early"):
    a += c.recv(4096)
ok("bytes behind CONNECT are not lost", a == b"HTTP/1.1 200 Connection "
   b"established\r\n\r\nearly", a)
c.shutdown(socket.SHUT_WR)
a = drain(c)
ok("the client's half-close leaves the other way open", a == b"end", a)


def server_half_close(server, c):
    c.sendall(b"bye")
    c.shutdown(socket.SHUT_WR)
    data = b""
    while True:
        d = c.recv(4096)
        if not d:
            break
        data += d
    server.got.append(data)


half = Server("127.0.0.1", 0, server_half_close)
q = Proxy(f"127.0.0.1:{half.port}")
c = q.open()
c.sendall(connect(f"127.0.0.1:{half.port}"))
a = b""
while True:
    d = c.recv(4096)
    if not d:
        break
    a += d
c.sendall(b"after")
c.close()
until = time.time() + 5
while not half.got and time.time() < until:
    time.sleep(0.01)
ok("the server's half-close as well", a.endswith(b"bye") and
   half.got == [b"after"], (a, half.got))

c = p.open()
c.sendall(connect("example.com:8443") + b"go")
until = time.time() + 10
while not big.got and time.time() < until:
    time.sleep(0.01)
time.sleep(0.5)
a = p.ask(get("example.com"))
ok("a client that never reads holds up nobody", status(a) == "200", a)
with open(f"/proc/{p.p.pid}/status") as f:
    rss = [int(x.split()[1]) for x in f if x.startswith("VmRSS")][0]
ok("and costs no memory", rss < 60000, rss)
total = 0
while True:
    d = c.recv(1 << 20)
    if not d:
        break
    total += len(d)
ok("all arrives when it reads at last",
   total == 1600 * 65536 + len("HTTP/1.1 200 Connection established\r\n\r\n"), total)

# --- crowds ---
# The proxy, started before, sees to its own limit.
files = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (files[1], files[1]))
crowd = []
for _ in range(1000):
    crowd.append(p.open())
for c in crowd:
    c.sendall(get("example.com"))
good = sum(status(drain(c)) == "200" for c in crowd)
ok("1000 connections at once are all served", good == 1000, good)
for i in range(200):  # gone at every stage
    c = p.open()
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    c.sendall((get("example.com"), connect("example.com:443"),
               b"GET http", get("silent2.test"))[i % 4])
    c.close()
a = p.ask(get("example.com"))
ok("clients that vanish do no harm", status(a) == "200", a)

# --- an upstream proxy ---
asked = []


def upstream(server, c):
    data = read_head(c)
    asked.append(data)
    if b"refuse" in data:
        c.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
        return
    c.sendall(b"HTTP/1.0 200 fine\r\nVia: x\r\n\r\nFIRST")
    echo(server, c)


up = Server("127.0.0.1", 0, upstream)
u = Proxy("-u", f"http://me:secret@127.0.0.1:{up.port}", "-n",
          ".direct.test,example.com:80", "far.test", "refuse.test",
          "example.com", "localhost", f"127.0.0.1:{private.port}", "-f")
c = u.open()
c.sendall(connect("far.test:443") + b"hello")
c.shutdown(socket.SHUT_WR)
a = drain(c)
ok("the upstream is asked", asked and asked[-1].startswith(
    b"CONNECT far.test:443 HTTP/1.1\r\nHost: far.test:443\r\n") and
   base64.b64encode(b"me:secret") in asked[-1], asked)
ok("its bytes and ours pass", a == b"HTTP/1.1 200 Connection established"
   b"\r\n\r\nFIRSThelloend", a)
ok("names are its affair", "far.test" not in queries, queries)
a = u.ask(connect("refuse.test:443"))
ok("its refusal is 502", status(a) == "502", a)
n = len(asked)
a = u.ask(get("example.com"))
ok("NO_PROXY is heard", status(a) == "200" and len(asked) == n, a)
a = u.ask(connect("169.254.169.254:80"))
ok("private literals stay refused", reason(a) == "private_address" and
   len(asked) == n, a)
a = u.ask(get(f"127.0.0.1:{private.port}"))
ok("allowed ones go straight", status(a) == "200" and len(asked) == n, a)
a = u.ask(connect("x.localhost:443"))
ok("no name of the upstream's own loopback", reason(a) == "private_address", a)
for bad in ("socks5://a:1", "https://a:1", "http://a:0", "http://a:99999",
            "http://", "http://a b", "http://a/path"):
    r = subprocess.run([PROXYD, "-u", bad, "x.test"], capture_output=True, text=True)
    ok(f"upstream {bad} is refused", r.returncode == 2 and
       "only http://HOST:PORT" in r.stderr, r.stderr)

# --- what took long ---
for t in slow:
    t.join()
a, took = late["head"]
ok("a slow head is 408 after 15 s", status(a) == "408" and 14 < took < 20, (a, took))
a, took = late["dns"]
ok("a silent name server is 502 within 10 s", status(a) == "502" and
   took < 11, (a, took))
ok("all proxies end in order",
   [x.end() for x in (p, full, q, u)] == [0, 0, 0, 0])
print(f"1..{count}")
sys.exit(failed != 0)
