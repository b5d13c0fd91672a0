/** Sessions, words to an agent at work, tools for other agents and cleaning, on machines that share PostgreSQL alone. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { eventually } from '../support/chaos.ts';
import { BIN, start } from '../support/cli.ts';
import { jsonOn, on, storeMachine, useStoreServer, type Machine } from '../support/store-machines.ts';
import { callTool, untilStatus } from '../support/tool-client.ts';

const used = useStoreServer();

const machine = (space: string, user: string, hasScenario = true): Promise<Machine> =>
  storeMachine(used, { space, user, hasScenario });
const withModel = ({ project, env }: Machine, url: string): Machine => ({
  project,
  env: { ...env, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'any' },
});

/** The answer of the session's agent. */
const SCRIPT = {
  version: 1 as const,
  who: 'session',
  match: { system_includes: 'You work with one person in a terminal' },
  turns: [{ name: 'a look', marker: 'look at it', steps: [{ say: 'Seen.' }] }],
};

/** The offline model behind a door that answers `most` calls, and leaves every later one without an answer. */
async function modelThatStops(
  most: number,
): Promise<{ url: string; whole: string; held: Promise<void>; close: () => Promise<void> }> {
  const simulationDir = join(used.root, 'made/scenarios/small-desk/simulation');
  const simulator = await startSimulator({ simulationDir, scripts: [SCRIPT] });
  const held = Promise.withResolvers<void>();
  let calls = 0;
  const door = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      calls += request.url === '/v1/messages' ? 1 : 0;
      if (calls > most) return held.resolve();
      const passed = (headers: Iterable<[string, string | string[] | undefined]>) =>
        Object.fromEntries(
          [...headers].filter(([name]) => !/^(content-length|host|connection|transfer-encoding)$/.test(name)),
        );
      const sent = {
        method: request.method ?? 'GET',
        headers: passed(Object.entries(request.headers)) as Record<string, string>,
      };
      void fetch(`${simulator.url}${request.url}`, { ...sent, ...(body !== '' && { body }) }).then(async (answer) => {
        response.writeHead(answer.status, passed(answer.headers));
        response.end(await answer.text());
      });
    });
  });
  used.https.push(door);
  await new Promise<void>((listening) => door.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  return { url, whole: simulator.url, held: held.promise, close: () => simulator.close() };
}

const RUN = ['run', 'small-desk', '--profile', 'demo', '--on-gate', 'exit'];

