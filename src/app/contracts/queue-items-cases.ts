/** The rules for queue items shared by processes: one process takes each, and items of dead processes are offered again. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { HeldItem, QueueItem, QueueItems } from '../../ports/plugins/plugins.ts';
import { assertLike, createCases, type Checks, type ContractCase } from './contract-case.ts';

/** `another` opens the items as another process does. */
export type ItemsUnderTest = { items: QueueItems; another: () => QueueItems | Promise<QueueItems> };

const LONG_MS = 60_000;
const SHORT_MS = 50;
const item = (key: string, more: Partial<QueueItem> = {}): QueueItem => ({
  ...{ lane: 'tandem-init', key, order: 1, pointer: `{"run":"${key}"}` },
  ...more,
});
const LANES = ['tandem-init'];

async function takeItem(items: QueueItems, holdMs = LONG_MS): Promise<HeldItem> {
  const held = await items.take(LANES, holdMs);
  assert.ok(held !== undefined, 'something waits');
  return held;
}

const CHECKS: Checks<ItemsUnderTest> = {
  'what is put is taken as it was put, by one process, until it is done': async ({ items, another }) => {
    const other = await another();
    assert.equal(await items.take(LANES, LONG_MS), undefined);
    await items.put(item('a', { pointer: '{"run":"ä „a“"}' }));
    const held = await takeItem(other);
    assertLike(held, { lane: 'tandem-init', key: 'a', pointer: '{"run":"ä „a“"}', starts: 1 });
    assert.equal(await items.take(LANES, LONG_MS), undefined);
    assert.deepEqual([...(await items.list())], [{ lane: 'tandem-init', key: 'a', isHeld: true }]);
    await other.done(held.hold);
    assert.deepEqual([...(await items.list())], []);
  },
  'many that take at once get each item once': async ({ items, another }) => {
    const other = await another();
    const keys = Array.from({ length: 20 }, (_, index) => `k${String(index).padStart(2, '0')}`);
    for (const key of keys) await items.put(item(key));
    const found = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => (index % 2 === 0 ? items : other).take(LANES, LONG_MS)),
    );
    assert.deepEqual(found.flatMap((held) => held?.key ?? []).toSorted(), keys);
  },
  'two of one key that wait are one, the later; another lane is another item': async ({ items }) => {
    await items.put(item('a', { pointer: 'first' }));
    await items.put(item('a', { pointer: 'second' }));
    await items.put(item('a', { lane: 'tandem-execute', pointer: 'elsewhere' }));
    assert.equal((await takeItem(items)).pointer, 'second');
    assert.equal(await items.take(LANES, LONG_MS), undefined);
    assert.equal((await items.take(['tandem-other', 'tandem-execute'], LONG_MS))?.pointer, 'elsewhere');
  },
  'the lowest order goes first': async ({ items }) => {
    for (const [key, order] of [
      ['b', 20],
      ['c', 1_000_000],
      ['a', 3],
    ] as const)
      await items.put(item(key, { order }));
    const keys = [await takeItem(items), await takeItem(items), await takeItem(items)].map(({ key }) => key);
    assert.deepEqual(keys, ['a', 'b', 'c']);
  },
  'what is put again while it is held is offered again when it is done, and not before': async ({ items }) => {
    await items.put(item('a', { pointer: 'first' }));
    const held = await takeItem(items);
    await items.put(item('a', { pointer: 'second' }));
    assert.equal(await items.take(LANES, LONG_MS), undefined);
    await items.done(held.hold);
    const again = await takeItem(items);
    assert.deepEqual([again.pointer, again.starts], ['second', 1]);
  },
  'a hold that nobody renews is over: another gets the item, and who had it can do nothing with it': async ({
    items,
    another,
  }) => {
    const other = await another();
    await items.put(item('a'));
    const dead = await takeItem(items, SHORT_MS);
    await delay(2 * SHORT_MS);
    const next = await takeItem(other);
    assert.deepEqual([next.key, next.starts], ['a', 2]);
    assert.equal(await items.renew(dead.hold, LONG_MS), false);
    await items.done(dead.hold);
    assert.equal((await items.list()).length, 1);
    assert.equal(await other.renew(next.hold, LONG_MS), true);
    await other.done(next.hold);
    assert.equal(await other.renew(next.hold, LONG_MS), false);
  },
  'a hold that is renewed goes on': async ({ items, another }) => {
    await items.put(item('a'));
    const held = await takeItem(items, SHORT_MS);
    if (await items.renew(held.hold, LONG_MS)) {
      await delay(2 * SHORT_MS);
      assert.equal(await (await another()).take(LANES, LONG_MS), undefined);
    }
  },
};

export function queueItemsCases(open: () => Promise<ItemsUnderTest>): ContractCase[] {
  return createCases(CHECKS, open);
}
