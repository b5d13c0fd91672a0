import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { RunFolder, RunStore } from '../../../src/ports/run-store.ts';
import { findWaitingGate } from '../../../src/web/read/find-waiting-gate.ts';
import { useDesk } from '../use-desk.ts';

const desk = useDesk();
let run: RunFolder;
let opened: number;
let store: RunStore;
beforeEach(async () => {
  run = await desk.waiting('run-1');
  opened = 0;
  store = {
    ...desk.store,
    open: (name) => {
      opened += 1;
      return desk.store.open(name);
    },
  };
});

const settle = () => utimes(join(run.dir, 'events'), new Date('2026-01-01'), new Date('2026-01-01'));

test('a journal that has rested is read once, and again when an event has come', async () => {
  await settle();
  const first = await findWaitingGate(run.dir, store);
  expect(first.waits?.state.gate.id).toBe('HITL-1.r1');
  expect(await findWaitingGate(run.dir, store)).toBe(first);
  expect(opened).toBe(1);
  await run.journal.append({ type: 'run.cancelled', detail: '' }, 'user:ada', 3);
  expect(await findWaitingGate(run.dir, store)).toEqual({ isOver: true });
  expect(opened).toBe(2);
});

test('a journal that has changed a moment ago is read each time: two events may share one time', async () => {
  await findWaitingGate(run.dir, store);
  await findWaitingGate(run.dir, store);
  expect(opened).toBe(2);
});

test('a run that cannot be read is looked at again each time, for somebody may mend it', async () => {
  await settle();
  const broken: RunStore = { ...store, open: (name) => store.open(`${name}-not-there`) };
  expect((await findWaitingGate(run.dir, broken)).why).toBeDefined();
  await findWaitingGate(run.dir, broken);
  expect(opened).toBe(2);
});
