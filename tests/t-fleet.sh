#!/bin/sh
# The recipes of docs/fleet.md, each in its own words.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3
fleet=$top_srcdir/docs/fleet
mkdir bin
ln -s "$AGENTRUN" bin/agentrun
PATH=$work/bin:$PATH
port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
in_doc() { # TEXT: the recipe is the documented one
  ok "docs/fleet.md says: $1" grep -qF -- "$1" "$top_srcdir/docs/fleet.md"
}
# A runtime that says its prompt back.
cat >bin/claude <<'EOF'
#!/bin/sh
exec python3 -c '
import json, sys
prompt = json.loads(sys.stdin.readline())["message"]["content"]
if not isinstance(prompt, str):
    prompt = prompt[0]["text"]
def say(**v): print(json.dumps(v), flush=True)
say(type="system", subtype="init", cwd="/x", session_id="s")
say(type="assistant", parent_tool_use_id=None, message={"id": "m", "model": "m", "content": [{"type": "text", "text": "did " + prompt}], "usage": {"input_tokens": 1, "output_tokens": 1}})
say(type="result", subtype="success", is_error="fail" in prompt, result="r", modelUsage={"m": {"inputTokens": 1, "outputTokens": 1, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "costUSD": 0.1}})
'
EOF
chmod +x bin/claude
run agentrun demo --headless --speed 1000 --format jsonl
cp out run.jsonl
agentrun view --headless --format text run.jsonl >want

# ssh: our own server on the loopback, with keys and settings of its own.
in_doc 'ssh HOST tail -n +1 -F run.jsonl | agentrun view -'
sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd)
if [ -z "$sshd" ] || ! command -v ssh >/dev/null; then
  skip 'ssh HOST tail | agentrun view' 'no sshd (Debian: openssh-server)'
else
  mkdir ssh
  chmod 700 ssh
  ssh-keygen -q -t ed25519 -N '' -f ssh/host
  ssh-keygen -q -t ed25519 -N '' -f ssh/user
  cp ssh/user.pub ssh/authorized
  ssh_port=$(port)
  pam=no
  if [ "$(id -u)" -eq 0 ]; then
    pam=yes
    mkdir -p /run/sshd
  fi
  cat >ssh/sshd_config <<EOF
ListenAddress 127.0.0.1
Port $ssh_port
HostKey $work/ssh/host
PidFile $work/ssh/pid
AuthorizedKeysFile $work/ssh/authorized
StrictModes no
UsePAM $pam
PasswordAuthentication no
PermitRootLogin prohibit-password
EOF
  cat >ssh/config <<EOF
Host there
  HostName 127.0.0.1
  Port $ssh_port
  User $(id -un)
  IdentityFile $work/ssh/user
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile $work/ssh/known
  LogLevel ERROR
EOF
  "$sshd" -f "$work/ssh/sshd_config" -E "$work/ssh/log"
  at_exit 'kill "$(cat "$work/ssh/pid")" 2>/dev/null'
  there() { ssh -F "$work/ssh/config" there "cd '$work' && $*"; }
  if ok 'sshd answers on the loopback' wait_until 20 there true; then :; fi
  [ -s ssh/known ] || diag <ssh/log
  # The run over there is under way: first a part, then the rest.
  sed 20q run.jsonl >remote.jsonl
  # what ends tail when the run has ended
  sleep 600 &
  run_pid=$!
  at_exit 'kill "$run_pid" 2>/dev/null'
  (there "exec tail -n +1 -F --pid=$run_pid -s 0.1 remote.jsonl" 2>/dev/null |
    timeout 60 agentrun view --headless --format text - >out 2>err
   echo "$?" >code) &
  part=$(sed 20q run.jsonl | agentrun view --headless --format text - 2>/dev/null |
    wc -l)
  part_is_there() { [ "$(wc -l <out)" -ge "$part" ]; }
  ok 'ssh: what is there comes at once' wait_until 20 part_is_there
  sed 1,20d run.jsonl >>remote.jsonl
  all_is_there() { cmp -s out want; }
  ok 'ssh: the rest comes as it is written' wait_until 20 all_is_there
  kill "$run_pid"
  ssh_is_over() { [ -s code ]; }
  wait_until 20 ssh_is_over
  is 'ssh: a whole stream' "$(cat code) $(cat err)" '0 '
