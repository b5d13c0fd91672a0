/** docs/internals/compaction-cases.md Y1 - Y12: what the source designs say and does not hold, and what is done instead. */
import { describe, expect, test } from 'vitest';
import { planCompaction, shouldCompact, view } from '../../src/context/index.ts';
import { loadTargets } from '../../src/context/limits.ts';
import { estimateText } from '../../src/transcript/tokens.ts';
import { getText } from '../../src/transcript/message.ts';
import { compactBy, faultOf, fit, POLICY_NAMES, shippedPolicy, smallCore } from '../support/policies.ts';
import { busyLog, createLog } from '../support/transcripts.ts';
import type { Log } from '../support/transcripts.ts';

const shown = (log: Log) => JSON.stringify(view(log.entries).messages);

/** A conversation of many short turns, each with calls. */
function chat(turns: number): Log {
  const log = createLog();
  log.user('the goal: refund nobody without a receipt');
  for (let n = 0; n < turns; n += 1) {
    log.human(`question ${n}`);
    log.step([{ result: `answer ${n} `.repeat(120) }, { result: 'side '.repeat(80) }]);
    log.says(`It is ${n}.`);
  }
  return log;
}

describe.each(POLICY_NAMES)('%s', (name) => {
  const core = smallCore(name);

  test('Y1 - Y4: whatever the last message is, no cut parts a call from its result', () => {
    const log = chat(24);
    // A turn is four entries, so that steps of three come to each of its places.
    for (let end = 20; end <= log.entries.length; end += 3) {
      const part = { ...log, entries: log.entries.slice(0, end) };
      const plan = planCompaction(part.entries, core, { reason: 'manual' });
      if (plan.type === 'defer') continue;
      const twin = createLog();
      twin.entries.push(...part.entries);
      compactBy(twin, core, ['it is so [#e1]']);
      expect(faultOf(twin.entries)).toBeUndefined();
    }
  });

  test('Y3, Y4: the goal outlives every rule that drops messages', () => {
    const log = chat(60);
    for (let round = 0; round < 4; round += 1) {
      compactBy(log, core, undefined);
      for (let n = 0; n < 12; n += 1) log.step([{ result: 'r '.repeat(700) }]);
      expect(shown(log)).toContain('refund nobody without a receipt');
    }
  });

  test('Y6: usage from before a rewrite does not compact again', () => {
    const log = busyLog(11);
    log.step([{ result: 'r' }], { usage: 40_000 });
    expect(fit(log, core, ['x [#e3]'])).toMatchObject({ accepted: { ok: true } });
    expect(shouldCompact(log.entries, core)).toMatchObject({ due: false, source: 'estimate' });
  });

  test('Y10: results are not cleared a little at every turn', () => {
    const log = chat(4);
    let rewrites = 0;
    for (let n = 0; n < 40; n += 1) {
      log.human(`more ${n}`);
      log.step([{ result: 'r '.repeat(500) }]);
      log.says('done');
      if (fit(log, core, ['x [#e1]']) !== undefined) rewrites += 1;
    }
    expect(rewrites).toBeLessThan(14);
  });

  test('Y12: what the entry says about each type is what the rules of the policy say', () => {
    for (const spec of shippedPolicy(name).passes)
      if (spec.pass === 'drop-items')
        for (const rule of spec.rules.filter(({ type }) => type === 'compaction_summary' || type === 'system_prompt'))
          expect(rule.strategy).toBe('none');
  });
});

test('Y2: clearing a result leaves its call and the block, so no call is without an answer', () => {
  const core = smallCore('budgeted');
  const log = chat(30);
  const { plan } = compactBy(log, core, ['x [#e1]']);
  expect(plan).toMatchObject({ type: 'cut', by: 'code', coversThrough: '' });
  expect(shown(log)).toContain('This result has left the context: recall e3');
  expect(faultOf(log.entries)).toBeUndefined();
});

test('Y5: archives stand unchanged up to their cap; then they become one', () => {
  const core = smallCore('layered', { summary: { archive: 2600 } }, { model: { systemMessages: true } });
  const log = busyLog(14, 1200);
  const counts: number[] = [];
  let frozen: string[] = [];
  for (let round = 0; round < 9; round += 1) {
    const { plan, accepted } = compactBy(log, core, [
      `milestone ${round} [#e${round + 3}]`,
      `${'a detail of it '.repeat(20)}[#e3]`,
    ]);
    if (plan.type === 'cut' && plan.by === 'model' && accepted?.ok === true) {
      const archives = accepted.entry.archives ?? [];
      if (archives.length > 0) expect(archives.slice(0, frozen.length)).toEqual(frozen);
      frozen = [...archives, accepted.entry.summary];
      counts.push(archives.length);
      expect(frozen.reduce((sum, text) => sum + estimateText(text), 0)).toBeLessThan(2600 + 1500);
    }
    for (let n = 0; n < 10; n += 1) log.step([{ result: 'more '.repeat(420) }]);
  }
  expect(Math.max(...counts)).toBeGreaterThan(0);
  expect(counts.slice(counts.indexOf(Math.max(...counts)))).toContain(0);
});

test('Y7: ten thousand Chinese characters are about ten thousand tokens', () => {
  expect(estimateText('汉'.repeat(10_000))).toBeGreaterThanOrEqual(9000);
  expect(estimateText('汉'.repeat(10_000))).toBeLessThan(13_000);
});

test('Y9: the latest N steps stay word for word, and their thinking goes all at once', () => {
  const core = smallCore('two-agent');
  const log = busyLog(14, 1200);
  const before = view(log.entries).messages;
  compactBy(log, core, ['x [#e3]']);
  expect(shown(log)).not.toContain('signature');
  expect(view(log.entries).messages.at(-2)?.content.at(-1)).toEqual(before.at(-2)?.content.at(-1));
});

test('Y10: a policy that counts messages leaves room for many more before it cuts again', () => {
  const policy = shippedPolicy('windowed');
  expect(loadTargets(policy).messages).toBe(20);
  const core = smallCore('windowed');
  const log = chat(3);
  let rewrites = 0;
  for (let n = 0; n < 60; n += 1) {
    log.step([{ result: 'short' }]);
    if (fit(log, core, ['x [#e1]']) !== undefined) rewrites += 1;
    expect(view(log.entries).messages.length).toBeLessThanOrEqual(41);
  }
  expect(rewrites).toBeLessThanOrEqual(7);
  expect(view(log.entries).messages.map(getText).join()).toContain('the goal');
});

test('Y12: the summary of `selective` takes the place of the one before; it is never dropped by a rule', () => {
  const core = smallCore('selective');
  const log = busyLog(14, 1200);
  for (let round = 0; round < 5; round += 1) {
    compactBy(log, core, [`round ${round} [#e3]`]);
    for (let n = 0; n < 9; n += 1)
      log.step([{ tool: 'write', input: { file_path: `f${n}`, content: 'text '.repeat(900) }, result: 'ok' }]);
  }
  expect(shown(log).match(/<compacted_context>/g)).toHaveLength(1);
});
