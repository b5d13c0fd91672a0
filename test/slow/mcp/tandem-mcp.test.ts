/** `tandem mcp` with the protocol's own client: another agent starts, follows, reads and stops runs, and can decide nothing. */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BIN, digestAt, tandem } from '../../support/cli.ts';
import { callTool, untilStatus } from '../../support/tool-client.ts';

let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'tandem-as-server-'));
  expect(await tandem(project, ['init', 'desk'])).toMatchObject({ code: 0 });
});
afterAll(() => rm(project, { recursive: true, force: true }));

async function connect(...flags: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', USER: 'tester' };
  const args = [BIN, 'mcp', ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: project, env }));
  return client;
}

test('a run is started, waits for a person, goes on and is read; no tool of it decides', async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).join(' ')).not.toMatch(/approve|decide|reject|edit|bless|token|chat/);
  expect(client.getInstructions()).toContain('You cannot approve');
  const started = await callTool(client, 'start_run', { scenario: 'desk', budget_usd: 5 });
  expect(started).toMatchObject({ isError: false });
  const { run } = JSON.parse(started.text) as { run: string };
  expect(await untilStatus(client, run, /gate|waiting/)).toMatch(/gate|waiting/);
  expect((await callTool(client, 'list_gates')).text).toContain(run);
  expect((await callTool(client, 'read_gate', { run })).text).toContain('R1');

  expect(await callTool(client, 'comment_gate', { run, comment: 'R1 is short.' })).toMatchObject({ isError: false });
  expect((await callTool(client, 'read_gate', { run })).text).toContain('agent:mcp-tester');

  // The environment of its commands marks their acts as an agent's: the gate takes none of them.
  const digest = await digestAt(project, run);
  const approve = ['gates', 'approve', run, '--digest', digest];
  const refused = await tandem(project, approve, { TANDEM_AGENT: 'mcp-tester' });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('agent:mcp-tester');
  expect(await tandem(project, approve)).toMatchObject({ code: 0 });

  expect(await callTool(client, 'resume_run', { run })).toMatchObject({ isError: false });
  expect(await untilStatus(client, run, /succeeded|finished|failed|errored|waiting|gate/)).toBe('succeeded');
  expect((await callTool(client, 'read_report', { run })).text).toContain('desk');
  expect(JSON.parse((await callTool(client, 'run_status', { run })).text)).toMatchObject({ verdict: 'met' });
  const numbers = JSON.parse((await callTool(client, 'read_statistics', { run })).text) as unknown;
  expect(numbers).toMatchObject({ verdict: 'met', against: [{ title: 'SMALL SAMPLE' }], judges: { R1: ['checker'] } });
  expect((await callTool(client, 'read_evaluation', { scenario: 'desk' })).text).toContain('has no evaluation');
  const played = await tandem(project, ['evaluate', 'desk', '--subject', 'gold', '--json']);
  const { verdict } = JSON.parse(played.stdout) as { verdict: string };
  const read = await callTool(client, 'read_evaluation', { scenario: 'desk' });
  expect(JSON.parse(read.text)).toMatchObject({ verdict, samples: 3 });
  const { contents } = await client.readResource({ uri: `tandem://runs/${run}/report` });
  expect(JSON.stringify(contents)).toContain(run);
  expect((await callTool(client, 'list_runs')).text).toContain(run);
  await client.close();
});

test('what makes no sense is an answer that says so, and nothing is written', async () => {
  const client = await connect();
  const before = await readdir(join(project, 'scenarios'));
  for (const [name, input] of [
    ['start_run', { scenario: 'no-such-scenario', budget_usd: 5 }],
    ['start_run', { scenario: '../../etc', budget_usd: 5 }],
    ['start_run', { scenario: 'desk', budget_usd: -1 }],
    ['start_run', { scenario: 'desk' }],
    ['run_status', { run: '--help' }],
    ['run_status', { run: 'nobody' }],
    ['read_report', { run: '-x' }],
    ['cancel_run', { run: 'nobody', why: '--json' }],
    ['read_gate', { run: 'x', gate: '--diff' }],
  ] as const) {
    const { text, isError } = await callTool(client, name, input);
    expect(isError, `${name} ${JSON.stringify(input)}: ${text}`).toBe(true);
    expect(text.length).toBeGreaterThan(10);
    expect(text).not.toMatch(/\n {4}at /);
  }
  expect(await readdir(join(project, 'scenarios'))).toEqual(before);
  await client.close();
});

test('an agent that cancels is named in the journal; --read-only offers nothing that acts', async () => {
  const client = await connect();
  const { run } = JSON.parse((await callTool(client, 'start_run', { scenario: 'desk', budget_usd: 5 })).text) as {
    run: string;
  };
  await untilStatus(client, run, /gate|waiting/);
  // The answer comes when the act is on record, not after some seconds.
  expect(await callTool(client, 'pause_run', { run })).toMatchObject({ isError: false });
  expect(await callTool(client, 'resume_run', { run })).toMatchObject({ isError: false });
  const folder = join(project, 'scenarios/desk/runs', run, 'events');
  const written = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  expect(written.find((text) => text.includes('run.resumed'))).toContain('agent:mcp');
  await untilStatus(client, run, /gate|waiting/);
  expect(await callTool(client, 'cancel_run', { run, why: 'not needed any more' })).toMatchObject({ isError: false });
  expect(await untilStatus(client, run, /cancelled/)).toBe('cancelled');
  const events = join(project, 'scenarios/desk/runs', run, 'events');
  const texts = await Promise.all((await readdir(events)).map((name) => readFile(join(events, name), 'utf8')));
  expect(texts.find((text) => text.includes('run.cancelled'))).toContain('agent:mcp');
  await client.close();
  const reader = await connect('--read-only');
  const names = (await reader.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('run_status');
  expect(names.filter((name) => /start|resume|pause|cancel|comment/.test(name))).toEqual([]);
  await reader.close();
});
