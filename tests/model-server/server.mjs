// A model server for tests: loopback only, no dependencies. It speaks the
// streaming forms of three APIs and answers from a scenario:
//
//   POST .../messages            Anthropic messages
//   POST .../responses           OpenAI responses
//   POST .../chat/completions    OpenAI chat completions
//
// A scenario has `rules`: [{match, replies}]. A request that offers tools is
// answered by the first rule whose `match` stands somewhere in it, with that
// rule's next reply (the last one again and again). Requests without tools
// (titles, checks) get "ok". A reply may have
//
//   text      a text block
//   shell     a command, or a list: calls of the tool that runs commands
//   agent     {description, prompt, ...}, or a list: calls of a subagent tool
//   usage     {input, output, cache_read, cache_write}
//   status    an HTTP error, with `error` as its message
//   hang      true: the answer begins and never ends
//   drop      true: the connection breaks in the middle of the answer
//
// By itself: node server.mjs SCENARIO.json [PORT]

import fs from 'node:fs';
import http from 'node:http';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const list = (v) => (v === undefined ? [] : Array.isArray(v) ? v : [v]);

// What runs a command is called differently everywhere.
const SHELL_TOOLS = {
  Bash: (cmd) => ({ command: cmd, description: 'Run a command' }),
  bash: (cmd) => ({ command: cmd }),
  exec_command: (cmd) => ({ cmd }),
  shell_command: (cmd) => ({ command: cmd }),
  shell: (cmd) => ({ command: ['bash', '-lc', cmd] }),
};

function toolNames(body) {
  return list(body.tools).map((t) => t.name ?? t.function?.name ?? t.type);
}

function callsOf(reply, body, serial) {
  const names = toolNames(body);
  const shell = Object.keys(SHELL_TOOLS).find((n) => names.includes(n));
  const calls = [];
  for (const cmd of list(reply.shell)) {
    calls.push({ name: shell ?? 'no-shell', input: SHELL_TOOLS[shell ?? 'Bash'](cmd) });
  }
  for (const input of list(reply.agent)) {
    calls.push({ name: names.includes('Agent') ? 'Agent' : 'Task', input });
  }
  return calls.map((c, i) => ({ ...c, id: `call_${serial}_${i}` }));
}

function usageOf(reply) {
  return { input: 100, output: 20, cache_read: 0, cache_write: 0, ...reply.usage };
}

function* anthropic(reply, calls, body, serial) {
  const u = usageOf(reply);
  const ev = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  yield ev('message_start', {
    message: {
      id: `msg_${serial}`, type: 'message', role: 'assistant', model: body.model,
      content: [], stop_reason: null, stop_sequence: null,
      usage: {
        input_tokens: u.input, cache_creation_input_tokens: u.cache_write,
        cache_read_input_tokens: u.cache_read, output_tokens: 1,
      },
    },
  });
  let index = 0;
  const block = function* (start, delta) {
    yield ev('content_block_start', { index, content_block: start });
    yield ev('content_block_delta', { index, delta });
    yield ev('content_block_stop', { index });
    index++;
  };
  if (reply.text !== undefined) {
    yield* block({ type: 'text', text: '' }, { type: 'text_delta', text: reply.text });
  }
  for (const c of calls) {
    yield* block({ type: 'tool_use', id: c.id, name: c.name, input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(c.input) });
  }
  if (reply.hang || reply.drop) return;
  yield ev('message_delta', {
    delta: { stop_reason: calls.length ? 'tool_use' : 'end_turn', stop_sequence: null },
    usage: { output_tokens: u.output },
  });
  yield ev('message_stop', {});
}

