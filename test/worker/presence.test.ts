/** Workers show themselves in the project's folder, and are asked there to take nothing more. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { announceWorker, askToDrain, drainAsked, seenWorkers } from '../../src/worker/presence.ts';
import { scratch, tickingClock } from '../support/scratch.ts';

test('who was asked to drain is seen to be draining until it leaves, and learns of it', async () => {
  const [folder, clock] = [await scratch(), tickingClock()];
  const about = { program: '0.1.0', lanes: ['init'] };
  const leaving = announceWorker(folder, { ...about, worker: 'leaving' }, clock);
  await leaving.renew();
  await announceWorker(folder, { ...about, worker: 'staying' }, clock).renew();
  await askToDrain(folder, 'leaving');
  await drainAsked(join(folder, 'leaving'), new AbortController().signal);
  const states = async () =>
    Object.fromEntries((await seenWorkers(folder, clock)).map(({ worker, isDraining }) => [worker, isDraining]));
  expect(await states()).toEqual({ leaving: true, staying: false });
  await leaving.leave();
  expect(await states()).toEqual({ staying: false });
});
