/** QuickJS held to the contract of every sandbox, to a process of node, and to its limits. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openQuickjs } from '../../src/adapters/quickjs/open-quickjs.ts';
import { openBareProcess } from '../../src/adapters/sandbox/open-sandbox.ts';
import type { Sandbox, SandboxOutcome, SandboxSession } from '../../src/ports/sandbox.ts';
import { sandboxContract } from '../contracts/sandbox.contract.ts';
import { scratch } from '../support/scratch.ts';

const quickjs = (): Promise<Sandbox> => Promise.resolve(openQuickjs());
sandboxContract('quickjs', quickjs, 'javascript', { languageAlone: true });
sandboxContract('quickjs', quickjs, 'typescript', { languageAlone: true });

const { signal } = new AbortController();

async function sessionOn(files: Record<string, string>, sandbox: Sandbox = openQuickjs()): Promise<SandboxSession> {
  const dir = await scratch();
  await mkdir(join(dir, 'checkers'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, 'checkers', name), text);
  const session = await sandbox.open(dir);
  onTestFinished(() => session.close());
  return session;
}

const checker = `
export const checker = { id: 'c', description: 'd', rules: ['R1'] };
export function check(world, list) {
  const named = Object.groupBy(list, ({ kind }) => kind);
  const sorted = list.toSorted((one, other) => (one.at < other.at ? -1 : 1));
  const days = Math.round((new Date('2026-03-01T00:00:00') - new Date(2026, 0, 1)) / 86_400_000);
  const text = 'Grüße, 12.50 €'.replaceAll(/\\p{L}+/gu, (word) => word.toUpperCase());
  world.seen = new Set(list.map(({ at }) => at)).size;
  return { pass: true, reason: text, evidence: [JSON.stringify(structuredClone({ named, sorted })), String(days), (1.005).toFixed(2), String(Date.now())] };
}`;

/** One module with an export for each body. */
async function ask(bodies: readonly string[], timeoutMs: number): Promise<SandboxOutcome[]> {
  const text = bodies.map((body, index) => `export async function f${index}() {\n${body}\n}`).join('\n');
  const session = await sessionOn({ 'c.mjs': text });
  return Promise.all(bodies.map((_, index) => session.call('checkers/c.mjs', `f${index}`, [], timeoutMs, signal)));
}

test('answers as a process does: worlds, dates in UTC with a clock that stands still, text, numbers', async () => {
  const [inside, process] = [
    await sessionOn({ 'c.mjs': checker }),
    await sessionOn({ 'c.mjs': checker }, openBareProcess()),
  ];
  const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 });
  const items = fc.array(fc.record({ kind: fc.constantFrom('a', 'b'), at: fc.integer(), value }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(items, value, async (list, extra) => {
      const ask = (session: SandboxSession) => session.call('checkers/c.mjs', 'check', [{ extra }, list], 5000, signal);
      expect(await ask(inside)).toEqual(await ask(process));
    }),
    { numRuns: 10 },
  );
});

test('loops, chains of promises, patterns and caught limits end at their time', async () => {
  const bodies = [
    'for (;;);',
    'for (;;) await null;',
    'return /^(a+)+$/.test("a".repeat(60) + "b");',
    '[3, 2, 1].sort(() => { for (;;); });',
    'for (;;) try { for (;;); } catch {}',
    'const kept = []; for (;;) kept.push("x".repeat(1_000_000) + kept.length);',
  ];
  const outcomes = await ask(bodies, 100);
  expect(outcomes.map((outcome) => outcome.ok || outcome.kind)).toEqual(bodies.map(() => 'timeout'));
});

test('buffers, depth and a promise that never settles are told', async () => {
  const bodies = [
    'const kept = []; for (;;) kept.push(new Uint8Array(50_000_000));',
    'const down = () => down() + 1; return down();',
    'return new Promise(() => {});',
  ];
  const outcomes = await ask(bodies, 10_000);
  expect(outcomes.map((outcome) => (outcome.ok ? 'passed' : outcome.message))).toEqual([
    expect.stringContaining('memory'),
    expect.stringContaining('Maximum call stack size exceeded'),
    'the promise that it returned never settles',
  ]);
});
