#!/bin/sh
# systems.sh: ./bootstrap on fresh systems, as root and as an ordinary user.
#
#   systems.sh [SYSTEM[:WHO]...]
#
# SYSTEM is bookworm, trixie (Debian 12 and 13) or noble (Ubuntu 24.04), WHO is
# root or user; default: all. Needs root, mmdebstrap and a mirror that it
# reaches. The user has sudo; the tests are called with SIGINT ignored. Nothing
# of this machine is seen in there but the kernel and the network.
#
# What is kept in SYSTEMS_DIR (default: systems/ in the build folder): the
# systems as tarballs, the packages, the logs.
set -u

top_srcdir=$(cd "${top_srcdir:-$(dirname "$0")/..}" && pwd) || exit 1
dir=${SYSTEMS_DIR:-${top_builddir:-.}/systems}
keys=/usr/share/keyrings

say() {
  echo "systems: $*" >&2
}

# enter ROOT COMMAND...: as in a container: its own mounts, processes, devices.
# A chroot would not do, as the kernel gives no user namespace in one.
enter() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb HOME=/root \
    unshare --mount --pid --ipc --uts --fork --kill-child \
    --propagation private sh -ec '
      packages=$1
      mount --bind "$2" "$2"
      cd "$2"
      shift 2
      mount -t proc proc proc
      mount -t sysfs -o ro sysfs sys
      mount -t tmpfs -o mode=755 dev dev
      for name in full null random tty urandom zero; do
        : >dev/$name
        mount --bind /dev/$name dev/$name
      done
      mkdir dev/pts dev/shm
      mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts dev/pts
      mount -t tmpfs -o mode=1777 shm dev/shm
      ln -s pts/ptmx dev/ptmx
      ln -s /proc/self/fd dev/fd
      ln -s fd/0 dev/stdin
      ln -s fd/1 dev/stdout
      ln -s fd/2 dev/stderr
      mount --bind "$packages" var/cache/apt/archives
      pivot_root . .
      umount -l .
      exec "$@"' enter "$dir/packages" "$@"
}

# The tarball of a fresh system.
tarball() {
  [ ! -s "$dir/$1.tar" ] || return 0
  set -- "$1" --variant=minbase
  case $1 in
    noble)
      set -- "$@" --include=apt --components=main,universe \
        "--keyring=$(ubuntu_keys)"
      ;;
  esac
  release=$1
  shift
  mmdebstrap -q "$@" "$release" "$dir/new.tar" </dev/null &&
    mv "$dir/new.tar" "$dir/$release.tar"
}

# Ubuntu's keys: of this machine, or those that Debian 13 packs.
ubuntu_keys() {
  file=$keys/ubuntu-archive-keyring.gpg
  if [ ! -s "$file" ]; then
    file=$dir/ubuntu-archive-keyring.gpg
    [ -s "$file" ] || {
      unpack trixie "$dir/keys" &&
        enter "$dir/keys" sh -c 'apt-get -qq update &&
          apt-get -qq install -y ubuntu-archive-keyring' </dev/null \
          >"$dir/keys.log" 2>&1 &&
        cp "$dir/keys$keys/ubuntu-archive-keyring.gpg" "$file"
      rm -rf "$dir/keys"
    }
  fi
  echo "$file"
}

# unpack SYSTEM ROOT
unpack() {
  tarball "$1" || return 1
  rm -rf "$2"
  mkdir -p "$2" && tar -xf "$dir/$1.tar" -C "$2" &&
    cp -L /etc/resolv.conf "$2/etc/resolv.conf" &&
    echo '127.0.0.1 localhost' >"$2/etc/hosts"
}

# What is in git or, with changes, in the folder.
copy_source() {
  mkdir -p "$1" &&
    git -C "$top_srcdir" ls-files -z |
    tar -C "$top_srcdir" --null -T - -cf - | tar -C "$1" -xf -
}

# as ROOT WHO COMMAND
as() {
  if [ "$2" = root ]; then
    enter "$1" sh -c "$3" </dev/null
  else
    enter "$1" su - "$2" -c "$3" </dev/null
  fi
}

# try SYSTEM WHO: one line of the table.
try() {
  root=$dir/$1-$2
  log=$dir/$1-$2.log
  began=$(date +%s)
  demo=- tests='no system'
  if unpack "$1" "$root" >"$log" 2>&1; then
    home=/root
    if [ "$2" != root ]; then
      home=/home/$2
      as "$root" root "apt-get -qq update &&
        apt-get -qq install -y --no-install-recommends sudo &&
        echo '$2 ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/$2 &&
        useradd -m $2" >>"$log" 2>&1
    fi
    copy_source "$root$home/agentrun"
    enter "$root" chown -R "$2:" "$home"
    demo=failed
    as "$root" "$2" "cd $home/agentrun && TERM=xterm script -qec \
      './bootstrap demo --speed 0 --no-stay' /dev/null" >"$log.demo" 2>&1 &&
      grep -q '^\[end\] finished' "$log.demo" && demo=passed
    as "$root" "$2" "trap '' INT; cd $home/agentrun && LANG=C.UTF-8 \
      ./bootstrap check" >"$log.check" 2>&1
    tests=$(tail -n 1 "$log.check")
    mkdir -p "$log.d" && cp "$root$home/agentrun/build/"*.log "$log.d" 2>/dev/null
    rm -rf "$root"
  fi
  case "$demo $tests" in
    passed\ *' passed, 0 failed'*) ;;
    *) failed=1 ;;
  esac
  printf '%-9s %-5s %-7s %-40s %4d s\n' "$1" "$2" "$demo" "$tests" \
    $(($(date +%s) - began))
}

[ "$(id -u)" -eq 0 ] || {
  say 'this needs root, for mmdebstrap and mounts'
  exit 1
}
command -v mmdebstrap >/dev/null || {
  say 'apt-get install mmdebstrap'
  exit 1
}
mkdir -p "$dir/packages" && dir=$(cd "$dir" && pwd) || exit 1
[ $# -gt 0 ] || set -- bookworm trixie noble
failed=0
printf '%-9s %-5s %-7s %s\n' system who demo check
for system in "$@"; do
  case $system in
    *:*) try "${system%:*}" "${system#*:}" ;;
    *)
      try "$system" root
      try "$system" user
      ;;
  esac
done
[ "$failed" -eq 0 ] || say "logs: $dir/*.log*"
exit "$failed"
