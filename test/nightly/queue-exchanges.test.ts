/**
 * A queue on PostgreSQL loses one exchange with its server: what was under way goes on, and people read what happened.
 * Its small sibling in CI: test/slow/store-exchanges.test.ts.
 */
import { expect, test } from 'vitest';
import { openBullmqQueue, type SharedQueue } from '../../src/adapters/bullmq/bullmq-queue.ts';
import { FAULTS, useFaultProxy } from '../support/postgres-faults.ts';

const used = useFaultProxy();

const gaveUp: string[] = [];
function open(space: string): Promise<SharedQueue> {
  return openBullmqQueue({
    address: { kind: 'postgres', url: used.url, shown: 'postgres://test', space },
    lanes: ['init'],
    concurrency: { init: 1, execute: 1, samples: 1 },
    tries: 3,
    minDelayMs: 0,
    ...{ lockMs: 30_000, stalledMs: 30_000, mostStarts: 6 },
    atOnce: { init: 0, execute: 0, samples: 0 },
    onRetry: () => undefined,
    onGaveUp: async ({ run }) => void gaveUp.push(run),
    onNotice: () => undefined,
  });
}

test.each([...FAULTS])('opening, and the first job of a batch, wait through each exchange: %s', async (fault) => {
  const space = `opening_${FAULTS.indexOf(fault)}`;
  let asked = 1;
  for (let at = 1; at <= asked; at += 3) {
    used.proxy.breakAt(at, fault);
    const queue = await open(space);
    let played = 0;
    await queue.work(async () => void (played += 1));
    await queue.wake({ run: `run-${at}` });
    await queue.idle();
    expect([at, played >= 1]).toEqual([at, true]);
    asked = Math.min(30, used.proxy.asked().length);
    await queue.close();
  }
});

test('a job that its worker gives back in this moment is offered again', async () => {
  const queue = await open('handed_back');
  let times = 0;
  await queue.work(async () => {
    times += 1;
    if (times > 1) return undefined;
    // The record of it is in a queue of its own, which is opened now.
    used.proxy.breakAt(/^COMMIT$/, 'reset before');
    return { worker: 'a', why: 'no model here' };
  });
  await queue.wake({ run: 'run-1' });
  await queue.idle();
  expect({ times, gaveUp }).toEqual({ times: 2, gaveUp: [] });
  await queue.close();
});
