import { beforeEach, expect, test } from 'vitest';
import type { RunFolder, RunStore } from '../../../src/ports/run-store.ts';
import { getRunIndex } from '../../../src/run-folder/run-index.ts';
import { readState } from '../../../src/run-folder/snapshot.ts';
import { findWaitingGate } from '../../../src/web/read/open-gates.ts';
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

const look = async (from: RunStore = store) => {
  const { runs } = await getRunIndex(desk.store).look();
  const listed = runs.find(({ dir }) => dir === run.dir);
  if (listed === undefined) throw new Error('The run is not listed.');
  return findWaitingGate(listed, from);
};

test('a run is read once, and again when an event has come', async () => {
  const first = await look();
  expect(first.waits?.state.gate.id).toBe('HITL-1.r1');
  expect(await look()).toBe(first);
  expect(opened).toBe(1);
  await run.journal.append({ type: 'run.cancelled', detail: '' }, 'user:ada', 3);
  expect(await look()).toEqual({ isOver: true });
  expect(opened).toBe(2);
});

test('a run that is not on this disk is asked of its store', async () => {
  const { length } = await readState(run);
  const elsewhere: RunStore = { ...store, open: () => store.open(run.dir) };
  const looked = await findWaitingGate({ dir: '/not/on/this/disk', length }, elsewhere);
  expect(looked.waits?.state.gate.id).toBe('HITL-1.r1');
});

test('a run that cannot be read is looked at again each time, for somebody may mend it', async () => {
  const broken: RunStore = { ...store, open: (name) => store.open(`${name}-not-there`) };
  expect((await look(broken)).why).toBeDefined();
  await look(broken);
  expect(opened).toBe(2);
});
