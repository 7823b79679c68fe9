# shellcheck shell=sh disable=SC2034,SC2016

# $listen PATH: a server that answers "reached"; @NAME: an abstract one.
call='$python -c "
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1].replace(chr(64), chr(0)))
sys.stdout.write(s.recv(99).decode())"'

name='an agent that listens in the home folder'
prepare='$listen $HOME/agent.sock'
inside=$call' $HOME/agent.sock >loot'
proof='grep -q reached loot'
try

name='an agent behind a link'
prepare='$listen $out/agent.sock; ln -s $out/agent.sock s'
inside=$call' s >loot'
proof='grep -q reached loot'
try

name='an agent in the temporary folder'
prepare='$listen /tmp/agentrun-agent-$$.sock; echo $$ >../mark'
inside=$call' /tmp/agentrun-agent-$(cat ../mark).sock >loot'
proof='rm -f /tmp/agentrun-agent-$(cat ../mark).sock; grep -q reached loot'
try

name='an agent with an abstract name'
prepare='$listen @agentrun-$$; echo $$ >../mark'
inside=$call' @agentrun-$(cat ../mark) >loot'
proof='grep -q reached loot'
try

name='an agent that takes datagrams'
prepare='$listen -d $out/log.sock'
inside='$python -c "
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.sendto(b\"evil\", \"$out/log.sock\")" && echo sent >loot'
proof='grep -q sent loot'
try

name='an agent that was started with a relative name'
prepare='(cd $out && $listen agent.sock)'
inside=$call' $out/agent.sock >loot'
proof='grep -q reached loot'
try

name='an agent whose socket was renamed'
prepare='$listen $out/new.sock && mv $out/new.sock $out/agent.sock'
inside=$call' $out/agent.sock >loot'
proof='grep -q reached loot'
try

name='an agent in the home folder that is worked in'
prepare='HOME=$PWD; $listen $HOME/agent.sock'
inside=$call' agent.sock >loot'
proof='grep -q reached loot'
try