function* responses(reply, calls, body, serial) {
  const u = usageOf(reply);
  const id = `resp_${serial}`;
  const ev = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  yield ev('response.created', { response: { id } });
  let index = 0;
  const item = function* (it) {
    yield ev('response.output_item.added', { output_index: index, item: it });
    yield ev('response.output_item.done', { output_index: index, item: it });
    index++;
  };
  if (reply.text !== undefined) {
    yield* item({
      type: 'message', id: `msg_${serial}`, role: 'assistant',
      content: [{ type: 'output_text', text: reply.text, annotations: [] }],
    });
  }
  for (const c of calls) {
    yield* item({
      type: 'function_call', id: `fc_${c.id}`, call_id: c.id, name: c.name,
      arguments: JSON.stringify(c.input),
    });
  }
  if (reply.hang || reply.drop) return;
  const input = u.input + u.cache_read + u.cache_write;
  yield ev('response.completed', {
    response: {
      id,
      usage: {
        input_tokens: input, input_tokens_details: { cached_tokens: u.cache_read },
        output_tokens: u.output, output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + u.output,
      },
    },
  });
}

function* completions(reply, calls, body, serial) {
  const u = usageOf(reply);
  const chunk = (choices, rest) => `data: ${JSON.stringify({
    id: `chat_${serial}`, object: 'chat.completion.chunk', created: 1, model: body.model,
    choices, ...rest,
  })}\n\n`;
  const delta = (d, why = null) => chunk([{ index: 0, delta: d, finish_reason: why }]);
  yield delta({ role: 'assistant', content: reply.text ?? '' });
  for (const [index, c] of calls.entries()) {
    yield delta({
      tool_calls: [{
        index, id: c.id, type: 'function',
        function: { name: c.name, arguments: JSON.stringify(c.input) },
      }],
    });
  }
  if (reply.hang || reply.drop) return;
  yield delta({}, calls.length ? 'tool_calls' : 'stop');
  yield chunk([], {
    usage: {
      prompt_tokens: u.input + u.cache_read, completion_tokens: u.output,
      total_tokens: u.input + u.cache_read + u.output,
      prompt_tokens_details: { cached_tokens: u.cache_read },
    },
  });
  yield 'data: [DONE]\n\n';
}

const APIS = [
  [/\/messages(\?|$)/, anthropic],
  [/\/responses(\?|$)/, responses],
  [/\/chat\/completions(\?|$)/, completions],
];

function errorBody(reply) {
  const type = { 401: 'authentication_error', 429: 'rate_limit_error' }[reply.status];
  return JSON.stringify({
    type: 'error',
    error: {
      type: type ?? (reply.status >= 500 ? 'api_error' : 'invalid_request_error'),
      message: reply.error ?? 'scripted error',
    },
  });
}

function readBody(req) {
  return new Promise((resolve) => {
    const parts = [];
    req.on('data', (p) => parts.push(p));
    req.on('end', () => resolve(Buffer.concat(parts).toString()));
    req.on('error', () => resolve(''));
  });
}

/** Starts a server for SCENARIO. Gives {port, requests, close()}; requests are
 * the texts of those that a rule answered. */
export async function start(scenario, port = 0) {
  const rules = scenario.rules.map((r) => ({ ...r, next: 0 }));
  const requests = [];
  let serial = 0;

  const choose = (text, body) => {
    const rule = toolNames(body).length ? rules.find((r) => text.includes(r.match)) : undefined;
    if (!rule) return { text: 'ok' };
    requests.push(text);
    const reply = rule.replies[Math.min(rule.next, rule.replies.length - 1)];
    rule.next++;
    return reply;
  };

  const server = http.createServer(async (req, res) => {
    const text = await readBody(req);
    const api = APIS.find(([path]) => path.test(req.url))?.[1];
    if (req.method !== 'POST' || !api) {
      res.writeHead(404, { 'content-type': 'application/json' });
      res.end('{"error":{"message":"no such address"}}');
      return;
    }
    let body;
    try {
      body = JSON.parse(text);
    } catch {
      body = {};
    }
    const reply = choose(text, body);
    serial++;
    if (reply.status) {
      res.writeHead(reply.status, { 'content-type': 'application/json' });
      res.end(errorBody(reply));
      return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of api(reply, callsOf(reply, body, serial), body, serial)) res.write(part);
    // Late enough for the client to have used what came before.
    if (reply.drop) setTimeout(() => res.socket.end(), 1500);
    else if (!reply.hang) res.end();
  });

  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    requests,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const scenario = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
  const server = await start(scenario, Number(process.argv[3] ?? 0));
  console.log(`http://127.0.0.1:${server.port}`);
}
