/** Workers show themselves in the project's folder, and are asked there to take nothing more. */
import { expect, test } from 'vitest';
import { announceWorker, askToDrain, drainAsked, seenWorkers } from '../../src/worker/presence.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { scratch, tickingClock } from '../support/scratch.ts';

test('who was asked to drain is seen to be draining until it leaves, and learns of it', async () => {
  const [shared, clock] = [openSharedFiles(await scratch()), tickingClock()];
  const about = { program: '0.1.0', lanes: ['init'] };
  const leaving = announceWorker(shared, { ...about, worker: 'leaving' }, clock);
  await leaving.renew();
  await announceWorker(shared, { ...about, worker: 'staying' }, clock).renew();
  await askToDrain(shared, 'leaving');
  await drainAsked(shared, 'leaving', new AbortController().signal);
  const states = async () =>
    Object.fromEntries((await seenWorkers(shared, clock)).map(({ worker, isDraining }) => [worker, isDraining]));
  expect(await states()).toEqual({ leaving: true, staying: false });
  await leaving.leave();
  expect(await states()).toEqual({ staying: false });
});
