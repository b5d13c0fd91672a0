/** What a compaction covers, keeps and shortens. */
import { describe, expect, test } from 'vitest';
import { planCompaction, view } from '../../../src/context/index.ts';
import { estimateText } from '../../../src/transcript/tokens.ts';
import { shortenText } from '../../../src/context/passes/shorten-long-results.ts';
import { busyLog, compact, coreWith, createLog, cutOf, policyWith } from '../../support/transcripts.ts';
import { imageOf, paddedPng } from '../../support/images.ts';

const core = coreWith();
const why = { reason: 'threshold' };

describe('the cut', () => {
  test('keeps at most N steps, the same N at every compaction (S0.5, S0.10)', () => {
    const log = busyLog(12, 1200);
    for (let round = 0; round < 3; round += 1) {
      expect(compact(log, core).receipt).toMatchObject({ stepsKept: 3 });
      for (let n = 0; n < 9; n += 1) log.step([{ result: 'more '.repeat(400) }]);
    }
    expect(cutOf(log.entries, coreWith({ keep: { steps: 5, maxTokens: 9000 } })).stepsKept).toBe(5);
  });

  test('one prompt with many steps can be cut inside its turn (T34)', () => {
    const log = busyLog(60, 1200);
    const cut = cutOf(log.entries, core);
    expect(cut).toMatchObject({ coversThrough: 'e115', keepsFrom: 'e116', stepsSummarised: 57, stepsKept: 3 });
  });

  test('what a person said between two steps is no step', () => {
    const log = busyLog(10, 800);
    log.human('mind the gift cards');
    log.step([{ result: 'x' }]);
    log.human('and the exchanges');
    log.step([{ result: 'y' }]);
    expect(cutOf(log.entries, core)).toMatchObject({ stepsKept: 3, keepsFrom: 'e20' });
  });

  test('waits while calls are open, and says for which (T7, S2.6)', () => {
    const log = busyLog(12);
    log.step([{ id: 'a', result: 'x' }, { id: 'b' }, { id: 'c' }]);
    expect(planCompaction(log.entries, core, why)).toEqual({ type: 'defer', calls: ['b', 'c'] });
  });

  test('has nothing to do in an empty transcript', () => {
    expect(planCompaction([], core, why)).toEqual({ type: 'nothing' });
  });

  test('covers only what is new since the last one (S0.15)', () => {
    const log = busyLog(12, 1200);
    compact(log, core);
    for (let n = 0; n < 9; n += 1) log.step([{ result: 'more '.repeat(400) }]);
    expect(cutOf(log.entries, core).stepsSummarised).toBe(9);
  });

  test('what a person said last stays, whatever the steps take (T16)', () => {
    const log = busyLog(12, 1200);
    log.human(`please look at this: ${'word '.repeat(1600)}`);
    const roomy = coreWith({ trigger: { tokens: 30_000, reserve: 2000 } });
    expect(compact(log, roomy).receipt.stepsKept).toBe(3);
    expect(view(log.entries).messages.at(-1)?.content).toEqual(
      log.entries.flatMap((entry) => (entry.id === 'e26' && entry.type === 'message' ? entry.message.content : [])),
    );
  });

  test('right after the first context: the task is covered and carried (S0.14)', () => {
    const log = createLog();
    log.user(`<scenario_brief design_dir="design/r1">${'facts of the case '.repeat(3000)}</scenario_brief>`);
    expect(cutOf(log.entries, core)).toMatchObject({ coversThrough: 'e1', stepsKept: 0, stepsSummarised: 0 });
    const entry = compact(log, core, ['work has not begun [#e1]']);
    expect(entry.request).toContain('<carried_task id="e1"><scenario_brief design_dir="design/r1">');
    expect(entry.request).toMatch(/\[\.\.\. \d+ chars omitted; full text: recall e1 \.\.\.\]/);
    expect(view(log.entries).messages).toHaveLength(3);
  });
});

