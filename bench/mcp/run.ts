/** What Tandem adds to a call of a tool over stdio: 1,000 calls of the same server through the client library alone, and through Tandem. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openFileArtifacts } from '../../src/adapters/files/file-artifacts.ts';
import { openToolServers } from '../../src/adapters/mcp/open-tool-servers.ts';
import { withRecordedAnswers } from '../../src/pipeline/steps/server-tools.ts';

const CALLS = 1000;
const ROUNDS = 5;
/** Milliseconds that Tandem may add to a call: of the processor, because what else writes to the disk is not its affair. */
const TARGET = 2;

const server = resolve('test/support/mcp-server.mjs');
const env = { PATH: process.env['PATH'] ?? '' };
const { signal } = new AbortController();

type Measured = { wall: number; processor: number };

async function measure(call: () => Promise<unknown>): Promise<Measured> {
  for (let at = 0; at < 50; at += 1) await call();
  const [from, before] = [performance.now(), process.cpuUsage()];
  for (let at = 0; at < CALLS; at += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return { wall: (performance.now() - from) / CALLS, processor: (user + system) / 1000 / CALLS };
}

async function bare(): Promise<Measured> {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, 'good'], env }));
  await client.listTools();
  const measured = await measure(() => client.callTool({ name: 'look_up', arguments: { word: 'fee' } }));
  await client.close();
  return measured;
}

/** As a step calls it: each answer is on disk before the agent sees it. */
async function ours(): Promise<Measured> {
  const dir = await mkdtemp(join(tmpdir(), 'tandem-bench-'));
  const attempt = await openFileArtifacts(dir, 'bench').begin('design.r1', 'design/r1', []);
  const command = [process.execPath, server, 'good'];
  const limits = { startMs: 20_000, callMs: 60_000, maxChars: 60_000, redact: (text: string) => text };
  const open = await openToolServers([{ name: 'docs', ...limits, cwd: '.', command, env }]).open(['docs'], signal);
  const host = withRecordedAnswers(open.host, 'main', attempt);
  const measured = await measure(() => host.call('mcp__docs__look_up', { word: 'fee' }, signal));
  await open.close();
  await rm(dir, { recursive: true });
  return measured;
}

const middle = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[ROUNDS >> 1] ?? 0;

const rounds: { bare: Measured; ours: Measured }[] = [];
// In turn, so that what else the machine does meets both.
for (let round = 0; round < ROUNDS; round += 1) rounds.push({ bare: await bare(), ours: await ours() });
const row = (kind: keyof Measured) => {
  const [alone, through] = [middle(rounds.map((one) => one.bare[kind])), middle(rounds.map((one) => one.ours[kind]))];
  return { alone, through, added: middle(rounds.map((one) => one.ours[kind] - one.bare[kind])) };
};
const result = { calls: CALLS, rounds: ROUNDS, target: TARGET, wall: row('wall'), processor: row('processor') };
if (process.argv.includes('--json')) console.log(JSON.stringify(result));
else {
  console.log('| ms a call | client library | through Tandem | added |\n|---|---|---|---|');
  for (const kind of ['wall', 'processor'] as const) {
    const { alone, through, added } = result[kind];
    console.log(`| ${kind} | ${alone.toFixed(2)} | ${through.toFixed(2)} | ${added.toFixed(2)} |`);
  }
}
process.exitCode = result.processor.added > TARGET ? 1 : 0;
