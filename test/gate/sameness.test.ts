/** One decision answers several gates only where a reviewer would read exactly the same again. */
import { describe, expect, test } from 'vitest';
import { groupGates, gateSameness, type BatchGate } from '../../src/gate/sameness.ts';
import { reviewPack } from '../report/review-pack.ts';

function gate(run: string, parts: Partial<BatchGate> = {}): BatchGate {
  const pack = reviewPack({ run, round: 2 });
  return {
    run,
    dir: `/runs/${run}`,
    gate: 'HITL-1.r2',
    digest: 'design-a',
    scenarioDigest: 's',
    pack,
    baseByPerson: true,
    ...parts,
  };
}
const read = gate('a');

describe('two gates', () => {
  test('read the same when the designs are the same', () => {
    expect(gateSameness(read, gate('b'))).toBe('same design');
  });

  test('read the same when people approved both bases and the change is the same', () => {
    expect(gateSameness(read, gate('b', { digest: 'design-b' }))).toBe('same change');
    expect(gateSameness(read, gate('b', { digest: 'design-b', baseByPerson: false }))).toBeUndefined();
    expect(gateSameness(gate('a', { baseByPerson: false }), gate('b', { digest: 'design-b' }))).toBeUndefined();
  });

  test('differ when anything differs that a reviewer reads', () => {
    const { pack } = gate('b');
    const other = (parts: Partial<typeof pack>) => gate('b', { pack: { ...pack, ...parts } });
    expect(gateSameness(read, other({ summary: 'another reason' }))).toBeUndefined();
    expect(gateSameness(read, other({ questions: ['and gift cards?'] }))).toBeUndefined();
    expect(gateSameness(read, other({ checks: [{ name: 'schema', ok: false, detail: '' }] }))).toBeUndefined();
    expect(gateSameness(read, other({ scenario: 'other' }))).toBeUndefined();
    expect(gateSameness(read, gate('b', { scenarioDigest: 'edited brief' }))).toBeUndefined();
    const { since } = pack;
    const changed = { ...pack, since: { ...since, diff: `${since.diff}\n+1` } };
    expect(gateSameness(read, gate('b', { digest: 'design-b', pack: changed }))).toBeUndefined();
  });

  test('of first rounds have no approved base, so only the same design is the same', () => {
    const { pack } = gate('b');
    const first = { ...pack, since: { round: null, rules: [], format: [], diff: '' } };
    expect(gateSameness(gate('a', { pack: first }), gate('b', { pack: first }))).toBe('same design');
    expect(gateSameness(gate('a', { pack: first }), gate('b', { pack: first, digest: 'design-b' }))).toBeUndefined();
  });

  test('are grouped so that each group is read once', () => {
    const odd = gate('c', { scenarioDigest: 'x' });
    expect(groupGates([read, odd, gate('b')]).map((group) => group.map(({ run }) => run))).toEqual([['a', 'b'], ['c']]);
  });
});
