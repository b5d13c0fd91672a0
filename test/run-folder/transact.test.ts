/** Read, decide, append: of several writers each decides on what the others have appended. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { openSnapshot, transact } from '../../src/run-folder/snapshot.ts';
import type { EventBody } from '../../src/run/event.ts';
import { created, designDone, started } from '../support/run-events.ts';
import { scratch, tickingClock } from '../support/scratch.ts';

const REMINDED: EventBody = { type: 'gate.reminded', gate: 'HITL-1.r1' };

async function waiting(): Promise<RunFolder> {
  const root = await scratch();
  const store = openFileRunStore({ roots: [root], clock: tickingClock(), worker: 'w' });
  const run = await store.create(join(root, 'refund-desk'), 'run-1');
  for (const [length, { body, actor }] of [created(), started(), designDone(1)].entries())
    await run.journal.append(body, actor, length);
  return run;
}

test('appends what was chosen and resolves with the run before and after', async () => {
  const run = await waiting();
  const { before, after, event } = await transact(run, () => REMINDED, 'worker:clock');
  expect([before.events.length, after.events.length]).toEqual([3, 4]);
  expect(event).toMatchObject({ seq: 3, actor: 'worker:clock', body: REMINDED });
  expect(await openSnapshot(run)).toBe(after);
});

test('appends nothing when nothing is chosen', async () => {
  const run = await waiting();
  const { before, after, event } = await transact(run, () => undefined, 'worker:clock');
  expect([after, event]).toEqual([before, undefined]);
  expect(await run.journal.read()).toHaveLength(3);
});

test('lets every one of many writers decide again until its event is in', async () => {
  const run = await waiting();
  const seen: number[] = [];
  const remind = async (index: number) =>
    transact(
      run,
      ({ events }) => {
        seen.push(events.length);
        return REMINDED;
      },
      `worker:${index}`,
    );
  await Promise.all(Array.from({ length: 8 }, (_, index) => remind(index)));
  const { events, state } = await openSnapshot(run);
  expect(new Set(events.slice(3).map(({ actor }) => actor)).size).toBe(8);
  expect(state).toMatchObject({ status: 'awaiting_approval', gate: { reminders: 8 } });
  expect(seen.length).toBeGreaterThan(8);
});

test('writes nothing that does not fit the run, and throws what the decision throws', async () => {
  const run = await waiting();
  await expect(transact(run, () => ({ type: 'run.started' }), 'worker:a')).rejects.toMatchObject({
    code: 'event_refused',
  });
  const refusal = new Error('not now');
  await expect(transact(run, () => Promise.reject(refusal), 'worker:a')).rejects.toBe(refusal);
  expect(await run.journal.read()).toHaveLength(3);
});

test('a disk that fails is no race: it is thrown at once', async () => {
  const run = await waiting();
  let tries = 0;
  const append = () => {
    tries += 1;
    return Promise.reject(new Error('ENOSPC'));
  };
  await expect(transact({ ...run, journal: { ...run.journal, append } }, () => REMINDED, 'worker:a')).rejects.toThrow(
    'ENOSPC',
  );
  expect(tries).toBe(1);
});
