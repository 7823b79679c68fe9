# shellcheck shell=sh disable=SC2034,SC2016

name='ending a process outside'
prepare='true'
inside='kill -9 $pid; kill -9 -1'
proof='! kill -0 $pid 2>/dev/null || ! grep -q sleep /proc/$pid/cmdline'
bare=no # would end the test as well
try

name='the list of processes outside'
prepare='true'
inside='grep -l 98765 /proc/[0-9]*/cmdline >loot; ps ax | grep -v grep | grep 98765 >>loot; test -s loot || rm -f loot'
proof='grep -q . loot'
try

name='the environment of a process outside'
prepare='true'
inside='cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep ^HIDDEN= >loot'
proof='grep -q HIDDEN=treasure loot'
try

name='the memory and files of the watching process'
prepare='true'
inside='{ cat /proc/1/environ; readlink /proc/1/fd/3 /proc/1/root /proc/1/cwd; head -c1 /proc/1/mem; } >loot 2>/dev/null'
proof='test -s loot'
bare=no
try

name='tracing the watching process'
prepare='true'
inside='$python -c "
import ctypes
c = ctypes.CDLL(None, use_errno=True)
print(c.ptrace(16, 1, 0, 0))" >loot'
proof='grep -qx 0 loot'
bare=no
try

name='ending the watching process'
prepare='true'
inside='kill -9 1; kill -STOP 1; kill -TERM 1; kill -INT 1; sleep 0.2; kill -9 $PPID; sleep 0.2; echo alive >loot'
proof='! grep -q alive loot'
bare=no
try

name='a daemon that outlives the run'
prepare='true'
inside='(setsid sh -c "trap : TERM INT HUP; while :; do date >beat; sleep 0.05; done" >/dev/null 2>&1 &); (setsid setsid sh -c "sleep 600" &) ; sleep 0.2'
proof='test -e beat && { rm -f beat; sleep 0.3; test -e beat; }'
bare=no # agentrun ends it there, too
try

name='descriptors that the caller left open'
prepare='true'
inside='for fd in 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat <&$fd; cat /proc/self/fd/$fd; done >loot 2>/dev/null'
proof='grep -q leaked loot'
bare=no # they are closed there, too
try

name='variables of the caller'
prepare='true'
inside='env >loot; cat /proc/self/environ /proc/[0-9]*/environ >>loot'
proof='grep -q HIDDEN loot'
try

name='typing into a terminal'
prepare='true'
inside='$python -c "
import fcntl, os, termios
for name in [\"/dev/tty\", \"/dev/console\"] + [\"/dev/pts/%d\" % i for i in range(9)]:
    try:
        fd = os.open(name, os.O_RDWR)
        for c in b\"evil\\n\":
            fcntl.ioctl(fd, termios.TIOCSTI, bytes([c]))
        print(\"typed\", name)
    except OSError as e:
        pass
m, s = os.openpty()
try:
    fcntl.ioctl(s, termios.TIOCSTI, b\"x\")
    print(\"typed\")
except OSError:
    pass" >loot'
proof='grep -q typed loot'
bare=no
try

name='shared memory of the outside'
prepare='ipcmk -M 4096 >../shm'
inside='ipcs -m | grep " 4096 " >loot'
proof='r=1; grep -q 4096 loot && r=0; ipcrm -m $(sed "s/.* //" ../shm); test $r = 0'
try

name='the keyring of the session'
prepare='true'
inside='$python -c "
import ctypes
c = ctypes.CDLL(None, use_errno=True)
import platform
n = {\"x86_64\": 250, \"aarch64\": 219}[platform.machine()]
print(c.syscall(n, 0, -3, 0, 0, 0))" >loot'
proof='grep -qE "^[0-9]+$" loot'
bare=no # not every kernel has one
try

name='sockets of the virtual machine'
prepare='true'
inside='$python -c "
import socket
try:
    socket.socket(40, socket.SOCK_STREAM)
    print(\"open\")
except OSError as e:
    print(e.errno)" >loot'
proof='! grep -qx 97 loot'
bare=no
try

name='calls that ask no filter'
prepare='true'
inside='$python -c "
import ctypes
c = ctypes.CDLL(None, use_errno=True)
r = c.syscall(425, 4, 0)
print(r, ctypes.get_errno())" >loot'
proof='! grep -qx -e "-1 38" loot'
bare=no
try

name='more rights in namespaces of its own'
prepare='true'
inside='unshare -U true && echo user >loot; unshare -n true && echo net >>loot; unshare -m true && echo mount >>loot; nsenter -t 1 -a true && echo enter >>loot; chroot / true && echo chroot >>loot'
proof='test -s loot'
try

name='capabilities'
prepare='true'
inside='grep -E "^Cap(Prm|Eff|Bnd|Amb|Inh)" /proc/self/status | grep -v 0000000000000000 >loot'
proof='test -s loot'
try

name='another name for the machine'
prepare='true'
inside='hostname agentrun-evil && hostname >loot'
proof='test -s loot'
bare=no
try
