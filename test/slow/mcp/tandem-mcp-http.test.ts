/** `tandem mcp --listen` with the protocol's own client: a person's rights, tokens that nobody reads, and no way to decide. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestAt, start, tandem } from '../../support/cli.ts';
import { callTool, untilStatus } from '../../support/tool-client.ts';

type Listening = { url: string; port: number; token: string };

const TOKENS = {
  ada: 'token-of-agents-of-ada-1234',
  eve: 'token-of-agents-of-eve-1234',
  bob: 'token-of-agents-of-bob-1234',
};
const PAGE_TOKEN = 'token-of-ada-for-the-page-1234';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** Ada may all; Eve decides the desk alone, and reads nothing else; Bob looks. */
const REVIEWERS = {
  version: 1,
  starter_may_decide: false,
  reviewers: [
    { name: 'ada', token_sha256: sha256(PAGE_TOKEN), agent_token_sha256: sha256(TOKENS.ada) },
    { name: 'eve', scenarios: ['desk'], agent_token_sha256: sha256(TOKENS.eve) },
    { name: 'bob', role: 'viewer', agent_token_sha256: sha256(TOKENS.bob) },
  ],
};

let project: string;
let server: ReturnType<typeof start> | undefined;
let at: Listening;
let printed = '';
const clients: Client[] = [];

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'tandem-tools-'));
  for (const name of ['desk', 'till']) expect(await tandem(project, ['init', name])).toMatchObject({ code: 0 });
  await mkdir(join(project, 'config'), { recursive: true });
  await writeFile(join(project, 'config/reviewers.yaml'), JSON.stringify(REVIEWERS));
  const child = start(project, ['mcp', '--listen', '127.0.0.1:0', '--json'], { USER: 'ada' });
  server = child;
  child.stderr?.on('data', (text: string) => (printed += text));
  at = JSON.parse(await firstLine(child)) as Listening;
});
afterAll(async () => {
  for (const client of clients) await client.close();
  server?.kill('SIGTERM');
  await server?.done;
  await rm(project, { recursive: true, force: true });
});

/** What a server says when it listens. */
function firstLine(child: ReturnType<typeof start>): Promise<string> {
  return new Promise((settle, fail) => {
    child.once('exit', (code) => fail(new Error(`it ended with ${code}`)));
    child.stdout?.once('data', (text: string) => settle(text));
  });
}

async function connect(token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(at.url), { requestInit }));
  clients.push(client);
  return client;
}

