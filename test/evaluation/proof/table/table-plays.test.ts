import { expect, test } from 'vitest';
import { varyGold } from '../../../../src/evaluation/proof/table/missed-demands.ts';
import type { TrialEvent, TrialRecord } from '../../../../src/evaluation/components/trial-record.ts';

const call = (tool: string, step: number): TrialEvent => ({
  type: 'call',
  step,
  tool,
  input: {},
  output: {},
  is_error: false,
  change: [],
});
const EVENTS = [call('identify', 1), call('read', 2), call('charge', 3)];
const GOLD: TrialRecord = {
  before: { charges: [], state: 'out' },
  after: { charges: [{ kind: 'late', cents: 800 }], state: 'back' },
  calls: [],
  says: [],
  events: EVENTS,
  stop: 'done',
};

test('every value that gold wrote is changed alone, left out, and written twice', () => {
  const plays = varyGold(GOLD);
  const worlds = plays.map(({ what, played }) => [what, played.after]);
  expect(worlds).toContainEqual([
    'with 801 at /charges/0/cents',
    { ...GOLD.after, charges: [{ kind: 'late', cents: 801 }] },
  ]);
  expect(worlds).toContainEqual(['without what it did at /state', { ...GOLD.after, state: 'out' }]);
  const [late] = GOLD.after['charges'] as object[];
  expect(worlds).toContainEqual(['with /charges/0 written twice', { ...GOLD.after, charges: [late, late] }]);
});

test('one call comes before or after all others, and the world stays', () => {
  const moved = varyGold(GOLD).filter(({ what }) => what.includes('other calls'));
  expect(moved.map(({ what, played }) => [what, played.calls.map(({ tool }) => tool).join(' ')])).toEqual([
    ['with identify after all other calls', 'read charge identify'],
    ['with read before all other calls', 'read identify charge'],
    ['with read after all other calls', 'identify charge read'],
    ['with charge before all other calls', 'charge identify read'],
  ]);
  expect(moved.every(({ played }) => played.after === GOLD.after)).toBe(true);
});
