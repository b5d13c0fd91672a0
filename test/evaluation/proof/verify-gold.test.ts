import { describe, expect, test } from 'vitest';
import { turnOn } from '../lamps.ts';
import { linesOf, replacing, verify, withSample } from './verify-lamps.ts';

describe('rules that contradict each other', () => {
  // R1 wants every asked lamp on, R2 wants locked ones untouched; here the asked lamp is a locked one that is off.
  const torn = (more: object = {}) => ({
    ...turnOn,
    id: 'torn',
    covers: ['R1', 'R2'],
    start: { base: 'house', patch: [{ op: 'replace', path: '/lamps/hall/locked', value: true }] },
    checkers: ['as-asked', 'locked-untouched'],
    ...more,
  });
  const start = { base: 'house', patch: [{ op: 'add', path: '/lamps/hall', value: { on: false, locked: true } }] };

  test('are a problem of layer 1 that cites both and the sample: gold keeps one, the wrong path the other', async () => {
    const sample = torn({ start, wrong: [{ tool: 'read_lamp', args: { id: 'hall' } }], wrong_says: 'It is on.' });
    const { problems } = await verify(withSample('torn', sample));
    expect(problems).toEqual([
      {
        layer: 1,
        code: 'rules-contradict',
        component: 'R1, R2',
        sample: 'torn',
        message: expect.stringContaining('satisfies both R1 (checker as-asked) and R2 (checker locked-untouched)'),
      },
    ]);
  });

  test('are not claimed of a sample that is about one of the rules only: there the checker is to blame', async () => {
    const sample = torn({ start, covers: ['R1'], wrong: [{ tool: 'read_lamp', args: { id: 'hall' } }] });
    expect(linesOf(await verify(withSample('torn', sample)))).toEqual(['3 checker-rejects-gold locked-untouched torn']);
  });

  test('are not claimed when one known end keeps both', async () => {
    const sample = torn({
      start: { base: 'house', patch: [{ op: 'add', path: '/lamps/hall', value: { on: true, locked: true } }] },
      expect: { end_state: 'unchanged', must_say: [{ any: ['is on'] }] },
      gold: [{ tool: 'switch_lamp', args: { id: 'hall', on: true } }],
      wrong: [{ tool: 'read_lamp', args: { id: 'hall' } }],
      wrong_says: 'It is off.',
    });
    expect(linesOf(await verify(withSample('torn', sample)))).toEqual(['3 checker-rejects-gold locked-untouched torn']);
  });
});

describe('a gold path whose call is refused', () => {
  const porch = {
    ...turnOn,
    id: 'porch',
    start: { base: 'house.json', patch: [{ op: 'add', path: '/lamps/porch', value: { on: false } }] },
    user: { ...turnOn.user, knows: { wanted: 'porch' } },
    expect: { ...turnOn.expect, end_state: { patch: [{ op: 'replace', path: '/lamps/porch/on', value: true }] } },
    gold: [{ tool: 'switch_lamp', args: { id: 'porch', on: true } }],
    wrong: [{ tool: 'switch_lamp', args: { id: 'porch', on: false } }],
  };
  const guard = "if (id === 'hall' && lamp.on === false) return { ok: false, error: 'stuck' }; lamp.on = on;";
  const guarded = { 'tools/switch_lamp.mjs': replacing('lamp.on = on;', guard) };
  const refusal = 'switch_lamp {"id":"hall","on":true} answered {"ok":false,"error":"stuck"}';

  test('is the fault of the tool where the expected end and a checker want the call, and the call is named with its answer', async () => {
    const verification = await verify({ ...withSample('porch', porch), edits: guarded });
    expect(linesOf(verification)).toEqual(['2 tool-suspect switch_lamp']);
    expect(verification.problems[0]?.message).toContain(refusal);
  });

  test('is the fault of the tool where the end is free and a checker rejects it', async () => {
    const free = { ...turnOn, expect: { ...turnOn.expect, end_state: 'any' } };
    const files = { ...withSample('porch', porch).files, ...withSample('turn-on', free).files };
    expect(linesOf(await verify({ files, edits: guarded }))).toEqual(['2 tool-suspect switch_lamp']);
  });

  test('is the fault of the sample where no checker wants the call, and the call comes first', async () => {
    const checkers = ['locked-untouched'];
    const unseconded = { ...turnOn, covers: ['R2'], checkers };
    const files = { ...withSample('porch', porch).files, ...withSample('turn-on', unseconded).files };
    const { problems } = await verify({ files, edits: guarded });
    const fails = problems.find(({ code }) => code === 'gold-fails');
    expect(fails?.message).toMatch(/^samples\/turn-on\.json: tools\/switch_lamp\.mjs: step 2: switch_lamp/);
    expect(fails?.message).toContain(refusal);
  });
});