/** As no client library would send it; `fetch` does not let a Host be chosen. */
function raw(headers: Record<string, string>, body = '{}', path = '/mcp'): Promise<{ status: number; text: string }> {
  return new Promise((settle, fail) => {
    const sent = request(
      { port: at.port, host: '127.0.0.1', path, method: 'POST', headers, agent: false },
      (response) => {
        let text = '';
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.on('end', () => settle({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.once('error', fail);
    sent.end(body);
  });
}

test('a run is started, commented, decided by a person who did not start it, and read; no agent decides', async () => {
  const ada = await connect(TOKENS.ada);
  const names = (await ada.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('comment_gate');
  expect(names.join(' ')).not.toMatch(/approve|decide|reject|edit|bless|token|chat/);
  const started = await callTool(ada, 'start_run', { scenario: 'desk', budget_usd: 5 });
  expect(started).toMatchObject({ isError: false });
  const { run } = JSON.parse(started.text) as { run: string };
  await untilStatus(ada, run, /gate|waiting/);
  const words = 'R1 says nothing of lamps that are lent out.';
  expect(await callTool(ada, 'comment_gate', { run, comment: words })).toMatchObject({ isError: false });
  expect((await callTool(ada, 'read_gate', { run })).text).toContain('agent:mcp-ada');

  // Whose agent started it is who started it: the second pair of eyes is another person's.
  const digest = await digestAt(project, run);
  const approve = ['gates', 'approve', run, '--digest', digest];
  for (const who of [{ TANDEM_AGENT: 'mcp-ada' }, { TANDEM_AGENT: 'mcp-eve' }, { USER: 'ada' }, { USER: 'bob' }]) {
    const refused = await tandem(project, approve, who);
    expect(refused.code, JSON.stringify(who)).not.toBe(0);
  }
  expect(await tandem(project, approve, { USER: 'eve' })).toMatchObject({ code: 0 });
  const eve = await connect(TOKENS.eve);
  expect(await callTool(eve, 'resume_run', { run })).toMatchObject({ isError: false });
  expect(await untilStatus(eve, run, /succeeded|finished|failed|errored|gate/)).toBe('succeeded');
  expect((await callTool(eve, 'read_report', { run })).text).toContain('desk');

  // What an agent said at the gate is in the journal and in no conversation of the run.
  const folder = join(project, 'scenarios/desk/runs', run);
  const texts = async (part: string) =>
    Promise.all((await readdir(join(folder, part))).map((name) => readFile(join(folder, part, name), 'utf8')));
  const said = (await texts('events')).filter((text) => text.includes(words));
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('agent:mcp-ada');
  expect((await texts('transcripts')).join('')).not.toContain(words);
});

test('each reads and does what its person may, and hears nothing of the rest', async () => {
  const [ada, eve, bob] = [await connect(TOKENS.ada), await connect(TOKENS.eve), await connect(TOKENS.bob)];
  const { run } = JSON.parse((await callTool(ada, 'start_run', { scenario: 'till', budget_usd: 5 })).text) as {
    run: string;
  };
  await untilStatus(ada, run, /gate|waiting/);
  expect((await callTool(bob, 'list_gates')).text).toContain(run);
  expect((await callTool(bob, 'read_gate', { run })).text).toContain('R1');
  for (const [name, input] of [
    ['comment_gate', { run, comment: 'x' }],
    ['pause_run', { run }],
    ['cancel_run', { run, why: 'x' }],
    ['resume_run', { run }],
    ['start_run', { scenario: 'desk', budget_usd: 1 }],
  ] as const)
    expect(await callTool(bob, name, input), name).toMatchObject({
      isError: true,
      text: expect.stringContaining('bob may only read'),
    });
  for (const name of ['list_runs', 'list_gates']) expect((await callTool(eve, name)).text).not.toContain('till');
  for (const [name, input] of [
    ...['run_status', 'read_report', 'read_statistics', 'read_gate', 'pause_run'].map((one) => [one, { run }] as const),
    ['check_scenario', { scenario: 'till' }],
    ['start_run', { scenario: 'till', budget_usd: 1 }],
  ] as const) {
    const { text, isError } = await callTool(eve, name, input);
    expect([name, isError, /^There is no (?:run|scenario) /.test(text)]).toEqual([name, true, true]);
  }
  await expect(eve.readResource({ uri: `tandem://runs/${run}/report` })).rejects.toThrow();
  // Answers name no place of the machine.
  expect((await callTool(ada, 'list_gates')).text).not.toContain(project);
  expect(await callTool(ada, 'cancel_run', { run, why: 'shown' })).toMatchObject({ isError: false });
});

test('strangers, other hosts, pages of other origins and bodies without end are refused', async () => {
  const good = {
    authorization: `Bearer ${at.token}`,
    host: `127.0.0.1:${at.port}`,
    'content-type': 'application/json',
  };
  expect((await raw({ ...good, host: 'evil.example' })).status).toBe(421);
  expect((await raw({ ...good, origin: 'https://evil.example' })).status).toBe(403);
  expect((await raw({ ...good, origin: 'null' })).status).toBe(403);
  expect((await raw({ ...good, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await raw({ ...good, authorization: '', cookie: 'tandem-review=x' })).status).toBe(401);
  expect((await raw({ ...good, authorization: 'Bearer nobody-has-this-one' })).status).toBe(401);
  // Whoever still sends may find the connection closed before the answer.
  const closed = (error: Error) => ({ status: /hang up|RESET|EPIPE/.test(error.message) ? 413 : 0 });
  expect((await raw(good, '[]'.repeat(200_000)).catch(closed)).status).toBe(413);
  for (const body of [
    '{',
    '[]',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_gate"}}',
    '[['.repeat(9000),
  ])
    expect((await raw({ ...good, accept: 'application/json, text/event-stream' }, body)).status).toBeLessThan(500);
  // An agent's token opens no page; the page's opens the tools too.
  await connect(PAGE_TOKEN);
  const page = start(project, ['serve', '--listen', '127.0.0.1:0', '--json']);
  const { url: base } = JSON.parse(await firstLine(page)) as { url: string };
  const api = new URL('/api/gates', base);
  const asked = async (token: string) => (await fetch(api, { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await asked(TOKENS.ada), await asked(PAGE_TOKEN)]).toEqual([401, 200]);
  page.kill('SIGTERM');
  await page.done;
});

test('many calls at once: some are told to wait, none hangs, and no token is in any answer or log', async () => {
  const client = await connect(at.token);
  const answers = await Promise.all(Array.from({ length: 30 }, () => callTool(client, 'list_runs')));
  for (const { text, isError } of answers) expect(isError ? text : 'fine').toMatch(/^fine$|calls .* under way/);
  const all = JSON.stringify(answers) + printed;
  for (const token of [at.token, PAGE_TOKEN, ...Object.values(TOKENS), ...Object.values(TOKENS).map(sha256)])
    expect(all).not.toContain(token);
});
