import { describe, expect, test } from 'vitest';
import { fillNames, findPlaces, findUnframed, readTrial, type PlayedTrial } from '../../../src/scenario/cases/read-trial.ts';

const BEFORE = {
  loans: { L1: { state: 'out', times: 1 }, L2: { state: 'out', times: 0 } },
  charges: [{ loan: 'L2', kind: 'late', cents: 100 }],
  notes: ['old'],
};
const TRIAL: PlayedTrial = {
  before: BEFORE,
  after: {
    loans: { L1: { state: 'back', times: 3 }, L2: { state: 'out', times: 0 } },
    charges: [
      { loan: 'L1', kind: 'late', cents: 800 },
      { loan: 'L2', kind: 'late', cents: 100 },
      { loan: 'L1', kind: 'damage', cents: 4500 },
    ],
    notes: [],
  },
  calls: [
    { tool: 'read', input: { loan: 'L1' }, output: { ok: true } },
    { tool: 'identify', input: {}, output: { ok: false } },
    { tool: 'identify', input: {}, output: { ok: true } },
    { tool: 'read', input: { loan: 'L1' }, output: { ok: true } },
    { tool: 'read', input: { loan: 'L1' }, output: {}, by: 'user' },
  ],
  names: { loan: 'L1', count: 3 },
};

test('what was added is what was not there before, wherever it stands in its list', () => {
  const late = { loan: '{loan}', kind: 'late' };
  expect(readTrial({ added: '/charges' }, TRIAL)).toEqual({ read: [2] });
  expect(readTrial({ added: '/charges', where: late, sum: 'cents' }, TRIAL)).toEqual({ read: [800] });
  expect(readTrial({ added: '/charges', field: 'kind' }, TRIAL)).toEqual({ read: ['late', 'damage'] });
  expect(readTrial({ added: ['/charges', '/notes'], where: { kind: ['damage', 'other'] } }, TRIAL)).toEqual({ read: [1] });
  const twice = { ...TRIAL, after: { ...BEFORE, charges: [...BEFORE.charges, ...BEFORE.charges] } };
  expect(readTrial({ added: '/charges', sum: 'cents' }, twice)).toEqual({ read: [100] });
});

test('what was removed and what was changed are read too, sums as differences', () => {
  expect(readTrial({ removed: '/notes', where: { value: 'old' } }, TRIAL)).toEqual({ read: [1] });
  expect(readTrial({ changed: '/loans/*' }, TRIAL)).toEqual({ read: [1] });
  expect(readTrial({ changed: '/loans/{loan}', sum: 'times' }, TRIAL)).toEqual({ read: [2] });
  expect(readTrial({ changed: '/loans/{loan}/times', sum: 'value' }, TRIAL)).toEqual({ read: [2] });
  expect(readTrial({ changed: '/loans/L2', field: 'state' }, TRIAL)).toEqual({ read: [] });
  expect(readTrial({ at: '/loans/{loan}/state' }, TRIAL)).toEqual({ read: ['back'] });
  expect(readTrial({ changed: '/loans/*', where: { times: '{count}' } }, TRIAL)).toEqual({ read: [1] });
});

test('calls of the subject are counted by arguments, answers and order', () => {
  expect(readTrial({ calls: 'read' }, TRIAL)).toEqual({ read: [2] });
  expect(readTrial({ calls: ['read'], where: { loan: 'L9' } }, TRIAL)).toEqual({ read: [0] });
  const identified = { tool: 'identify', answers: { ok: true } };
  expect(readTrial({ calls: 'read', before: identified }, TRIAL)).toEqual({ read: [1] });
  expect(readTrial({ calls: 'read', after: identified }, TRIAL)).toEqual({ read: [1] });
  expect(readTrial({ calls: 'identify', before: 'read' }, TRIAL)).toEqual({ read: [0] });
});

test('a name that the sample does not give is named', () => {
  expect(readTrial({ at: '/members/{member}/kind' }, TRIAL)).toEqual({ missing: 'member' });
  expect(fillNames('/loans/{loan}', { loan: 'a/b' })).toBe('/loans/a~1b');
});

describe('a frame', () => {
  test('names the first place that it does not allow', () => {
    expect(findUnframed(['/charges', '/notes', '/loans/{loan}'], TRIAL)).toBeUndefined();
    expect(findUnframed(['/charges', '/notes', '/loans/*/state'], TRIAL)).toBe('/loans/L1/times');
    expect(findUnframed(['/notes'], TRIAL)).toMatch(/^\/loans\/L1/);
  });

  test('places of every key are found', () => {
    expect(findPlaces(BEFORE, '/loans/*/times').map(({ path, value }) => [path, value])).toEqual([
      ['/loans/L1/times', 1],
      ['/loans/L2/times', 0],
    ]);
  });
});
