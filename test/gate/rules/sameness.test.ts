/** One decision answers several gates only where a reviewer would read exactly the same again. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gateReading, gateSameness, groupGates, type GateReading } from '../../../src/gate/rules/sameness.ts';
import type { GateDecision } from '../../../src/gate/rules/gate.ts';
import type { ReviewPack } from '../../../src/gate/rules/review-pack.ts';
import { reviewPack } from '../../report/review-pack.ts';

const FILES = [
  { name: 'unified_scenario_design.md', before: 'a', after: 'a' },
  { name: 'business_rules.yaml', before: 'b', after: 'c' },
];
const DESIGN = 'design-a';

type Parts = {
  pack?: Partial<ReviewPack>;
  since?: Partial<ReviewPack['since']>;
  digest?: string;
  scenarioDigest?: string;
  by?: string;
  decision?: GateDecision['decision'];
};

function reading(parts: Parts = {}) {
  const { pack = {}, since = {}, digest = DESIGN, scenarioDigest = 's', by = 'user:ada', decision = 'approve' } = parts;
  const base = reviewPack({ designDigest: digest });
  const whole = { ...base, ...pack, since: { ...base.since, files: FILES, ...since } };
  const told = { gate: 'HITL-1.r1', digest: 'design-0', comment: '', via: 'page', nonce: 'n', ts: '' };
  const approved = { ...told, round: 1, decision, actor: by };
  return gateReading({ origin: { scenarioDigest }, decisions: [approved] }, whole, digest);
}
const other = (parts: Parts = {}): Parts => ({ digest: 'design-b', ...parts });
const sameness = (one: Parts, two: Parts) => gateSameness(reading(one), reading(two));

describe('two gates', () => {
  test('read the same when the designs are the same', () => {
    expect(sameness({}, {})).toBe('same design');
  });

  test('read the same when people approved both bases and the change is the same', () => {
    expect(sameness({}, other())).toBe('same change');
    expect(sameness({}, other({ by: 'policy:demo' }))).toBeUndefined();
    expect(sameness({ by: 'policy:demo' }, other())).toBeUndefined();
  });

  test('differ when anything differs that a reviewer reads', () => {
    expect(sameness({}, { pack: { summary: 'another reason' } })).toBeUndefined();
    expect(sameness({}, { pack: { questions: ['and gift cards?'] } })).toBeUndefined();
    expect(sameness({}, { pack: { checks: [{ name: 'schema', ok: false, detail: '' }] } })).toBeUndefined();
    expect(sameness({}, { pack: { scenario: 'other' } })).toBeUndefined();
    expect(sameness({}, { scenarioDigest: 'edited brief' })).toBeUndefined();
    expect(sameness({}, { since: { rules: [] } })).toBeUndefined();
    expect(sameness({}, other({ since: { diff: '+1' } }))).toBeUndefined();
  });

  test('differ when the words of earlier comments do, or whether they are addressed', () => {
    const said = { gate: 'HITL-1.r1', actor: 'user:ada', text: 'R4?', addressed: true, detail: '' };
    const commented = (more: Partial<typeof said>) => ({ pack: { comments: [{ ...said, ...more }] } });
    expect(sameness(commented({}), commented({}))).toBe('same design');
    expect(sameness(commented({}), commented({ text: 'R5?' }))).toBeUndefined();
    expect(sameness(commented({}), commented({ addressed: false }))).toBeUndefined();
  });

  test('differ when the same lines change in another file, or when no line is shown', () => {
    const elsewhere = FILES.map(({ name, before }) => ({ name, before, after: name.endsWith('.md') ? 'c' : before }));
    expect(sameness({}, other({ since: { files: elsewhere } }))).toBeUndefined();
    expect(sameness({ since: { diff: '' } }, other({ since: { diff: '' } }))).toBeUndefined();
  });

  test('of earlier versions differ when the change from the same round does', () => {
    const old = { files: undefined, round: 1 };
    expect(sameness({ since: old }, { since: { ...old, diff: '+1' } })).toBeUndefined();
    expect(sameness({ since: old }, { since: { ...old, round: 2 } })).toBeUndefined();
  });

  test('have an approved base only where a person approved the very round that the change is from', () => {
    expect(sameness({ since: { round: 2 } }, other({ since: { round: 2 } }))).toBeUndefined();
    const decided = (decision: 'edit_approve' | 'request_changes') => ({ decision });
    expect(sameness(decided('edit_approve'), other(decided('edit_approve')))).toBe('same change');
    expect(sameness(decided('request_changes'), other(decided('request_changes')))).toBeUndefined();
  });

  test('of first rounds have no approved base, so only the same design is the same', () => {
    const first = { round: null, rules: [], format: [], diff: '', files: undefined };
    expect(sameness({ since: first }, { since: first })).toBe('same design');
    expect(sameness({ since: first }, other({ since: first }))).toBeUndefined();
  });

  test('whose difference was not computed in full are not the same, however alike the texts are', () => {
    const cut = { diffIncomplete: true as const, diff: 'more than 1200 lines differ' };
    expect(sameness({ since: cut }, other({ since: cut }))).toBeUndefined();
    expect(sameness({}, other({ since: { diffIncomplete: true } }))).toBeUndefined();
  });

  test('of earlier versions, whose packs name no files, are the same as the same design only', () => {
    expect(sameness({ since: { files: undefined } }, { since: { files: undefined } })).toBe('same design');
    expect(sameness({ since: { files: undefined } }, other({ since: { files: undefined } }))).toBeUndefined();
  });

  test('are not the same when the design was edited since the pack was frozen', () => {
    const edited = (digest: string) => {
      const pack = reviewPack({ designDigest: 'as-handed-in' });
      return { digest, pack: { ...pack, since: { ...pack.since, files: FILES } } };
    };
    expect(sameness(edited('edit-1'), edited('edit-2'))).toBeUndefined();
    expect(sameness(edited('edit-1'), edited('edit-1'))).toBe('same design');
  });

  test('of the same design on another base are not the same: the reader would read another change', () => {
    const moved = FILES.map((file) => ({ ...file, before: `${file.before}-moved` }));
    expect(sameness({}, { since: { files: moved, diff: '+1' } })).toBeUndefined();
  });

  test('are grouped so that each group is read once, in the order given', () => {
    const named = (run: string, parts: Parts) => ({ run, reading: reading(parts) });
    const gates = [named('a', {}), named('odd', { scenarioDigest: 'x' }), named('b', {}), named('c', other())];
    expect(groupGates(gates).map((group) => group.map(({ run }) => run))).toEqual([['a', 'b', 'c'], ['odd']]);
  });
});

describe('for all changes', () => {
  const digest = fc.constantFrom('d1', 'd2', 'd3');
  const file = (name: string) => fc.record({ name: fc.constant(name), before: digest, after: digest });
  const parts: fc.Arbitrary<Parts> = fc.record({
    digest: fc.constantFrom('design-a', 'design-b', 'design-c'),
    by: fc.constantFrom('user:ada', 'policy:demo'),
    since: fc.record({
      round: fc.constantFrom(1, null),
      diff: fc.constantFrom('', '+one', '+two'),
      diffIncomplete: fc.constantFrom(true as const, undefined),
      files: fc.option(fc.tuple(file('rules'), file('format')), { nil: undefined }),
    }),
  });

  test('sameness is reflexive and symmetric', () => {
    fc.assert(
      fc.property(parts, parts, (one, two) => {
        expect(gateSameness(reading(one), reading(one))).toBe('same design');
        expect(sameness(one, two)).toBe(sameness(two, one));
      }),
    );
  });

  test('another design is the same only where the change is whole and equal, byte by byte', () => {
    fc.assert(
      fc.property(parts, parts, (one, two) => {
        if (one.digest === two.digest || sameness(one, two) === undefined) return;
        for (const { since, by } of [one, two]) {
          expect([since?.diffIncomplete, since?.files === undefined, by]).toEqual([undefined, false, 'user:ada']);
          expect(since?.diff).not.toBe('');
        }
        expect(one.since?.diff).toBe(two.since?.diff);
      }),
    );
  });

  test('gates in one group are all the same as its first', () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (many) => {
        const gates = many.map((one): { reading: GateReading } => ({ reading: reading(one) }));
        const groups = groupGates(gates);
        expect(groups.flat()).toHaveLength(gates.length);
        for (const [first, ...rest] of groups)
          for (const { reading: one } of rest)
            expect(first === undefined ? undefined : gateSameness(first.reading, one)).toBeDefined();
      }),
    );
  });
});
