/** Components that name a tool of a server, called through a sandbox as the evaluation calls them. The hostile servers are in test/slow. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/scenario/json/json-value.ts';
import { openShop, setupOf, sumAfter } from '../../support/shop-server.ts';

test('a call gets the world and leaves it, as any tool does; what is refused by the server is a failed call', async () => {
  const { call } = await openShop(setupOf('good'));
  const added = await call({ tool: 'add', input: { by: 2 }, world: { shop: { sum: 5 }, rest: 1 } });
  expect(added).toMatchObject({ ok: true, value: '7', args: [{ by: 2 }, { shop: { sum: 7 }, rest: 1 }] });
  expect(added).not.toHaveProperty('is_error');
  const world = { shop: { sum: 5 } };
  const refused = await call({ tool: 'add', input: { by: 'x' }, world });
  expect(refused).toMatchObject({ ok: true, is_error: true, value: 'by must be a number' });
  expect(sumAfter(refused)).toEqual({ sum: 5 });
});

test('what a tool says of itself comes from the server, with a schema of any kind', async () => {
  const { describe } = await openShop(setupOf('good'));
  const odd = await describe('odd');
  expect(odd).toMatchObject({
    ok: true,
    value: {
      name: 'odd',
      description: 'odd Its input has exactly one of these forms: { a } or { b }.',
      input_schema: { type: 'object' },
    },
  });
  expect(await describe('fly')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/"shop" has no tool "fly".*add/),
  });
  expect(await describe('set_world')).toMatchObject({ ok: false, message: expect.stringContaining('sets or reads') });
});

test('each conversation begins with a reset, and has a server to itself', async () => {
  const { call } = await openShop(setupOf('good'));
  const lanes = Array.from({ length: 3 }, () => new AbortController());
  const play = async ({ signal: lane }: AbortController): Promise<unknown[]> => {
    const said: unknown[] = [];
    let world: JsonObject = { shop: { sum: 0 } };
    for (const tool of ['hidden', 'add', 'hidden', 'add']) {
      const outcome = await call({ tool, input: { by: 1 }, world, lane });
      if (!outcome.ok) return expect.fail(outcome.message);
      world = outcome.args[1] as JsonObject;
      said.push(outcome.value);
    }
    return said;
  };
  const each = ['1', '1', '2', '2'];
  expect(await Promise.all(lanes.map(play))).toEqual([each, each, each]);
  lanes.forEach((lane) => lane.abort());
  // The servers are used again, by conversations that know nothing of the first.
  expect(await play(new AbortController())).toEqual(each);
});
