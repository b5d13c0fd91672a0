/** The mechanisms of the budget ladder (S4): memory, old outputs, fewer turns, a summary node, safety limits. */
import { describe, expect, test } from 'vitest';
import { itemEntry, limitsOf, memoryEntry, planCompaction, view } from '../../src/context/index.ts';
import { getText } from '../../src/transcript/message.ts';
import { compactBy, faultOf, shippedPolicy, smallCore } from '../support/policies.ts';
import { createLog } from '../support/transcripts.ts';
import type { Log } from '../support/transcripts.ts';

const core = smallCore('budgeted', {}, { model: { systemMessages: true } });
const shown = (log: Log) => JSON.stringify(view(log.entries).messages);

function turns(count: number, words = 500, answer = 40): Log {
  const log = createLog();
  for (let n = 0; n < count; n += 1) {
    log.human(`question ${n}`);
    log.step([{ result: `result ${n} `.repeat(words / 2) }]);
    log.says(`answer ${n} ${'word '.repeat(answer)}`);
  }
  return log;
}
const passesOf = (log: Log, setup = core) => {
  const plan = planCompaction(log.entries, setup, { reason: 'threshold' });
  if (plan.type === 'overflow')
    return plan.error.details['tried'] as { pass: string; detail: string; attempt: number }[];
  return plan.type === 'cut' ? plan.decisions : [];
};

test('the budget is the window less the output, and never below nothing (S4.3)', () => {
  const { policy } = core;
  expect(limitsOf(policy, { window: 100_000, maxOutput: 16_000, floor: 0 }).hard).toBe(84_000);
  expect(limitsOf(policy, { window: 8000, maxOutput: 16_000, floor: 0 })).toEqual({
    hard: 0,
    trigger: 0,
    target: 0,
    keep: 0,
  });
});

describe('the ladder (S4.4)', () => {
  test('memory leaves first, and nothing else if that is enough', () => {
    const log = turns(8, 200);
    log.append(itemEntry('memory', `<relevant_context>${'old news '.repeat(900)}</relevant_context>`));
    log.says('Noted.');
    log.human('go on');
    const near = smallCore('budgeted', { trigger: { tokens: 6200, reserve: 100 }, target: { ratio: 0.8 } });
    const { plan } = compactBy(log, near, ['x [#e1]']);
    expect(plan).toMatchObject({
      by: 'code',
      decisions: [{ attempt: 1, pass: 'drop-items', detail: '1 × memory leave' }],
    });
    expect(shown(log)).not.toContain(
      'old news old news old news old news old news old news old news old news old news old news old news old news old news old news old news old news old news old news old news old news old news',
    );
    expect(shown(log)).toContain('result 0');
  });

  test('then old outputs, but for the latest two turns; the view only, never the transcript', () => {
    const log = turns(12, 1800);
    const before = JSON.stringify(log.entries);
    const { plan } = compactBy(log, core, ['x [#e1]']);
    expect(plan).toMatchObject({ by: 'code', coversThrough: '' });
    expect(JSON.stringify(log.entries.slice(0, -1))).toBe(before);
    for (const n of [10, 11]) expect(shown(log)).toContain(`result ${n} result ${n}`);
    expect(shown(log)).not.toContain('result 9 result 9');
    expect(shown(log).match(/This result has left the context/g)).toHaveLength(10);
    expect(faultOf(log.entries)).toBeUndefined();
  });

  test('then one turn less at a time, every try a decision with its number; the first fit is summarised', () => {
    const log = turns(12, 200, 900);
    const tried = passesOf(log);
    expect(tried.map(({ attempt }) => attempt)).toEqual(tried.map((_, n) => n + 1));
    const limits = tried.filter(({ pass }) => pass === 'keep-fewer-turns').map(({ detail }) => detail);
    expect(limits[0]).toBe('limit_turns 11');
    expect(limits.length).toBeGreaterThan(2);
    const { plan, accepted } = compactBy(log, core, ['x [#e1]']);
    expect(plan).toMatchObject({ by: 'model' });
    expect(accepted).toMatchObject({ ok: true, entry: { place: 'system' } });
  });

  test('without auto_compact the dropped turns are only named', () => {
    const log = turns(12, 200, 900);
    const off = smallCore('budgeted', { summary: { by: 'code' } });
    const { plan, accepted } = compactBy(log, off, ['never asked [#e1]']);
    expect(plan).toMatchObject({ by: 'code' });
    expect(accepted).toMatchObject({ ok: true });
    expect(shown(log)).not.toContain('never asked');
  });

  test('what does not fit at `limit_turns 1` is refused with every try (S4.5)', () => {
    const log = turns(3, 200);
    log.human(`read this: ${'word '.repeat(30_000)}`);
    const plan = planCompaction(log.entries, core, { reason: 'threshold' });
    if (plan.type !== 'overflow') throw new Error(plan.type);
    expect(plan.error.code).toBe('context_overflow');
    expect(passesOf(log).map(({ detail }) => detail)).toContain('limit_turns 1');
  });
});

