# Attempts that need mounts of their own, in a private namespace.
# shellcheck shell=sh disable=SC2034,SC2016

name='a key where the home folder is mounted a second time'
prepare='mkdir $HOME/.ssh $out/home; echo secret >$HOME/.ssh/id; mount --bind $HOME $out/home'
inside='cat $out/home/.ssh/id >loot'
proof='umount $out/home; grep -q secret loot'
try

name='a key whose folder alone is mounted a second time'
prepare='mkdir -p $HOME/.ssh/keys $out/keys; echo secret >$HOME/.ssh/keys/id; mount --bind $HOME/.ssh/keys $out/keys'
inside='cat $out/keys/id >loot'
proof='umount $out/keys; grep -q secret loot'
try

name='a file that is mounted a second time'
prepare='echo secret >$HOME/.netrc; : >"$out/a b"; mount --bind $HOME/.netrc "$out/a b"'
inside='cat "$out/a b" >loot'
proof='umount "$out/a b"; grep -q secret loot'
try

name='an agent whose folder is mounted a second time'
prepare='mkdir $out/a $out/b; $listen $out/a/agent.sock; mount --bind $out/a $out/b'
inside='$python -c "
import os, socket
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ[\"out\"] + \"/b/agent.sock\")
print(s.recv(99).decode())" >loot'
proof='umount $out/b; grep -q reached loot'
try

# Not below the private /tmp, where all of this stands.
name='a pipe that a process of the host reads'
prepare='mount -t tmpfs pipe /mnt; mkfifo /mnt/pipe; timeout 60 cat /mnt/pipe >../got &'
inside='timeout 1 sh -c "echo evil >/mnt/pipe"'
proof='timeout 1 sh -c "echo end >/mnt/pipe"; wait; umount -l /mnt; grep -q evil ../got'
try
