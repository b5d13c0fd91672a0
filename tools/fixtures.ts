/** Makes `test/fixtures/recordings` from an offline run of ours in the shapes of other harnesses: `npx node tools/fixtures.ts`. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runCommand } from '../src/cli/run/run.ts';
import { Entry } from '../src/transcript/entry.ts';
import { asClaudeCode } from './fixture-sessions.ts';
import { playedIn, tau1Record, tau1Row, tau2Results, tau2Row } from './fixture-runs.ts';

const TARGET = resolve('test/fixtures/recordings');

const project = await mkdtemp(join(tmpdir(), 'tandem-fixtures-'));
await mkdir(join(project, 'scenarios'));
await cp('scenarios/refund-desk', join(project, 'scenarios/refund-desk'), {
  recursive: true,
  filter: (source) => !source.endsWith('/runs'),
});
const code = await runCommand(
  'refund-desk',
  { profile: 'demo', id: 'demo', json: true },
  {
    io: {
      out: () => undefined,
      err: () => undefined,
      draw: () => undefined,
      screen: undefined,
      ask: undefined,
      env: {},
      cwd: project,
    },
    signal: new AbortController().signal,
  },
);
if (code !== 0) throw new Error(`The demo run ended with exit code ${code}: nothing is written.`);

const run = join(project, 'scenarios/refund-desk/runs/demo');
const iteration = (n: number) => playedIn(join(run, `execution_outputs/iteration_${n}`), n);
const [first, second, third] = [await iteration(1), await iteration(2), await iteration(3)];
const jsonl = (rows: readonly unknown[]) => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
const agent = async (name: string) =>
  (await readFile(join(run, `transcripts/${name}.jsonl`), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => Entry.parse(JSON.parse(line)));

const files: Record<string, string> = {
  // Two iterations of one round: the same samples, so the second counts as a second trial.
  'tau1-rows.jsonl': jsonl([...first.map((one) => tau1Row(one, 0)), ...second.map((one) => tau1Row(one, 1))]),
  'tau1-results.json': JSON.stringify(first.map(tau1Record)),
  'tau2-rows.jsonl': jsonl(third.map(tau2Row)),
  'tau2-results.json': JSON.stringify(tau2Results(third)),
  'claude-code.jsonl': asClaudeCode(await agent('execute')),
  'claude-code-short.jsonl': asClaudeCode(await agent('init')),
};
await mkdir(TARGET, { recursive: true });
for (const [name, text] of Object.entries(files)) await writeFile(join(TARGET, `${name}.gz`), gzipSync(text));
await rm(project, { recursive: true, force: true });
console.log(`${TARGET} is written: ${Object.keys(files).join(', ')}`);