test.concurrent('an agent at work is spoken to from another machine, and its step goes on on a third', async () => {
  const [ann, cem] = [await machine('files', 'ann'), await machine('files', 'cem')];
  const bob = await machine('files', 'bob', false);
  const model = await modelThatStops(2);
  try {
    const working = withModel(ann, model.url);
    const worker = start(ann.project, [...RUN, '--id', 'r1'], working.env);
    await Promise.race([model.held, worker.done.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    // While the agent is at work somebody elsewhere says something to it: on record, and read at its next call.
    const said = await jsonOn(bob, 'session', '--run', 'r1', '--steer', '-p', 'Say that you were here.');
    expect(said).toMatchObject({ run: 'r1', agent: 'init', step: 'design.r1', actor: 'user:bob' });
    expect(await on(bob, ['pause', 'r1'])).toMatchObject({ code: 0 });
    expect((await worker.done).code).not.toBe(0);
    const asked = await on(withModel(bob, model.whole), ['session', '--run', 'r1', '-p', 'look at it', '--stream']);
    expect(asked, asked.stderr).toMatchObject({ code: 0 });
    expect(asked.stdout).not.toContain('"isError":true');
    const resumed = await on(withModel(cem, model.whole), ['resume', 'r1', '--profile', 'demo', '--on-gate', 'exit']);
    expect(resumed, resumed.stderr).toMatchObject({ code: 4 });
    expect(await on(bob, ['export', 'folder', 'r1', '--out', join(used.root, 'live')])).toMatchObject({ code: 2 });
    expect((await on(bob, ['gates', 'show', 'r1'])).stdout).toContain('HITL-1');
    expect(await on(bob, ['cancel', 'r1'])).toMatchObject({ code: 0 });
    expect(await on(bob, ['export', 'folder', 'r1', '--out', join(used.root, 'ended')])).toMatchObject({ code: 0 });
    const heard = await readFile(join(used.root, 'ended/transcripts/init.jsonl'), 'utf8');
    expect(heard).toContain('Say that you were here.');
    expect(await jsonOn(bob, 'verify', 'r1')).toMatchObject({ ok: true });
  } finally {
    await model.close();
  }
}, 240_000);

test.concurrent('what a killed worker left behind is kept while its run is paused, and freed after its end', async () => {
  const ann = await machine('killed', 'ann');
  const bob = await machine('killed', 'bob', false);
  const model = await modelThatStops(2);
  try {
    const worker = start(ann.project, [...RUN, '--id', 'r1'], withModel(ann, model.url).env);
    await Promise.race([model.held, worker.done.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    worker.kill('SIGKILL');
    await worker.done;
    expect(await on(bob, ['pause', 'r1'])).toMatchObject({ code: 0 });
    // A machine that is paused while it works sends what it remembers.
    const stops = await modelThatStops(0);
    const again = start(ann.project, ['resume', 'r1', '--profile', 'demo'], withModel(ann, stops.url).env);
    await Promise.race([stops.held, again.done.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    expect(await on(bob, ['pause', 'r1'])).toMatchObject({ code: 0 });
    await again.done;
    await stops.close();
    expect((await on(bob, ['sessions', 'clean'])).stdout).toContain('r1 keeps its workspace: it is paused');
    // Cancelled in the middle of a step: what it remembers is freed, what was said in it goes into the transcript first.
    expect(await on(bob, ['cancel', 'r1'])).toMatchObject({ code: 0 });
    const attempts = () => used.server.query('SELECT 1 FROM killed_runs.attempt');
    expect(await attempts()).toHaveLength(1);
    expect(await jsonOn(bob, 'sessions', 'clean')).toMatchObject({ cleaned: [], kept: [{ run: 'r1' }] });
    const dry = await jsonOn(bob, 'sessions', 'clean', '--older-than', '0m', '--dry-run');
    expect(dry).toMatchObject({
      kept: [],
      cleaned: [{ run: 'r1', scenario: 'small-desk', published: expect.any(Number) as number }],
    });
    expect(dry['bytes']).toBeGreaterThan(100);
    expect(await attempts()).toHaveLength(1);
    expect(await jsonOn(bob, 'sessions', 'clean', '--older-than', '0m')).toMatchObject({ cleaned: [{ run: 'r1' }] });
    expect(await attempts()).toEqual([]);
    expect(await on(bob, ['export', 'folder', 'r1', '--out', join(used.root, 'cancelled')])).toMatchObject({ code: 0 });
    expect(await readFile(join(used.root, 'cancelled/transcripts/init.jsonl'), 'utf8')).toContain('lending');
    expect(await jsonOn(bob, 'sessions', 'clean', '--older-than', '0m')).toMatchObject({ cleaned: [], kept: [] });
    expect(await jsonOn(bob, 'verify', 'r1')).toMatchObject({ ok: true });
  } finally {
    await model.close();
  }
}, 240_000);

test.concurrent('another agent starts, follows, reads and stops runs of the store', async () => {
  const [ann, bob] = [await machine('tools', 'ann'), await machine('tools', 'bob', false)];
  const connect = async ({ project, env }: Machine): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' });
    const args = [BIN, 'mcp'];
    const around = { PATH: process.env['PATH'] ?? '', ...env };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: project, env: around }));
    return client;
  };
  const [starts, looks] = [await connect(ann), await connect(bob)];
  const begun = await callTool(starts, 'start_run', { scenario: 'small-desk', budget_usd: 5, profile: 'demo' });
  expect(begun, begun.text).toMatchObject({ isError: false });
  const { run } = JSON.parse(begun.text) as { run: string };
  expect(await untilStatus(looks, run, /gate|waiting|approval/)).toMatch(/awaiting_approval/);
  expect((await callTool(looks, 'list_gates')).text).toContain(run);
  expect((await callTool(looks, 'read_gate', { run })).text).toContain('R1');
  expect(await callTool(looks, 'comment_gate', { run, comment: 'R1 is short.' })).toMatchObject({ isError: false });
  expect((await callTool(starts, 'read_gate', { run })).text).toContain('agent:mcp-bob');
  const [gate] = await jsonOn<{ digest: string }[]>(bob, 'gates', 'list');
  expect(await on(bob, ['gates', 'approve', run, '--digest', gate?.digest ?? '', '--accept'])).toMatchObject({
    code: 0,
  });
  expect(await callTool(starts, 'resume_run', { run })).toMatchObject({ isError: false });
  expect(await untilStatus(looks, run, /succeeded|failed|errored|paused/)).toBe('succeeded');
  expect((await callTool(looks, 'read_report', { run })).text).toContain('small-desk');
  expect((await callTool(looks, 'read_statistics', { run })).isError).toBe(false);
  const { contents } = await looks.readResource({ uri: `tandem://runs/${run}/design` });
  expect(JSON.stringify(contents)).toContain('R1');
  for (const tool of ['run_status', 'read_report', 'list_runs', 'read_gate']) {
    const { text, isError } = await callTool(looks, tool, tool === 'list_runs' ? {} : { run });
    expect(isError, text).toBe(false);
  }
  for (const client of [starts, looks]) await client.close();
  await eventually(async () => expect(await used.server.query('SELECT 1 FROM tools_runs.attempt')).toEqual([]));
}, 240_000);
