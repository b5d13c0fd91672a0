import { expect, test } from 'vitest';
import { failFastSession, openSessions } from '../../../src/evaluation/components/open-sessions.ts';
import type { Sandbox, SandboxOutcome, OpenSandbox } from '../../../src/ports/sandbox.ts';

const { signal } = new AbortController();

/** Each call waits until it is let go, and tells which session it came to. */
function slowSandbox() {
  const pending: (() => void)[] = [];
  const seen = { opened: 0, closed: 0, calls: [] as number[] };
  const answerOf = async (own: number) => {
    seen.calls.push(own);
    await new Promise<void>((done) => pending.push(done));
    return { ok: true as const, value: own, args: [] };
  };
  const sandbox: Sandbox = {
    kind: 'fake',
    gaps: [],
    open: async () => {
      seen.opened += 1;
      const own = seen.opened;
      return {
        call: () => answerOf(own),
        askAll: async () => [[await answerOf(own)]],
        close: async () => void (seen.closed += 1),
      };
    },
  };
  return { sandbox, seen, letGo: () => pending.splice(0).forEach((done) => done()) };
}

const inquiry = { modules: ['checkers/b.mjs'], name: 'check', args: [], times: 2, timeoutMs: 1 };

test('one session serves until there is lasting work for two, and there is never a third', async () => {
  const { sandbox, seen, letGo } = slowSandbox();
  let time = 0;
  const sessions = await openSessions(sandbox, '/x', { now: () => time });
  const calls: Promise<unknown>[] = [];
  const ask = async (): Promise<void> => {
    calls.push(
      sessions.call({ module: 'tools/a.mjs', name: 'run', args: [], timeoutMs: 1 }, signal),
      sessions.askAll(inquiry, signal),
    );
    while (seen.calls.length < calls.length) await Promise.resolve();
  };
  for (let turn = 0; turn < 10; turn += 1) await ask();
  expect(seen.opened, 'many at once are not lasting').toBe(1);
  time = 1000;
  for (let turn = 0; turn < 10; turn += 1) await ask();
  expect(seen.opened).toBe(2);
  expect(seen.calls.filter((own) => own === 2)).toHaveLength(20);
  time = 9000;
  for (let turn = 0; turn < 10; turn += 1) await ask();
  expect(seen.opened).toBe(2);
  letGo();
  await Promise.all(calls);
  await sessions.close();
  expect(seen.closed).toBe(2);
});

test('a session that was idle in between is not at work for long', async () => {
  const { sandbox, seen, letGo } = slowSandbox();
  let time = 0;
  const sessions = await openSessions(sandbox, '/x', { now: () => time });
  for (let turn = 0; turn < 5; turn += 1) {
    const calls = Array.from({ length: 8 }, () => sessions.askAll(inquiry, signal));
    while (seen.calls.length < 8 * (turn + 1)) await Promise.resolve();
    letGo();
    await Promise.all(calls);
    time += 1000;
  }
  expect(seen.opened).toBe(1);
});

const LATE: SandboxOutcome = { ok: false, kind: 'timeout', message: 'no answer within 5000 ms' };

/** Modules whose name begins with `hangs` never answer; every module that is asked is noted. */
function hangingSession(): { asked: string[]; session: OpenSandbox } {
  const asked: string[] = [];
  const answer = (module: string): SandboxOutcome => {
    asked.push(module);
    return module.startsWith('hangs') ? LATE : { ok: true, value: 1, args: [] };
  };
  return {
    asked,
    session: failFastSession({
      call: async ({ module }) => answer(module),
      askAll: async ({ modules }) => modules.map((module) => [answer(module)]),
      close: async () => undefined,
    }),
  };
}

test('a module that never ended is not asked again, and says so; others are', async () => {
  const { asked, session: own } = hangingSession();
  const call = (module: string) => own.call({ module, name: 'run', args: [], timeoutMs: 5000 }, signal);
  expect(await call('hangs.mjs')).toEqual(LATE);
  expect(await call('hangs.mjs')).toEqual({ ...LATE, message: 'no answer within 5000 ms, and was not called again' });
  expect(await call('works.mjs')).toMatchObject({ ok: true });
  const both = { modules: ['hangs.mjs', 'works.mjs', 'hangs-too.mjs'], name: 'check', args: [], times: 1 };
  for (let time = 0; time < 2; time += 1) {
    const answers = await own.askAll({ ...both, timeoutMs: 5000 }, signal);
    expect(answers.map(([one]) => one?.ok)).toEqual([false, true, false]);
  }
  expect(asked).toEqual(['hangs.mjs', 'works.mjs', 'works.mjs', 'hangs-too.mjs', 'works.mjs']);
});
