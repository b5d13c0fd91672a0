import { expect, test } from 'vitest';
import { openSessions } from '../../src/evaluation/open-sessions.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';

test('a call goes to the session that has the least to do, and all are closed together', async () => {
  const log: string[] = [];
  const pending: (() => void)[] = [];
  let opened = 0;
  const sandbox: Sandbox = {
    kind: 'fake',
    gaps: [],
    open: async () => {
      opened += 1;
      const own = opened;
      return {
        call: async (module) => {
          log.push(`${module} in ${own}`);
          await new Promise<void>((done) => pending.push(done));
          return { ok: true, value: own, args: [] };
        },
        close: async () => void log.push(`closed ${own}`),
      };
    },
  };
  const session = await openSessions(sandbox, '/x', 2);
  const { signal } = new AbortController();
  const calls = ['a', 'b', 'c'].map((module) => session.call(module, 'run', [], 1, signal));
  expect(log).toEqual(['a in 1', 'b in 2', 'c in 1']);
  for (const done of pending) done();
  await Promise.all(calls);
  await session.close();
  expect(log.slice(3)).toEqual(['closed 1', 'closed 2']);
});
