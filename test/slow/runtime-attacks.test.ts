/** The corpus of attacks against `@anthropic-ai/sandbox-runtime`: what it does not confine is listed, and is nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRuntime } from '../../src/adapters/sandbox-runtime/open-runtime.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import { ATTACKS, type Attack } from '../adapters/sandbox/attack-table.ts';
import { closeTargets, openTarget, succeedsIn } from '../adapters/sandbox/attack-target.ts';
import { sandboxContract } from '../contracts/sandbox.contract.ts';

/** In CI a machine without it is a failure, not a skip. */
const sandbox: Sandbox | undefined = await openRuntime().catch((error: unknown) => {
  console.warn(`SKIPPED: ${String(error)}`);
  return undefined;
});
const isSkipped = sandbox === undefined && process.env['CI'] === undefined;

/** What answers, though it reaches nothing outside; each stands in the gaps of the sandbox. */
const OF_ALL = ['sends a datagram', 'listens on a port', 'learns the name of the machine'];
const OF_PYTHON = [
  ['starts a program', 'starts a shell', 'forks', 'forks 64 times', 'forks in native code', 'leaves a child behind'],
  ['lists what lies outside', 'reads what other processes are', 'reads the installed packages'],
  ['makes a socket in native code', 'asks to be traced'],
].flat();
const ANSWERS = new Set([
  ...OF_ALL.flatMap((title) => [`javascript ${title}`, `python ${title}`]),
  ...OF_PYTHON.map((title) => `python ${title}`),
]);

beforeAll(() => {
  process.env['SANDBOX_TEST_KEY'] = 'sk-ant-secret';
});
afterAll(async () => {
  delete process.env['SANDBOX_TEST_KEY'];
  await closeTargets();
});

describe.skipIf(isSkipped)('sandbox-runtime', () => {
  const open = (): Promise<Sandbox> => (sandbox === undefined ? openRuntime() : Promise.resolve(sandbox));
  sandboxContract('sandbox-runtime', open);
  sandboxContract('sandbox-runtime', open, 'python');

  test.each(ATTACKS.map((attack): [string, Attack] => [`${attack.language} ${attack.title}`, attack]))(
    '%s: gets nothing, unless it is listed',
    async (title, attack) => {
      expect(await succeedsIn(await open(), attack, await openTarget())).toBe(ANSWERS.has(title));
    },
  );
});
