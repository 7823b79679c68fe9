#!/usr/bin/env node
// Runs agentrun with the real claude, codex and pi against a scripted model
// server on loopback: make check-runtimes.
//
//   check-runtimes.mjs AGENTRUN [FILTER]
//
// A program is taken from AGENTRUN_TEST_CLAUDE, AGENTRUN_TEST_CODEX or
// AGENTRUN_TEST_PI, else from PATH; what is not installed is skipped. FILTER
// picks cases whose RUNTIME/SCENARIO holds it. AGENTRUN_SANDBOX (default: relax)
// decides about the sandbox. Scenarios: tests/model-server.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { start } from './model-server/server.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const agentrun = path.resolve(process.argv[2] ?? './agentrun');
const filter = process.argv[3] ?? '';
const CASE_MS = 90_000;

const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010800000000'
  + '3a7e9b550000000a49444154789c636000000002000148afa4710000000049454e44ae426082', 'hex');

const write = (file, text) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
};

// How each runtime finds the server: files below its home, its variables, and
// further arguments.
const RUNTIMES = {
  'claude-code': {
    program: 'claude',
    variable: 'AGENTRUN_TEST_CLAUDE',
    model: 'claude-sonnet-5-5',
    setUp: (home, url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'test-key',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
    }),
    // Also without a sandbox: nobody judges the calls here.
    args: ['--env', 'IS_SANDBOX=1', '--env', 'DISABLE_AUTOUPDATER=1'],
    runtimeArgs: ['--permission-mode', 'bypassPermissions'],
  },
  codex: {
    program: 'codex',
    variable: 'AGENTRUN_TEST_CODEX',
    model: 'mock-model',
    setUp: (home, url) => {
      write(path.join(home, '.codex/config.toml'), `model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`);
      return { OPENAI_API_KEY: 'test-key' };
    },
    args: [],
    runtimeArgs: [],
  },
  pi: {
    program: 'pi',
    variable: 'AGENTRUN_TEST_PI',
    model: 'mock/mock-large',
    setUp: (home, url) => {
      const model = (id) => ({
        id, name: id, input: ['text', 'image'], contextWindow: 200000, maxTokens: 8000,
        cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      });
      write(path.join(home, '.pi/agent/models.json'), JSON.stringify({
        providers: {
          mock: {
            baseUrl: url, api: 'anthropic-messages', apiKey: 'test-key',
            models: [model('mock-large')],
          },
          chat: {
            baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'test-key',
            models: [model('mock-chat')],
          },
        },
      }));
      write(path.join(home, '.pi/agent/settings.json'), '{"retry":{"enabled":false}}');
      return { PI_OFFLINE: '1', PI_TELEMETRY: '0' };
    },
    args: [],
    runtimeArgs: [],
  },
};

function find(runtime) {
  const given = process.env[runtime.variable];
  if (given) return path.resolve(given);
  return process.env.PATH.split(':')
    .map((dir) => path.join(dir, runtime.program))
    .find((file) => fs.existsSync(file));
}

// agentrun ends by itself; a run that does not is killed and fails its case.
function run(args, options) {
  return new Promise((resolve) => {
    const child = spawn(agentrun, args, {
      cwd: options.cwd, env: options.env, stdio: ['ignore', 'pipe', 'pipe'],
    });
    const events = [];
    let rest = '';
    let errs = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), CASE_MS);
    child.stdout.on('data', (data) => {
      rest += data;
      const lines = rest.split('\n');
      rest = lines.pop();
      for (const line of lines) {
        const ev = JSON.parse(line);
        events.push(ev);
        options.onEvent?.(ev, child);
      }
    });
    child.stderr.on('data', (data) => { errs += data; });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ events, errs, code: code ?? signal });
    });
    options.onStart?.(child);
  });
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function* compare(expect, result, requests) {
  const end = result.events.at(-1);
  if (end?.type !== 'end') {
    yield 'no end event';
    return;
  }
  if (end.status !== expect.status) yield `status ${end.status}, not ${expect.status}`;
  if (result.code !== expect.exit) yield `exit status ${result.code}, not ${expect.exit}`;
  if (expect.result !== undefined && end.result !== expect.result) {
    yield `result ${JSON.stringify(end.result)}`;
  }
  if (expect.detail !== undefined
    && !(expect.detail ? end.detail.includes(expect.detail) : end.detail === '')) {
    yield `detail ${JSON.stringify(end.detail)}`;
  }
  if (expect.session && !end.session_id) yield 'no session id';
  for (const [key, n] of Object.entries(expect.usage ?? {})) {
    if (end.usage[key] !== n) yield `usage ${key} ${end.usage[key]}, not ${n}`;
  }
  for (const [type, n] of Object.entries(expect.counts ?? {})) {
    const got = result.events.filter((ev) => ev.type === type).length;
    if (got !== n) yield `${got} ${type} events, not ${n}`;
  }
  if (expect.requests !== undefined && requests.length !== expect.requests) {
    yield `${requests.length} requests, not ${expect.requests}`;
  }
  if (expect.last_request && !requests.at(-1)?.includes(expect.last_request)) {
    yield `the last request does not hold '${expect.last_request}'`;
  }
  const errors = result.events.filter((ev) => ev.type === 'tool' && ev.error).length;
  if (expect.errors !== undefined && errors !== expect.errors) {
    yield `${errors} tools with an error, not ${expect.errors}`;
  }
  if (expect.never_sent && requests.some((r) => r.includes(expect.never_sent))) {
    yield `'${expect.never_sent}' was sent to the model`;
  }
  // The wanted events, in this order, among the others. "$agent" is the id of
  // the first subagent.
  const agent = result.events.find((ev) => ev.type === 'subagent_start')?.id;
  let at = 0;
  for (const want of expect.events ?? []) {
    const fits = (ev) => Object.entries(want)
      .every(([k, v]) => same(ev[k], v === '$agent' ? agent : v));
    while (at < result.events.length && !fits(result.events[at])) at++;
    if (at === result.events.length) {
      yield `no event ${JSON.stringify(want)} in its place`;
      return;
    }
    at++;
  }
}

