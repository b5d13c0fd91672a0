import { describe, expect, test } from 'vitest';
import { lockedLamp, turnOn } from '../lamps.ts';
import { type Change, linesOf, replacing, turnOnWith, verify, withSample } from './verify-lamps.ts';

describe('samples', () => {
  test.each<[string, Change, string]>([
    [
      'a gold input that the tool refuses',
      turnOnWith({ gold: [{ tool: 'switch_lamp', args: { id: 'hall', on: 'yes' } }] }),
      '4 gold-invalid turn-on turn-on',
    ],
    [
      'a gold path that ends elsewhere',
      turnOnWith({ gold: [{ tool: 'switch_lamp', args: { id: 'cellar', on: false } }] }),
      '4 gold-fails turn-on turn-on',
    ],
    [
      'gold words that are not those which must be said',
      turnOnWith({ gold_says: 'Done.' }),
      '4 gold-fails turn-on turn-on',
    ],
    [
      'a sample that doing nothing passes',
      withSample('locked-lamp', { ...lockedLamp, expect: { end_state: 'unchanged' } }),
      '4 null-passes locked-lamp locked-lamp',
    ],
    ['a wrong path that passes', turnOnWith({ wrong: turnOn.gold }), '4 wrong-passes turn-on turn-on'],
  ])('%s is a problem of layer 4', async (_title, change, line) => {
    const verification = await verify(change);
    expect(linesOf(verification)).toContain(line);
    expect(verification.proofs.every((proof) => Object.values(proof).every((value) => value !== false))).toBe(false);
  });

  test('what a gold path lacks is said as a difference of states', async () => {
    const { problems } = await verify(turnOnWith({ gold: [] }));
    expect(problems[0]?.message).toContain('/lamps/hall/on: expected true, got false');
  });

  test('another end that is accepted is no mutant', async () => {
    const other = {
      patch: [...turnOn.expect.end_state.patch, { op: 'replace', path: '/lamps/cellar/on', value: false }],
    };
    const expect_ = { ...turnOn.expect, end_state: { any_of: [turnOn.expect.end_state, other, 'unchanged'] } };
    const verification = await verify(turnOnWith({ expect: expect_ }));
    expect(linesOf(verification)).toEqual([]);
  });
});

describe('checkers', () => {
  const edit = (from: string | RegExp, to: string): Change => ({
    edits: { 'checkers/as-asked.mjs': replacing(from, to) },
  });

  test.each<[string, Change, string[]]>([
    [
      'that accepts everything cannot fail',
      edit(/const pass = .*/, 'const pass = true;'),
      ['3 checker-cannot-fail as-asked'],
    ],
    [
      'that refuses the gold path',
      edit(/const pass = .*/, 'const pass = !after.lamps.hall.on;'),
      ['3 checker-rejects-gold as-asked turn-on'],
    ],
    ['that throws', edit(/const pass = .*/, 'throw new Error("no idea");'), ['3 checker-broken as-asked turn-on']],
    [
      'that throws when nothing was done',
      edit('check({ sample, after }) {', 'check({ sample, after, trace }) { trace.calls[0].step;'),
      ['3 checker-broken as-asked turn-on'],
    ],
    ['that answers nonsense', edit('return { pass,', 'return { passed: pass,'), ['3 checker-broken as-asked turn-on']],
    ['that answers by chance', edit("'it is on'", '`on ${Math.random()}`'), ['3 checker-broken as-asked turn-on']],
  ])('one %s', async (_title, change, lines) => {
    expect(linesOf(await verify(change))).toEqual(lines);
  });

  test.each<[string, string, string]>([
    ['rejects', "if (trace.calls.length > 2) return { pass: false, reason: 'too long' };", '3 checker-judges-path'],
    ['breaks on', 'if (trace.calls.length > 2) null.x;', '3 checker-broken'],
  ])(
    'one that %s a gold path in which something is looked up once more is remarked on, and stops nothing',
    async (_verb, line, told) => {
      const edits = {
        'checkers/as-asked.mjs': replacing('check({ sample, after }) {', `check({ sample, after, trace }) { ${line}`),
      };
      const { ok, remarks = [] } = await verify({ edits });
      expect(ok).toBe(true);
      expect(remarks.map(({ layer, code, component }) => `${layer} ${code} ${component}`)).toEqual([
        `${told} as-asked`,
      ]);
      expect(remarks[0]?.message).toContain('when read_lamp is called once more after step 1, which changes nothing');
    },
  );

  test('one that only a mutant can make fail is accepted', async () => {
    const picky = edit(
      /const pass = .*/,
      'const pass = after.lamps.hall.on || JSON.stringify(after).includes("changed") === false && after.lamps.cellar.on;',
    );
    const gold = [...turnOn.gold, { tool: 'switch_lamp', args: { id: 'cellar', on: false } }];
    const end = [...turnOn.expect.end_state.patch, { op: 'replace', path: '/lamps/cellar/on', value: false }];
    const sample = { ...turnOn, gold, expect: { ...turnOn.expect, end_state: { patch: end } } };
    expect(linesOf(await verify({ ...picky, ...withSample('turn-on', sample) }))).toEqual([]);
  });
});
