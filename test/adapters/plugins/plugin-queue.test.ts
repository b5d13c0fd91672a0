/** A queue of a plugin: the same rules as any shared queue, and the plugin only says who holds what. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openPluginQueue, type PluginQueueOptions } from '../../../src/adapters/plugins/plugin-queue.ts';
import { queueItemsCases } from '../../../src/app/contracts/queue-items-cases.ts';
import { queueOf } from '../../../src/app/testing.ts';
import type { QueueItem, QueueItems } from '../../../src/ports/plugins/plugins.ts';
import { jobQueueContract } from '../../contracts/job-queue.contract.ts';

/** Items in memory, as two processes share them; those of examples/own-store pass the same in test/slow/own-plugins.test.ts. */
function memory(): QueueItems & { all: Map<string, Row> } {
  const all = new Map<string, Row>();
  const held = (hold: string): [string, Row] | undefined =>
    [...all].find(([, row]) => row.hold === hold && row.until > Date.now());
  return {
    all,
    put: (item) => {
      const name = `${item.lane} ${item.key}`;
      const row = all.get(name);
      if (row !== undefined && row.until > Date.now()) row.again = item;
      else all.set(name, { item, starts: row?.starts ?? 0, hold: '', until: 0 });
    },
    take: (lanes, holdMs) => {
      const free = [...all.values()].filter(({ item, until }) => until <= Date.now() && lanes.includes(item.lane));
      const row = free.toSorted((one, other) => one.item.order - other.item.order)[0];
      if (row === undefined) return undefined;
      Object.assign(row, { hold: randomUUID(), until: Date.now() + holdMs, starts: row.starts + 1 });
      const { lane, key, pointer } = row.item;
      return { lane, key, pointer, hold: row.hold, starts: row.starts };
    },
    renew: (hold, holdMs) => {
      const found = held(hold);
      if (found !== undefined) found[1].until = Date.now() + holdMs;
      return found !== undefined;
    },
    done: (hold) => {
      const [name, row] = held(hold) ?? [];
      if (name === undefined || row === undefined) return;
      if (row.again === undefined) all.delete(name);
      else all.set(name, { item: row.again, starts: 0, hold: '', until: 0 });
    },
    list: () =>
      [...all.values()].map(({ item, until }) => ({ lane: item.lane, key: item.key, isHeld: until > Date.now() })),
  };
}
type Row = { item: QueueItem; starts: number; hold: string; until: number; again?: QueueItem };

jobQueueContract('items of a plugin', async () => queueOf(memory()));
describe('items in memory', () => {
  const cases = queueItemsCases(async () => {
    const items = memory();
    return { items, another: () => items };
  });
  for (const { title, run } of cases) test(title, run);
});

const OPTIONS: Omit<PluginQueueOptions, 'items'> = {
  shown: 'plugin:post',
  fault: (error) => error as Error,
  lanes: ['init', 'execute', 'samples'],
  concurrency: { init: 2, execute: 2, samples: 2 },
  ...{ tries: 3, minDelayMs: 0, holdMs: 30_000, mostStarts: 3 },
  onRetry: () => undefined,
  onGaveUp: async () => undefined,
  onNotice: () => undefined,
};

describe('what a worker does with the items', () => {
  test('a step of a model goes to a worker that serves it, with its lane and model', async () => {
    const items = memory();
    const queue = openPluginQueue({ ...OPTIONS, items });
    await queue.wake({ run: 'a', lane: 'execute', model: 'here/m', turn: { priority: 'high' } });
    await queue.wake({ run: 'b', lane: 'execute', model: 'elsewhere/m' });
    const seen = Promise.withResolvers<unknown>();
    queue.serve('execute', 'here/m');
    await queue.work(async (job) => seen.resolve(job));
    expect(await seen.promise).toEqual({ run: 'a', lane: 'execute', model: 'here/m', turn: { priority: 'high' } });
    await queue.close();
    expect(await queue.locateRun('b', { lane: 'execute', model: 'elsewhere/m' })).toMatchObject({ state: 'waiting' });
    expect(await queue.locateRun('a', { lane: 'execute', model: 'here/m' })).toMatchObject({ state: 'absent' });
  });

  test('trials are items of their own, each once while it waits', async () => {
    const items = memory();
    const queue = openPluginQueue({ ...OPTIONS, items });
    const trial = { attempt: 'execute.i1@w', sample: 's1', trial: 1 };
    await queue.trials.put('a', trial);
    await queue.trials.put('a', trial);
    await queue.trials.put('a', { ...trial, trial: 2 });
    expect(items.all.size).toBe(2);
    const played: unknown[] = [];
    await queue.work(async (job) => void played.push(job));
    await queue.idle();
    expect(played).toContainEqual({ run: 'a', lane: 'samples', trial, turn: {} });
    expect(played).toHaveLength(2);
    expect(queue.signs.tally().get('samples')).toMatchObject({ done: 2, running: 0 });
    await queue.close();
  });

  test('what was begun too often by workers that died is given up, with the job', async () => {
    const items = memory();
    const given: unknown[] = [];
    const onGaveUp: PluginQueueOptions['onGaveUp'] = async ({ run }, error) => void given.push(run, String(error));
    const dying = openPluginQueue({ ...OPTIONS, items });
    await dying.wake({ run: 'a' });
    for (const _ of [1, 2, 3]) {
      const held = await items.take([...new Set([...items.all.values()].map(({ item }) => item.lane))], 1);
      await expect.poll(() => items.renew(held?.hold ?? '', 1)).toBe(false);
    }
    const queue = openPluginQueue({ ...OPTIONS, items, onGaveUp });
    let handled = 0;
    await queue.work(async () => void (handled += 1));
    await expect(queue.idle()).rejects.toThrow('its workers died each time');
    expect([handled, given[0]]).toEqual([0, 'a']);
    await queue.close();
  });

  test('what is being done when it closes is offered to the next worker at once', async () => {
    const items = memory();
    const queue = openPluginQueue({ ...OPTIONS, items });
    const begun = Promise.withResolvers<void>();
    await queue.work(async (_job, signal) => {
      begun.resolve();
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    });
    await queue.wake({ run: 'a' });
    await begun.promise;
    await queue.close();
    expect([...(await items.list())]).toMatchObject([{ key: 'a', isHeld: false }]);
  });

  test('a plugin that throws is a fault of the infrastructure, named, and no times are its business', async () => {
    const items: QueueItems = {
      ...memory(),
      put: () => {
        throw new Error('plugins/post.mjs:7: the post is closed.');
      },
    };
    const queue = openPluginQueue({ ...OPTIONS, items });
    await expect(queue.wake({ run: 'a' })).rejects.toMatchObject({
      code: 'infrastructure',
      message: expect.stringContaining('The queue plugin:post: plugins/post.mjs:7: the post is closed.') as string,
    });
    const daily = { id: 'x', cron: '* * * * *', timeZone: 'UTC' };
    await expect(queue.schedules.set(daily)).rejects.toMatchObject({ code: 'usage' });
    await queue.close();
  });
});
