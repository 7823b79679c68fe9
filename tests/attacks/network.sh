# shellcheck shell=sh disable=SC2034,SC2016

# $port: a server on 127.0.0.1, ::1 and 93.184.216.34 of the outside, TCP and
# UDP, that answers "reached" (HTTP when it is asked so).
call='$python ../../call.py'

name='an address of the internet'
inside=$call' tcp 93.184.216.34 $port >loot'
proof='grep -q reached loot'
try

name='a server on the loopback of the host'
inside=$call' tcp 127.0.0.1 $port >loot'
proof='grep -q reached loot'
try

name='the same with IPv6'
inside=$call' tcp ::1 $port >loot'
proof='grep -q reached loot'
try

name='a datagram'
inside=$call' udp 93.184.216.34 $port >loot; '$call' udp 127.0.0.1 $port >>loot'
proof='grep -q reached loot'
try

name='a name server'
inside=$call' udp 127.0.0.1 53 >loot'
proof='grep -q reached loot'
try

name='the proxy, for a host that is not allowed'
inside=$call' proxy evil.test $port >loot'
proof='grep -q reached loot'
bare=no # the proxy is there as well
try

for host in 127.0.0.1 localhost 127.1 2130706433 0177.0.0.1 0x7f.1 0x7f000001 \
  0.0.0.0 '[::1]' '[::ffff:127.0.0.1]' '[::ffff:7f00:1]' '[64:ff9b::7f00:1]' \
  '[2002:7f00:1::]' 127.0.0.1. 169.254.169.254 loop.test; do
  name="the proxy in full mode, for $host"
  options='--network full'
  inside=$call' proxy '"'$host'"' $port >loot; '$call' get '"'$host'"' $port >>loot'
  proof='grep -q reached loot'
  bare=no
  try
done

name='the proxy in full mode, by a redirect'
options='--network full'
inside='curl -sL -x $http_proxy http://93.184.216.34:$port/redirect >loot'
proof='grep -q reached loot'
bare=no
try

name='the proxy, by another name in the Host field'
options='--allow-host 93.184.216.34:$port'
inside=$call' get 93.184.216.34 $port evil.test >loot'
proof='grep -q evil.test loot'
bare=no
try

name='the proxy, by a second request'
options='--allow-host 93.184.216.34:$port'
inside=$call' twice 93.184.216.34 $port >loot'
proof='grep -q evil.test loot'
bare=no
try

name='a raw socket'
inside='$python -c "
import socket
socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
print(\"raw\")" >loot'
proof='grep -q raw loot'
try
