import { expect, test } from 'vitest';
import { failFastSession } from '../../../src/evaluation/proof/fail-fast-session.ts';
import type { SandboxOutcome, SandboxSession } from '../../../src/ports/sandbox.ts';

const { signal } = new AbortController();
const LATE: SandboxOutcome = { ok: false, kind: 'timeout', message: 'no answer within 5000 ms' };

/** Modules whose name begins with `hangs` never answer; every module that is asked is noted. */
function session(): { asked: string[]; session: SandboxSession } {
  const asked: string[] = [];
  const answer = (module: string): SandboxOutcome => {
    asked.push(module);
    return module.startsWith('hangs') ? LATE : { ok: true, value: 1, args: [] };
  };
  return {
    asked,
    session: failFastSession({
      call: async (module) => answer(module),
      askAll: async ({ modules }) => modules.map((module) => [answer(module)]),
      close: async () => undefined,
    }),
  };
}

test('a module that never ended is not asked again, and says so; others are', async () => {
  const { asked, session: own } = session();
  const call = (module: string) => own.call(module, 'run', [], 5000, signal);
  expect(await call('hangs.mjs')).toEqual(LATE);
  expect(await call('hangs.mjs')).toEqual({ ...LATE, message: 'no answer within 5000 ms, and was not asked again' });
  expect(await call('works.mjs')).toMatchObject({ ok: true });
  const inquiry = { modules: ['hangs.mjs', 'works.mjs', 'hangs-too.mjs'], name: 'check', args: [], times: 1 };
  for (let time = 0; time < 2; time += 1) {
    const answers = await own.askAll(inquiry, 5000, signal);
    expect(answers.map(([one]) => one?.ok)).toEqual([false, true, false]);
  }
  expect(asked).toEqual(['hangs.mjs', 'works.mjs', 'works.mjs', 'hangs-too.mjs', 'works.mjs']);
});
