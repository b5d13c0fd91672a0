/** `tandem notices` and `tandem notices test`: what an operator sees of channels that do not take what they should. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGateScheduler } from '../../../src/app/notices/gate-scheduler.ts';
import { commentCommand } from '../../../src/cli/gates/gates.ts';
import { noticesCommand, testNotices } from '../../../src/cli/gates/notices.ts';
import { loadReviewers } from '../../../src/config/reviewers.ts';
import { findHome } from '../../../src/config/home.ts';
import { quietIo } from '../../support/project.ts';
import { openDesk, type Desk } from '../../web/desk.ts';

const signal = new AbortController().signal;
let desk: Desk;
let server: Server;
let status: number;
let got: { kind: string }[];
let env: Record<string, string>;

beforeEach(async () => {
  [desk, status, got] = [await openDesk(), 200, []];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString('utf8')));
    request.on('end', () => {
      if (status === 200) got.push(JSON.parse(body) as { kind: string });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  env = { HOOK: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`, KEY: 'a-secret-of-the-hook' };
  await mkdir(join(desk.root, 'config'), { recursive: true });
  const notices = '[{ kind: webhook, name: ops, kinds: [opened], url_env: HOOK, secret_env: KEY }]';
  await writeFile(join(desk.root, 'config/reviewers.yaml'), `version: 1\nnotices: ${notices}\n`);
});
afterEach(async () => {
  await new Promise<void>((settle) => server.close(() => settle()));
  await desk.remove();
});

async function look(): Promise<void> {
  const read = desk.read;
  const reviewers = await loadReviewers(findHome(desk.root));
  const options = { project: desk.root, read, reviewers, env, base: 'http://desk.test', log: () => undefined };
  await startGateScheduler(options).look(signal);
}

async function said(json: boolean): Promise<string> {
  const io = quietIo(desk.root, env);
  expect(await noticesCommand({ json }, io)).toBe(0);
  return io.said.join('\n');
}

test('says how each channel is, what could not be delivered and why, and no secret', async () => {
  await desk.waiting('run-1');
  expect(await said(false)).toMatch(/^ops \(webhook\) +not used yet/);
  status = 404;
  await look();
  const text = await said(false);
  expect(text).toMatch(/ops \(webhook\) +takes nothing since 2026-11-20T10:0.*it answered 404.*Tried 1 times, next at/);
  expect(text).toContain('run-1.HITL-1.r1.opened  ops  waits: The ops took no notice: it answered 404.');
  const parsed = JSON.parse(await said(true)) as { undelivered: object[]; sent: number };
  expect([parsed.undelivered.length, parsed.sent]).toEqual([1, 0]);
  status = 200;
  desk.clock.pass(31_000);
  await look();
  expect(await said(false)).toContain('1 delivered, 0 not.');
  expect(text + (await said(true))).not.toMatch(/secret/);
});

test('who is handed a gate with the command is named in the message that is sent', async () => {
  const [people, hook] = ['[{ name: tester }, { name: bob }]', 'kind: webhook, url_env: HOOK, secret_env: KEY'];
  const file = `version: 1\nreviewers: ${people}\nnotices: [{ ${hook}, kinds: [handed] }]\n`;
  await writeFile(join(desk.root, 'config/reviewers.yaml'), file);
  const run = await desk.waiting('run-1');
  const state = await desk.state(run);
  if (state.status !== 'awaiting_approval') throw new Error(state.status);
  await commentCommand('run-1', { to: 'bob', comment: 'You know gift cards.' }, quietIo(desk.root, env));
  await look();
  await look();
  expect(got).toEqual([
    {
      ...{ version: 1, id: 'run-1.HITL-1.r1.handed.3', kind: 'handed', run: 'run-1', scenario: 'refund-desk' },
      ...{ gate: 'HITL-1.r1', digest: state.gate.digest, to: 'bob', title: expect.any(String) as string },
      text: 'user:tester handed HITL-1.r1 of refund-desk to user:bob, who is asked to decide it. "You know gift cards."',
      url: 'http://desk.test/runs/run-1/gates/HITL-1.r1',
    },
  ]);
});

test('test sends one message through each channel, leaves nothing behind, and says who does not take it', async () => {
  const io = quietIo(desk.root, env);
  expect(await testNotices({}, { io, signal })).toBe(0);
  expect(got.map(({ kind }) => kind)).toEqual(['test']);
  status = 400;
  expect(await testNotices({ json: true }, { io, signal })).toBe(6);
  expect(JSON.parse(io.said.at(-1) ?? '')).toEqual({
    tried: [{ channel: 'ops', ok: false, why: expect.stringContaining('The ops took no notice: it answered 400.') }],
  });
  await expect(readFile(join(desk.root, 'scenarios/.notices.json'))).rejects.toThrow('ENOENT');
});