describe('the ladder (S0.16, T35, Y8)', () => {
  const huge = (lines: number) => Array.from({ length: lines }, (_, n) => `line ${n} of a long trace`).join('\n');

  test('first all N steps, then shortened results, oldest first, then fewer steps', () => {
    const log = busyLog(5, 500);
    log.step([{ result: huge(600), input: { file_path: 'traces/a.jsonl' } }]);
    log.step([{ result: huge(800) }]);
    log.step([{ result: 'short' }]);
    const cut = cutOf(log.entries, core);
    expect(cut.decisions.map(({ pass }) => pass)).toEqual([
      'keep-latest-steps',
      'shorten-long-results',
      'shorten-long-results',
    ]);
    expect(cut.stepsKept).toBe(3);
    expect(Object.values(cut.shortened)[0]).toMatch(/\[full text: recall e13, file traces\/a\.jsonl\]$/);
    expect(cut.spill[0]).toEqual({ entry: 'e13', call: Object.keys(cut.shortened)[0], text: huge(600) });
  });

  test('where only the unread step keeps the view above the goal, it stays with as little else as possible (S2.2)', () => {
    const log = busyLog(30, 500);
    log.step([{ result: huge(900) }]);
    const keep = { steps: 5, share: 0.99, maxTokens: 18_000 };
    const cut = cutOf(log.entries, coreWith({ keep, longResult: { over: 50_000 } }));
    expect(cut).toMatchObject({ stepsKept: 1, keepsFrom: log.entries.at(-2)?.id });
  });

  test('the transcript keeps the whole result, the view shows the short one', () => {
    const log = busyLog(5, 500);
    log.step([{ result: huge(1200) }]);
    const whole = structuredClone(log.entries);
    compact(log, core);
    expect(log.entries.slice(0, -1)).toEqual(whole);
    expect(JSON.stringify(view(log.entries).messages)).toMatch(/\[\.\.\. \d+ chars omitted \.\.\.\]/);
  });

  test('images of a shortened result stay', () => {
    const log = busyLog(5, 500);
    const image = imageOf(paddedPng());
    log.step([{ result: [image, { type: 'text', text: huge(1200) }] }]);
    compact(log, core);
    const last = view(log.entries).messages.at(-1)?.content[0];
    expect(last).toMatchObject({ content: [{ type: 'text' }, image] });
  });

  test('what was shortened stays shortened, in the same words, whatever the policy says by then', () => {
    const log = busyLog(5, 500);
    log.step([{ id: 'long', result: huge(1200) }]);
    const { shortened } = compact(log, core);
    const roomy = coreWith({ trigger: { tokens: 90_000 }, keep: { steps: 3, maxTokens: 40_000 } }, { window: 200_000 });
    const strict = coreWith({ keep: { steps: 3, maxTokens: 100 }, longResult: { over: 300, head: 50, tail: 50 } });
    expect(cutOf(log.entries, roomy).shortened).toEqual({ long: shortened['long'] });
    const details = cutOf(log.entries, strict).decisions.map(({ detail }) => detail);
    expect(details.join()).toContain('toolu_5');
    expect(details.join()).not.toContain('long');
  });

  test('many results that are each short enough: fewer steps stay', () => {
    const log = busyLog(5, 500);
    for (let n = 0; n < 3; n += 1) log.step(Array.from({ length: 4 }, () => ({ result: 'w '.repeat(600) })));
    expect(cutOf(log.entries, core)).toMatchObject({ stepsKept: 2, shortened: {} });
  });

  test('a step that cannot stay at all is summarised', () => {
    const log = busyLog(5, 500);
    log.step([{ tool: 'write', input: { file_path: 'a.md', content: 'text '.repeat(20_000) }, result: 'ok' }]);
    expect(cutOf(log.entries, core)).toMatchObject({ stepsKept: 0, coversThrough: 'e13' });
  });

  test('when nothing fits, the refusal is typed and holds every try (S4.5)', () => {
    const plan = planCompaction(busyLog(12).entries, coreWith({}, { floor: 34_000 }), why);
    if (plan.type !== 'overflow') throw new Error(`got ${plan.type}`);
    expect(plan.error).toMatchObject({ code: 'context_overflow' });
    expect(plan.error.details['tried']).toHaveLength(7);
  });
});

describe('shortening a long result (S0.11)', () => {
  const limits = { ...policyWith().longResult, over: 200, head: 50, tail: 40, errors: 60 };

  test('keeps head, tail, and from the middle the lines that speak of errors (T20)', () => {
    const text = Array.from({ length: 300 }, (_, n) => `ok ${n}`);
    text[150] = 'TypeError: cannot read properties of undefined';
    text[299] = '    at run (sample.mjs:3:1)';
    const short = shortenText(text.join('\n'), limits, 'recall e9') ?? '';
    expect(short).toMatch(/^ok 0\n/);
    expect(short).toMatch(/\[\.\.\. \d+ chars omitted \.\.\.\]/);
    expect(short).toContain('TypeError: cannot read');
    expect(short).toMatch(/at run \(sample\.mjs:3:1\)\n\[full text: recall e9\]$/);
    expect(estimateText(short)).toBeLessThan(250);
  });

  test('leaves short texts alone, and never makes one longer', () => {
    expect(shortenText('short', limits, 'recall e9')).toBeUndefined();
    expect(shortenText('汉'.repeat(210), { ...limits, head: 150, tail: 60 }, 'recall e9')).toBeUndefined();
  });

  test('never splits a surrogate pair, in error lines neither (T9)', () => {
    const line = `${'🙂'.repeat(151)} error ${'🙂'.repeat(400)}\n`;
    for (let shift = 0; shift < 4; shift += 1) {
      const short =
        shortenText(`${'a'.repeat(shift)}${line.repeat(30)}`, { ...limits, errors: 2000 }, 'recall e9') ?? '';
      expect(short.isWellFormed()).toBe(true);
    }
  });
});