// Nothing of a run may be left: its commands carry a mark in their environment.
function leftOver(mark) {
  return fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  });
}

async function runOnce(name, runtime, program, scenario, step, server, work, resume) {
  const url = `http://127.0.0.1:${server.port}`;
  const home = path.join(work, 'home');
  const cwd = path.join(work, 'repo');
  const mark = `AR_MARK_${path.basename(work)}`;
  const env = {
    HOME: home, LANG: 'C.UTF-8', TMPDIR: os.tmpdir(),
    PATH: `${path.dirname(program)}:${process.env.PATH}`,
    AGENTRUN_SANDBOX: process.env.AGENTRUN_SANDBOX ?? 'relax',
    ...runtime.setUp(home, url),
  };
  const args = [name, '--headless', '--format', 'jsonl', '--env', `AR_MARK=${mark}`,
    '--model', scenario.model ?? runtime.model, '--prompt', step.prompt, ...runtime.args, ...(step.args ?? [])];
  if (scenario.allow_host !== false) args.push('--allow-host', `127.0.0.1:${server.port}`);
  if (scenario.image) {
    fs.writeFileSync(path.join(cwd, scenario.image), PNG);
    args.push('--image', scenario.image);
  }
  for (const [file, text] of Object.entries(scenario.files ?? {})) write(path.join(work, file), text);
  if (scenario.then) args.push('--session-dir', path.join(work, 'sessions'));
  if (resume) args.push('--resume', resume);
  args.push('--', ...runtime.runtimeArgs, ...(scenario.runtime_args ?? []));

  const signal = scenario.signal;
  const result = await run(args, {
    cwd, env,
    onEvent: (ev, child) => {
      if (signal?.after === ev.type) child.kill(signal.name);
    },
    onStart: (child) => {
      if (signal?.after !== 'request') return;
      const timer = setInterval(() => {
        if (!server.requests.length) return;
        clearInterval(timer);
        setTimeout(() => child.kill(signal.name), 500);
      }, 50);
      child.on('close', () => clearInterval(timer));
    },
  });
  const expect = { ...step.expect, ...step[`expect_${name}`] };
  const problems = [...compare(expect, result, server.requests)];
  if (expect.file && !fs.existsSync(path.join(work, expect.file))) problems.push(`no ${expect.file}`);
  if (expect.no_file && fs.existsSync(path.join(work, expect.no_file))) problems.push(`${expect.no_file} was written`);
  const left = leftOver(mark);
  if (left.length) problems.push(`processes left: ${left}`);
  if (problems.length) {
    problems.push(...result.events.slice(0, 60).map((ev) => JSON.stringify(ev).slice(0, 300)));
    problems.push(...result.errs.split('\n').slice(-8));
  }
  return {
    problems,
    session: result.events.at(-1)?.session_id,
    sandbox: result.events.find((ev) => ev.type === 'start')?.sandbox,
  };
}

async function runCase(name, runtime, program, scenario) {
  const work = fs.mkdtempSync(path.join(os.homedir(), '.agentrun-check-'));
  fs.mkdirSync(path.join(work, 'home'));
  fs.mkdirSync(path.join(work, 'repo'));
  const server = await start(scenario);
  try {
    const first = await runOnce(name, runtime, program, scenario, scenario, server, work);
    if (first.problems.length || !scenario.then) return first;
    const next = await runOnce(name, runtime, program, scenario, scenario.then, server, work,
      first.session);
    return next;
  } finally {
    await server.close();
    fs.rmSync(work, { recursive: true, force: true });
  }
}

const dir = path.join(here, 'model-server/scenarios');
const scenarios = fs.readdirSync(dir).filter((f) => f.endsWith('.json')).sort()
  .map((f) => [f.replace('.json', ''), JSON.parse(fs.readFileSync(path.join(dir, f), 'utf8'))]);
const count = { passed: 0, failed: 0, skipped: 0 };
for (const [name, runtime] of Object.entries(RUNTIMES)) {
  const program = find(runtime);
  for (const [title, scenario] of scenarios) {
    const label = `${name}/${title}`;
    if (scenario.runtimes && !scenario.runtimes.includes(name)) continue;
    if (!label.includes(filter)) continue;
    if (!program) {
      count.skipped++;
      console.log(`skip ${label}: no ${runtime.program}`);
      continue;
    }
    const t0 = Date.now();
    const { problems, sandbox } = await runCase(name, runtime, program, scenario);
    if (scenario.needs_sandbox && sandbox === 'none') {
      count.skipped++;
      console.log(`skip ${label}: no sandbox here`);
      continue;
    }
    count[problems.length ? 'failed' : 'passed']++;
    console.log(`${problems.length ? 'not ok' : 'ok'} ${label}: ${scenario.what}`
      + ` (${sandbox}, ${((Date.now() - t0) / 1000).toFixed(1)} s)`);
    for (const p of problems) console.log(`    ${p}`);
  }
}
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exit(count.failed ? 1 : 0);
