"""listen.py PIDFILE [-d] PATH: answers "reached" on a unix socket, from the
background. "@NAME" is an abstract one, -d takes datagrams."""
import os
import signal
import socket
import sys

pids, args = sys.argv[1], sys.argv[2:]
kind = socket.SOCK_STREAM
if args[0] == "-d":
    kind = socket.SOCK_DGRAM
    args = args[1:]
s = socket.socket(socket.AF_UNIX, kind)
s.bind("\0" + args[0][1:] if args[0].startswith("@") else args[0])
if kind == socket.SOCK_STREAM:
    s.listen(5)
child = os.fork()
if child:
    with open(pids, "a") as f:
        f.write("%d\n" % child)
    sys.exit()
signal.alarm(120)
os.setsid()
null = os.open("/dev/null", os.O_RDWR)
for fd in range(3):
    os.dup2(null, fd)
while True:
    if kind == socket.SOCK_DGRAM:
        s.recv(99)
    else:
        c, _ = s.accept()
        c.sendall(b"reached\n")
        c.close()
