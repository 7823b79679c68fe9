"""call.py tcp|udp|proxy|get|twice HOST PORT [HOSTFIELD]: prints what comes."""
import os
import socket
import sys

how, host, port = sys.argv[1:4]
field = sys.argv[4] if len(sys.argv) > 4 else host


def read(s):
    s.settimeout(3)
    out = b""
    try:
        while True:
            d = s.recv(65536)
            if not d:
                break
            out += d
    except OSError:
        pass
    sys.stdout.write(out.decode("latin-1"))


if how == "udp":
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.settimeout(1)
    s.sendto(b"hello", (host, int(port)))
    print(s.recv(99))
elif how == "tcp":
    s = socket.create_connection((host, int(port)), 3)
    s.sendall(b"hello\n")
    s.shutdown(socket.SHUT_WR)
    read(s)
else:
    where = os.environ["http_proxy"].split("//")[1].rstrip("/").split(":")
    s = socket.create_connection((where[0], int(where[1])), 3)
    if how == "proxy":
        s.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\n\r\nhello\n".encode())
    else:
        s.sendall(f"GET http://{host}:{port}/ HTTP/1.1\r\n"
                  f"Host: {field}\r\n\r\n".encode())
    if how == "twice":
        s.sendall(b"GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n")
    read(s)
