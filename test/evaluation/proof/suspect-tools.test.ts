import { describe, expect, test } from 'vitest';
import type { GoldRun } from '../../../src/evaluation/proof/gold-runs.ts';
import { suspectTools } from '../../../src/evaluation/proof/suspect-tools.ts';
import type { PatchOperation } from '../../../src/scenario/sample.ts';
import type { StateDifference } from '../../../src/scenario/result.ts';
import { lampsDesign } from '../lamps.ts';

const format = lampsDesign().format;
const write = (path: string, value: unknown): PatchOperation => ({ op: 'replace', path, value });

function run(
  sample: string,
  change: PatchOperation[],
  differences: StateDifference[],
  more: Partial<GoldRun> = {},
): GoldRun {
  const call = { step: 1, tool: 'switch_lamp', input: { id: 'hall', on: true }, output: {}, is_error: false, change };
  const before = { lamps: { hall: { on: false, watts: 40 } } };
  return {
    sample,
    gold: { before, after: {}, calls: [call], says: [], stop: 'done' },
    differences,
    rejected: false,
    ...more,
  };
}
const suspects = (runs: GoldRun[], changed: string[] = ['switch_lamp']) =>
  suspectTools(runs, format, new Set(changed)).map(({ problem, samples }) => [problem.component, ...samples]);

describe('a tool that should change the world', () => {
  const lost = [{ path: '/lamps/hall/on', expected: true, got: false }];

  test('and never does so is suspected of every gold path that ends wrong by it', () => {
    expect(suspects([run('a', [], lost), run('b', [], lost)], [])).toEqual([['switch_lamp', 'a', 'b']]);
  });

  test('is not suspected when an example or another gold path shows that it can', () => {
    expect(suspects([run('a', [], lost)])).toEqual([]);
    expect(suspects([run('a', [], lost), run('b', [write('/lamps/hall/on', true)], [])], [])).toEqual([]);
  });

  test('and a tool that only reads never is', () => {
    const read = run('a', [], lost);
    const [call] = read.gold.calls;
    if (call !== undefined) call.tool = 'read_lamp';
    expect(suspects([read], [])).toEqual([]);
  });
});

describe('a tool that writes what it was not given', () => {
  const wrong = (got: unknown): StateDifference[] => [{ path: '/lamps/hall/colour', expected: 'white', got }];
  const painted = (id: string, got: unknown) => run(id, [write('/lamps/hall/colour', got)], wrong(got));

  test('is suspected when two gold paths end wrong there', () => {
    expect(suspects([painted('a', 'mauve'), painted('b', 'mauve')])).toEqual([['switch_lamp', 'a', 'b']]);
  });

  test('is not suspected for one of them, which is the fault of the sample, unless a checker says so too', () => {
    expect(suspects([painted('a', 'mauve')])).toEqual([]);
    expect(suspects([{ ...painted('a', 'mauve'), rejected: true }])).toEqual([['switch_lamp', 'a']]);
  });

  test('is not suspected when the value came from its input or its world', () => {
    expect(suspects([painted('a', 'hall'), painted('b', 'hall')])).toEqual([]);
    expect(suspects([painted('a', 40), painted('b', 40)])).toEqual([]);
  });

  test('is not suspected when a gold path ends right where it wrote, whatever the id', () => {
    const right = run('c', [write('/lamps/hall/colour', 'mauve')], []);
    expect(suspects([painted('a', 'mauve'), painted('b', 'mauve'), right])).toEqual([]);
    const elsewhere = run('c', [write('/lamps/hall/on', true)], []);
    expect(suspects([painted('a', 'mauve'), painted('b', 'mauve'), elsewhere])).toHaveLength(1);
  });
});

describe('a tool that is wrong in one branch', () => {
  const right = run('b', [write('/lamps/hall/on', true)], []);
  const wrong: StateDifference[] = [{ path: '/lamps/hall/on', expected: true, got: false }];
  const branch = run('a', [write('/lamps/hall/on', false)], wrong, { rejected: true });

  test('is suspected though it is right elsewhere, when its checkers accept the expected end alone', () => {
    const unasked = { ...branch, gold: structuredClone(branch.gold) };
    for (const call of unasked.gold.calls) call.input = { id: 'hall' };
    expect(suspects([unasked, right])).toEqual([]);
    expect(suspects([{ ...unasked, isSeconded: true }, right])).toEqual([['switch_lamp', 'a']]);
  });

  test('is suspected alone when it writes another value than the one that gold gives it under that name', () => {
    expect(suspects([branch, right])).toEqual([['switch_lamp', 'a']]);
    expect(suspects([{ ...branch, isSeconded: true }, right])).toEqual([['switch_lamp', 'a']]);
  });

  test('is not suspected when gold itself gave it the wrong value', () => {
    const given = { ...branch, isSeconded: true, gold: structuredClone(branch.gold) };
    for (const call of given.gold.calls) call.input = { id: 'hall', on: false };
    expect(suspects([given, right])).toEqual([]);
  });
});

