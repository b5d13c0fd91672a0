/** QuickJS held to the contract of every sandbox, to a process of node, and to its limits. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openQuickjs } from '../../src/adapters/quickjs/open-quickjs.ts';
import { openQuickjsInBubblewrap } from '../../src/adapters/quickjs/quickjs-in-bubblewrap.ts';
import { openBareProcess } from '../../src/adapters/sandbox/open-sandbox.ts';
import type { Sandbox, OpenSandbox } from '../../src/ports/sandbox.ts';
import { ask, CHECKER, sessionOn } from '../adapters/quickjs/session-on.ts';
import { sandboxContract } from '../contracts/sandbox.contract.ts';
import { anyCharacter } from '../support/any-character.ts';

const quickjs = (): Promise<Sandbox> => Promise.resolve(openQuickjs());
sandboxContract('quickjs', quickjs, 'javascript', { languageAlone: true });
sandboxContract('quickjs', quickjs, 'typescript', { languageAlone: true });
sandboxContract('quickjs in bubblewrap', openQuickjsInBubblewrap, 'javascript', { languageAlone: true });
sandboxContract('quickjs in bubblewrap', openQuickjsInBubblewrap, 'typescript', { languageAlone: true });

const { signal } = new AbortController();

test('answers as a process does: worlds, dates in UTC with a clock that stands still, text, numbers', async () => {
  const [inside, process] = [
    await sessionOn({ 'c.mjs': CHECKER }),
    await sessionOn({ 'c.mjs': CHECKER }, openBareProcess()),
  ];
  const value = fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 3 });
  const items = fc.array(fc.record({ kind: fc.constantFrom('a', 'b'), at: fc.integer(), value }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(items, value, async (list, extra) => {
      const ask = (session: OpenSandbox) =>
        session.call({ module: 'checkers/c.mjs', name: 'check', args: [{ extra }, list], timeoutMs: 5000 }, signal);
      expect(await ask(inside)).toEqual(await ask(process));
    }),
    { numRuns: 10 },
  );
});

describe.each([
  ['a thread', quickjs],
  ['bubblewrap', openQuickjsInBubblewrap],
])('in %s', (_name, open) => {
  test('loops, chains of promises, patterns and caught limits end at their time', async () => {
    const bodies = [
      'for (;;);',
      'for (;;) await null;',
      'return /^(a+)+$/.test("a".repeat(60) + "b");',
      '[3, 2, 1].sort(() => { for (;;); });',
      'for (;;) try { for (;;); } catch {}',
      'const kept = []; for (;;) kept.push("x".repeat(1_000_000) + kept.length);',
    ];
    const outcomes = await ask(bodies, 100, await open());
    expect(outcomes.map((outcome) => outcome.ok || outcome.kind)).toEqual(bodies.map(() => 'timeout'));
  });

  test('buffers, depth and a promise that never settles are told', async () => {
    const bodies = [
      'const kept = []; for (;;) kept.push(new Uint8Array(50_000_000));',
      'const down = () => down() + 1; return down();',
      'return new Promise(() => {});',
    ];
    const outcomes = await ask(bodies, 10_000, await open());
    expect(outcomes.map((outcome) => (outcome.ok ? 'passed' : outcome.message))).toEqual([
      expect.stringContaining('memory'),
      expect.stringContaining('Maximum call stack size exceeded'),
      'the promise that it returned never settles',
    ]);
  });
});
