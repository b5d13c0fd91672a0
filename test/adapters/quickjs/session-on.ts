/** A session of QuickJS on a folder of checkers, and one checker that uses much of the language. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openQuickjs } from '../../../src/adapters/quickjs/open-quickjs.ts';
import type { Sandbox, SandboxOutcome, OpenSandbox } from '../../../src/ports/sandbox.ts';
import { scratch } from '../../support/scratch.ts';

/** `files` by their names in `checkers/`; closed when the running test has finished. */
export async function sessionOn(files: Record<string, string>, sandbox: Sandbox = openQuickjs()): Promise<OpenSandbox> {
  const dir = await scratch();
  await mkdir(join(dir, 'checkers'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, 'checkers', name), text);
  const session = await sandbox.open(dir);
  onTestFinished(() => session.close());
  return session;
}

const { signal } = new AbortController();

export const CHECKER = `
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
export async function ask(
  bodies: readonly string[],
  timeoutMs: number,
  sandbox: Sandbox = openQuickjs(),
): Promise<SandboxOutcome[]> {
  const text = bodies.map((body, index) => `export async function f${index}() {\n${body}\n}`).join('\n');
  const session = await sessionOn({ 'c.mjs': text }, sandbox);
  return Promise.all(
    bodies.map((_, index) =>
      session.call({ module: 'checkers/c.mjs', name: `f${index}`, args: [], timeoutMs }, signal),
    ),
  );
}
