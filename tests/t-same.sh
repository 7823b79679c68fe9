#!/bin/sh
# The same scenario (read a file, run a command that fails, answer) through all
# four runtimes gives one stream: only ids, names, models and usage differ.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3

mkdir bin repo
cat >bin/common <<'EOF'
if [ "$1" = --version ]; then echo 1.99.0; exit 0; fi
cat >/dev/null
EOF
cat >bin/claude <<'EOF'
#!/bin/sh
. "${0%/*}/common"
cat <<END
{"type":"system","subtype":"init","session_id":"s","cwd":"$PWD","model":"m"}
{"type":"user","isReplay":true,"parent_tool_use_id":null,"session_id":"s","message":{"role":"user","content":[{"type":"text","text":"Fix it"}]}}
{"type":"assistant","parent_tool_use_id":null,"session_id":"s","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"$PWD/src/a.c"}}],"usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}
{"type":"user","parent_tool_use_id":null,"session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}
{"type":"assistant","parent_tool_use_id":null,"session_id":"s","message":{"id":"m2","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"make check"}}],"usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}
{"type":"user","parent_tool_use_id":null,"session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"Exit code 2"}]}}
{"type":"assistant","parent_tool_use_id":null,"session_id":"s","message":{"id":"m3","role":"assistant","model":"m","content":[{"type":"text","text":"It fails."}],"usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}
{"type":"result","subtype":"success","is_error":false,"result":"It fails.","session_id":"s","total_cost_usd":0.1,"modelUsage":{"m":{"inputTokens":30,"outputTokens":6,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.1}}}
END
EOF
cat >bin/codex <<'EOF'
#!/bin/sh
. "${0%/*}/common"
cat <<END
{"type":"thread.started","thread_id":"s"}
{"type":"turn.started"}
{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"/bin/bash -lc 'cat src/a.c'","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"/bin/bash -lc 'cat src/a.c'","aggregated_output":"x","exit_code":0,"status":"completed"}}
{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'make check'","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'make check'","aggregated_output":"","exit_code":2,"status":"failed"}}
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"It fails."}}
{"type":"turn.completed","usage":{"input_tokens":30,"cached_input_tokens":0,"output_tokens":6}}
END
EOF
cat >bin/pi <<'EOF'
#!/bin/sh
. "${0%/*}/common"
usage='"usage":{"input":10,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":12,"cost":{"total":0.1}}'
cat <<END
{"type":"session","version":3,"id":"s","cwd":"$PWD"}
{"type":"agent_start"}
{"type":"turn_start"}
{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"Fix it"}]}}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"read","arguments":{}}],"model":"m",$usage,"stopReason":"toolUse"}}
{"type":"tool_execution_start","toolCallId":"t1","toolName":"read","args":{"path":"src/a.c"}}
{"type":"tool_execution_end","toolCallId":"t1","toolName":"read","isError":false}
{"type":"turn_start"}
{"type":"message_end","message":{"role":"assistant","content":[],"model":"m",$usage,"stopReason":"toolUse"}}
{"type":"tool_execution_start","toolCallId":"t2","toolName":"bash","args":{"command":"make check"}}
{"type":"tool_execution_end","toolCallId":"t2","toolName":"bash","isError":true}
{"type":"turn_start"}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"It fails."}],"model":"m",$usage,"stopReason":"stop"}}
{"type":"agent_end"}
{"type":"agent_settled"}
END
EOF
cat >bin/dsh <<'EOF'
#!/bin/sh
. "${0%/*}/common"
step='{"type":"status","phase":"step_end","turn":1,"step":1,"usage":{"inputTokens":10,"outputTokens":2}}'
cat <<END
{"type":"session","sessionId":"s","cwd":"$PWD"}
{"type":"status","phase":"turn_start","turn":1}
{"type":"status","phase":"step_start","turn":1,"step":1}
{"type":"tool_call","callId":"c1","tool":"read","input":{"file_path":"$PWD/src/a.c"}}
{"type":"tool_result","callId":"c1","status":"completed","result":"x"}
$step
{"type":"status","phase":"step_start","turn":1,"step":2}
{"type":"tool_call","callId":"c2","tool":"bash","input":{"command":"make check","description":"run"}}
{"type":"tool_result","callId":"c2","status":"completed","result":"bad\n[exit code: 2]"}
$step
{"type":"status","phase":"step_start","turn":1,"step":3}
{"type":"text","text":"It fails."}
$step
{"type":"status","phase":"turn_end","turn":1,"reason":{"kind":"completed"}}
{"type":"final","text":"It fails."}
END
EOF
chmod +x bin/claude bin/codex bin/pi bin/dsh

# Takes away what may differ: usage events, times, and what names a runtime.
cat >plain.py <<'EOF'
import json, sys
ids, out = {}, []
for line in open(sys.argv[1]):
    e = json.loads(line)
    for key in ("time", "duration_ms", "usage", "argv"):
        e.pop(key, None)
    if e["type"] == "usage":
        continue
    if e["type"] == "start":
        e.pop("runtime")
    if e["type"] == "end":
        e["warnings"] = [w for w in e["warnings"] if w != "cost_unknown"]
    if "id" in e:
        e["id"] = ids.setdefault(e["id"], "id%d" % len(ids))
        kind = e.pop("name")
        prefix, rest = e["summary"].split(": ", 1)
        e["summary"] = rest.replace("cat src/a.c", "src/a.c")
    out.append(json.dumps(e))
print("\n".join(out))
EOF

for rt in codex claude-code pi dsh; do
  run "$AGENTRUN" $rt --sandbox off --format jsonl --path "$work/bin" \
    --cwd "$work/repo" --prompt "Fix it"
  is "$rt: finished" "$status" 0
  mv out "$rt.jsonl"
  python3 plain.py $rt.jsonl >$rt.plain
  is "$rt: eight events beside usage" "$(wc -l <$rt.plain | tr -d ' ')" 8
  same "$rt: the same as codex" $rt.plain codex.plain
  like "$rt: it counts tokens" "$(tail -n 1 $rt.jsonl)" '*"input_tokens":30,"output_tokens":6,*'
done
like "the events are those of the scenario" \
  "$(sed 's/.*"type": "\([a-z_]*\)".*/\1/' codex.plain | tr '\n' ' ')" \
  "start prompt tool_start tool tool_start tool text end "

done_testing