fi

# Slurm.
job=$fleet/agentrun-array.sbatch
in_doc 'agentrun-array.sbatch prompts.txt /shared/runs'
in_doc 'agentrun view --dir /shared/runs'
ok 'the job script is valid bash' bash -n "$job"
for line in 'job-name=agentrun' 'signal=B:TERM@60' 'no-requeue' \
  'output=slurm-%A_%a.out'; do
  ok "the job script has #SBATCH --$line" grep -qx -- "#SBATCH --$line" "$job"
done
is 'all #SBATCH lines come before the first command' \
  "$(sed -n '/^set -eu/,$p' "$job" | grep -c '^#SBATCH')" 0
mkdir prompts
echo 'the first task' >prompts/1.txt
echo 'the second task' >prompts/2.txt
echo 'fail this one' >prompts/3.txt
ls "$work"/prompts/*.txt >prompts.txt
AGENTRUN_OPTIONS='--sandbox off'
export AGENTRUN_OPTIONS
# By itself, as Slurm would start one task.
status=0
SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=2 bash "$job" prompts.txt runs0 \
  >out 2>err || status=$?
is 'a task by itself: status of the run, stream in the folder' \
  "$status $(ls runs0)" '0 7-2.jsonl'
status=0
SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=3 bash "$job" prompts.txt runs0 \
  >out 2>err || status=$?
is 'a task that fails' "$status" 1
status=0
SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=4 bash "$job" prompts.txt runs0 \
  >out 2>err || status=$?
is 'a task without a prompt' "$status" 2

# A cluster of this one machine.
PATH=$PATH:/usr/sbin:/sbin
cluster_is_up() { sinfo -h -o %T | grep -qx 'idle\|mixed'; }
start_cluster() {
  node=$(hostname -s)
  mkdir slurm slurm/spool slurm/state
  dd if=/dev/urandom of=slurm/key bs=128 count=1 2>/dev/null
  chmod 600 slurm/key
  munged --force --key-file="$work/slurm/key" --socket="$work/slurm/munge" \
    --pid-file="$work/slurm/munged.pid" --log-file="$work/slurm/munged.log" \
    --seed-file="$work/slurm/seed" || return 1
  cat >slurm/slurm.conf <<EOF
ClusterName=one
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$(port)
SlurmdPort=$(port)
AuthType=auth/munge
AuthInfo=socket=$work/slurm/munge
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPidFile=$work/slurm/slurmctld.pid
SlurmdPidFile=$work/slurm/slurmd.pid
SlurmctldLogFile=$work/slurm/slurmctld.log
SlurmdLogFile=$work/slurm/slurmd.log
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 RealMemory=16000 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
SlurmdParameters=config_overrides
EOF
  # Containers have no control groups to give. Older ones take no such word.
  case $(slurmd -V) in
    *' 2'[0-3].* | *' 24.02'*) ;;
    *) echo CgroupPlugin=disabled >slurm/cgroup.conf ;;
  esac
  SLURM_CONF=$work/slurm/slurm.conf
  export SLURM_CONF
  slurmctld -i >slurm/out 2>&1 && slurmd >>slurm/out 2>&1 || return 1
  wait_until 30 cluster_is_up
}
stop_cluster() {
  for name in slurmd slurmctld munged; do
    slurm_pid=$(cat "$work/slurm/$name.pid" 2>/dev/null) || continue
    kill "$slurm_pid" 2>/dev/null
    # it must be gone before its folder is
    slurm_gone() {
      ! kill -0 "$slurm_pid" 2>/dev/null ||
        grep -q '^State:.*Z' "/proc/$slurm_pid/status"
    }
    wait_until 20 slurm_gone
  done
}
if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null ||
  ! command -v munged >/dev/null || ! command -v sbatch >/dev/null; then
  skip 'a Slurm array job' 'no Slurm (Debian: slurm-wlm)'
else
  at_exit stop_cluster
  if start_cluster; then
    pass 'a cluster of one machine'
    run sbatch --wait --array=1-"$(wc -l <prompts.txt | tr -d ' ')"%2 \
      --export=ALL "$job" "$work/prompts.txt" "$work/runs"
    is 'the array job: the status of the run that failed' "$status" 1
    is 'the array job: one stream for each' "$(ls runs | wc -l | tr -d ' ')" 3
    agentrun view --headless --format text --dir runs >out 2>err
    is 'the array job: all of them in one view' \
      "$? $(grep -c '^\[main\] text did the \(first\|second\) task' out) $(
        grep -c '^\[end\] finished' out) $(grep -c '^\[end\] failed' out)" \
      '0 2 2 1'
  else
    skip 'a cluster of one machine' 'Slurm does not start here'
    cat slurm/*.log slurm/out 2>/dev/null | tail -n 20 | diag
  fi
fi

# Kubernetes: no cluster here; the manifest is read as one would.
in_doc 'kubectl logs -f job/agentrun | agentrun view -'
if ! python3 -c 'import yaml' 2>/dev/null; then
  skip 'the Job manifest' 'no python3-yaml'
else
  cat >manifest.py <<'EOF'
import shlex, sys, yaml
config, job = yaml.safe_load_all(open(sys.argv[1]))
def say(good, what): print("ok" if good else "not ok", "the manifest: " + what)
say(job["apiVersion"] == "batch/v1" and job["kind"] == "Job", "a Job")
say(job["metadata"]["name"] == "agentrun", "of the name that the recipe logs")
spec = job["spec"]["template"]["spec"]
say(spec["restartPolicy"] == "Never" and job["spec"]["backoffLimit"] == 0,
    "a run is not repeated")
(box,) = spec["containers"]
say(box["name"] and ":" in box["image"], "a container with a tagged image")
mounts = {m["name"]: m["mountPath"] for m in box["volumeMounts"]}
names = {v["name"]: v["configMap"]["name"] for v in spec["volumes"]}
say(set(mounts) == set(names) and
    config["kind"] == "ConfigMap" and
    config["metadata"]["name"] in names.values(), "the prompt is mounted")
words = shlex.split(box["args"][0])
prompt = words[words.index("--prompt-file") + 1]
say(prompt == mounts["prompt"] + "/" + next(iter(config["data"])),
    "and is the one that is asked for")
say(box["command"] == ["/bin/sh", "-c"] and len(box["args"]) == 1 and
    words[:2] == ["exec", "agentrun"] and "2>/dev/termination-log" in words,
    "only events go to the log")
say("secretKeyRef" in box["env"][0]["valueFrom"], "the key is a secret")
open("command", "w").write(box["args"][0])
open("prompt.txt", "w").write(config["data"]["prompt.txt"])
EOF
  python3 -B manifest.py "$fleet/agentrun-job.yaml" >manifest.out 2>&1
  while read -r word rest; do
    case $word in
      ok) pass "$rest" ;;
      not) fail "${rest#ok }" ;;
      *) fail "manifest.py: $word $rest" ;;
    esac
  done <manifest.out
  # kubectl prints the log of the very command, started here.
  sed -i "s#/prompt/#$work/#; s#/dev/termination-log#$work/log#" command
  printf '#!/bin/sh\n[ "$*" = "logs -f job/agentrun" ] && exec /bin/sh -c "$(cat "%s/command")"\n' \
    "$work" >bin/kubectl
  chmod +x bin/kubectl
  kubectl logs -f job/agentrun | agentrun view --headless --format text - >out
  is 'kubectl logs -f | agentrun view -' "$? $(sed -n 's/^.main. text //p' out)" \
    '0 did Find the flaky test of this repository and mend it.'
fi
done_testing