describe('the summary node (S4.7, S4.8, S4.9)', () => {
  test('enters as a system section in <summary>; the originals stay in the transcript', () => {
    const log = turns(12, 200, 900);
    const before = log.entries.length;
    compactBy(log, core, ['refunds need a receipt [#e3]']);
    expect(log.entries.length).toBe(before + 1);
    const section = view(log.entries).messages.find(({ role }) => role === 'system');
    expect(getText(section ?? { content: [] })).toMatch(
      /^<summary>\nTurns from #e1 to #e\d+:[\s\S]*refunds need a receipt \[#e3\][\s\S]*<\/summary>$/,
    );
  });

  test('is never the last of the view: something that was said follows it', () => {
    for (let end = 20; end <= 36; end += 1) {
      const log = turns(12, 200, 900);
      log.entries.splice(end);
      const { accepted } = compactBy(log, core, ['x [#e1]']);
      if (accepted?.ok !== true) continue;
      const { messages } = view(log.entries);
      const node = messages.findIndex((message) => getText(message).includes('<summary>'));
      if (node >= 0) expect(node).toBeLessThan(messages.length - 1);
      expect(faultOf(log.entries)).toBeUndefined();
    }
  });

  test('covers finished steps only: with an open call there is none', () => {
    const log = turns(12, 200, 900);
    log.human('go');
    log.step([{ id: 'open' }]);
    expect(planCompaction(log.entries, core, { reason: 'threshold' })).toEqual({ type: 'defer', calls: ['open'] });
  });
});

test('what memory found for a task stands behind it once, under its limits (S4.2)', () => {
  const log = createLog();
  log.human('refund this');
  const found = ['a receipt is needed', 'gift cards are not refunded', 'three', 'four', 'five', 'six'];
  const entry = memoryEntry(log.entries, core, 'e1', found);
  if (entry === undefined) throw new Error('none');
  log.append(entry);
  const text = view(log.entries).messages.map(getText).join();
  expect(text).toMatch(/<relevant_context>[\s\S]*- a receipt is needed\n[\s\S]*- five\n<\/relevant_context>/);
  expect(text).not.toContain('six');
  expect(memoryEntry(log.entries, core, 'e1', found)).toBeUndefined();
  expect(memoryEntry(log.entries, core, 'e1', [])).toBeUndefined();
});

test('a transcript beyond the safety limits is refused by name (S4.10)', () => {
  const small = smallCore('budgeted', { safety: { entries: 10, edges: 100 } });
  expect(() => planCompaction(turns(12).entries, small, { reason: 'threshold' })).toThrow(
    expect.objectContaining({ code: 'safety_limit_exceeded' }),
  );
  expect(shippedPolicy('budgeted').safety).toEqual({ entries: 20_000, edges: 60_000 });
});