describe('a tool that refuses what a checker wants', () => {
  const refused = (amount: number, more: Partial<GoldRun> = {}): GoldRun => {
    const one = run('a', [], [{ path: '/charges/0', expected: { amount: 24 } }], { rejected: true, ...more });
    const [call] = one.gold.calls;
    if (call !== undefined) Object.assign(call, { input: { id: 'hall', amount }, output: { ok: false } });
    return one;
  };

  test('is suspected when the end names the amount that gold gives it', () => {
    expect(suspects([refused(24)])).toEqual([['switch_lamp', 'a']]);
    expect(suspects([refused(24, { rejected: false })])).toEqual([]);
  });

  test('is not suspected when gold asks for another amount than the end or the checkers name', () => {
    expect(suspects([refused(25)])).toEqual([]);
    const free = { differences: [], reasons: ['0 charged, expected 24'] };
    expect(suspects([refused(24, free)])).toEqual([['switch_lamp', 'a']]);
    expect(suspects([refused(25, free)])).toEqual([]);
  });
});

describe('a tool that leaves something undone', () => {
  const beside = [{ path: '/lamps/hall/on', expected: true, got: false }];

  test('is suspected when a checker says so too, and it wrote beside it', () => {
    const half = run('a', [write('/lamps/hall/watts', 0)], beside, { rejected: true });
    expect(suspects([half])).toEqual([['switch_lamp', 'a']]);
  });

  test('is not suspected without the checker, nor when it wrote the very thing, nor when it wrote elsewhere', () => {
    expect(suspects([run('a', [write('/lamps/hall/watts', 0)], beside)])).toEqual([]);
    const wrote = run('a', [write('/lamps/hall/on', false)], beside, { rejected: true });
    for (const call of wrote.gold.calls) call.input = { id: 'hall' };
    expect(suspects([wrote])).toEqual([]);
    expect(suspects([run('a', [write('/lamps/cellar/on', false)], beside, { rejected: true })])).toEqual([]);
  });
});

describe('a tool that does not write what the approved design names in its purpose', () => {
  const wanted: StateDifference[] = [{ path: '/lamps/hall/watts', expected: 60, got: 40 }];
  const purposes = (own: string, other = 'reads') =>
    lampsDesign({
      format: {
        tools: [
          { name: 'switch_lamp', purpose: own, changes_world: true },
          { name: 'read_lamp', purpose: other, changes_world: true },
        ],
      },
    }).format;
  const suspected = (runs: GoldRun[], own: string, other?: string) =>
    suspectTools(runs, purposes(own, other), new Set(['switch_lamp', 'read_lamp'])).map(({ problem }) => problem);
  const lit = (more: StateDifference[]) => run('a', [write('/lamps/hall/on', true)], more);

  test('is suspected by one gold path that ends wrong there: the design and the sample are two witnesses', () => {
    const [found] = suspected([lit(wanted)], 'Switches a lamp and sets its watts.');
    expect(found).toMatchObject({ layer: 2, code: 'tool-suspect', component: 'switch_lamp' });
  });

  test('is not suspected when the design names nothing of it, or names it for two tools of the path', () => {
    expect(suspected([lit(wanted)], 'Switches a lamp.')).toEqual([]);
    const both = lit(wanted);
    both.gold.calls.push({ ...both.gold.calls[0], step: 2, tool: 'read_lamp' } as (typeof both.gold.calls)[number]);
    expect(suspected([both], 'Sets watts.', 'Reads watts.')).toEqual([]);
  });

  test('is not suspected when it wrote there, in this path or in another, or when more is wrong than that', () => {
    const wrote = run('a', [write('/lamps/hall/watts', 50)], wanted);
    expect(suspected([wrote], 'Sets watts.')).toEqual([]);
    expect(suspected([lit(wanted), run('b', [write('/lamps/hall/watts', 60)], [])], 'Sets watts.')).toEqual([]);
    expect(suspected([lit([...wanted, { path: '/other', expected: 1 }])], 'Sets watts.')).toEqual([]);
  });
});
