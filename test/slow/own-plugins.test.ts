/** The contracts of the ports as a library: adapters of somebody else pass them, and one without walls or honesty does not. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openBareProcess } from '../../src/adapters/sandbox/open-sandbox.ts';
import {
  channelOf,
  graderCases,
  graderOf,
  noticesCases,
  sandboxCases,
  subjectCases,
  subjectOf,
  type ContractCase,
} from '../../src/app/testing.ts';

async function failuresOf(cases: readonly ContractCase[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { title, run } of cases)
    await run().catch(() => {
      failed.push(title);
    });
  return failed;
}

test('the adapters of examples/own-plugins keep every contract, in the runner of Node', async () => {
  const args = [
    '--conditions=tandem-source',
    '--test',
    '--test-reporter=tap',
    'examples/own-plugins/contracts.test.mjs',
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toMatch(/^# pass 24$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});

test('a sandbox without walls fails where it lets something through, and nowhere else', async () => {
  expect(await failuresOf(sandboxCases(async () => openBareProcess()))).toEqual([
    'no file beside the module can be read',
    'no file outside of the folder can be read',
    'no network can be reached, not even on this machine',
  ]);
});

test('a channel that swallows what was not taken, and a subject that answers by itself, fail', async () => {
  const posts: string[] = [];
  const swallows = channelOf(({ id, text }) => void posts.push(`${id} ${text}`));
  expect(
    await failuresOf(noticesCases(async () => ({ channel: swallows, received: () => posts.splice(0) }))),
  ).toContain('what is not taken rejects as a fault of the infrastructure, without naming where it went');
  const deaf = subjectOf(() => ({ answer: () => ({ say: 'Yes.' }) }));
  expect((await failuresOf(subjectCases((start) => deaf.open(start)))).length).toBeGreaterThan(3);
});

test('a grader that quotes what nobody said fails there, and nowhere else', async () => {
  const open = (quotes: string[]) => graderOf(() => ({ verdict: 'pass', reason: 'so it is', quotes }));
  expect(await failuresOf(graderCases(open(['never said'])))).toEqual([
    'a verdict comes with a reason, and with quotes that somebody said',
  ]);
});
