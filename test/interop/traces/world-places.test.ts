import { expect, test } from 'vitest';
import { stageFor } from '../../../src/evaluation/components/call-tool.ts';
import { isPlain, learnPlaces, listFacts, resolvePlace } from '../../../src/interop/traces/world-places.ts';
import { openDesk } from './open-desk.ts';

const { signal } = new AbortController();

test('a place counts when another value there changes the answer; equal values elsewhere teach nothing', async () => {
  const { components, design, session } = await openDesk(signal);
  const plays = components.samples.map((loaded) => {
    const [id = ''] = Object.keys(loaded.world['loans'] as object);
    const loan = (loaded.world['loans'] as Record<string, object>)[id];
    // The same loan stands in the world once more, where no tool looks.
    const world = { ...loaded.world, archive: { [id]: loan } };
    const call = { tool: 'show_loan', args: { loan_id: id }, output: { known: true, loan }, is_error: false, world };
    const stage = { ...stageFor(loaded, components, { format: design.format, session }), worldSchema: undefined };
    return { calls: [call], stage };
  });
  const learned = await learnPlaces(plays, signal);
  const pointers = learned.map(({ tokens }) => tokens.filter((token) => !token.startsWith('{')).join('/'));
  expect(new Set(pointers)).toEqual(new Set(['loans/member', 'loans/title', 'loans/due', 'loans/renewals']));
});

test('a key that was told in two ways leads nowhere', () => {
  const show = (id: string) => ({ tool: 'show', args: { id }, output: { name: 'x' }, is_error: false });
  const facts = listFacts([show('a'), { ...show('b'), tool: 'other' }]);
  const place = { source: facts[0]?.source ?? '', tokens: ['all', `{${facts[1]?.source}}`, 'name'] };
  expect(facts[0] && resolvePlace(place, facts[0], facts)).toBe('/all/a/name');
  const twice = listFacts([{ ...show('z'), tool: 'first' }, show('a'), show('b')]);
  const name = { ...(twice[0] as (typeof twice)[number]), call: 0 };
  expect(resolvePlace(place, name, twice)).toBeUndefined();
});

test('values that say of nothing that it is there are plain', () => {
  expect([null, '', 0, 1, true, [], {}].every(isPlain)).toBe(true);
  expect(['a', 2, ['a'], { a: 1 }].some(isPlain)).toBe(false);
});
