"""internet.py DIR COMMAND...: makes a small internet out of the loopback of
this (private) network and runs COMMAND with $port in it."""
import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import sys
import threading

PUBLIC = "93.184.216.34"
work = sys.argv[1]


def interface(name, address):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    if address:
        fcntl.ioctl(s, 0x8916, struct.pack(
            "16sHH4s8x", name.encode(), socket.AF_INET, 0,
            socket.inet_aton(address)))
    flags = struct.unpack("16sh", fcntl.ioctl(
        s, 0x8913, struct.pack("16sh", name.encode(), 0)))[1]
    fcntl.ioctl(s, 0x8914, struct.pack("16sh", name.encode(), flags | 1))


interface("lo", None)
interface("lo:1", PUBLIC)
interface("lo:2", "169.254.169.254")
with open(work + "/hosts", "w") as f:
    f.write(f"127.0.0.1 localhost loop.test\n{PUBLIC} evil.test\n")
ctypes.CDLL(None).mount((work + "/hosts").encode(), b"/etc/hosts", None, 4096,
                        None)


def serve(c, port):
    data = c.recv(65536)
    if data.startswith(b"GET /redirect"):
        c.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%d/\r\n"
                  b"Content-Length: 0\r\n\r\n" % port)
    elif data.startswith(b"GET"):
        c.settimeout(0.3)
        try:
            data += c.recv(65536)
        except OSError:
            pass
        c.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nreached " + data)
    else:
        c.sendall(b"reached\n")
    c.close()


def accept(s, port):
    while True:
        c, _ = s.accept()
        threading.Thread(target=serve, args=(c, port), daemon=True).start()


def answer(s):
    while True:
        _, peer = s.recvfrom(999)
        s.sendto(b"reached", peer)


def start(port):
    s = socket.socket(socket.AF_INET6)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    s.bind(("::", port))
    s.listen(50)
    port = s.getsockname()[1]
    threading.Thread(target=accept, args=(s, port), daemon=True).start()
    for p in (port, 53):
        u = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        u.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        u.bind(("::", p))
        threading.Thread(target=answer, args=(u,), daemon=True).start()
    return port


os.environ["port"] = str(start(0))
sys.exit(subprocess.call(sys.argv[2:]))
