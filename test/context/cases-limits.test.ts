/** Compactions that were not made for tokens: a window of messages, bytes, images, a cold cache. They are no loops, and no gain is asked of them there. */
import { describe, expect, test } from 'vitest';
import { checkBreaker, planCompaction, shouldCompact, view } from '../../src/context/index.ts';
import type { Core } from '../../src/context/index.ts';
import { getText } from '../../src/transcript/message.ts';
import { compactBy, faultOf, smallCore } from '../support/policies.ts';
import { createLog, usageOf } from '../support/transcripts.ts';
import type { Log } from '../support/transcripts.ts';

/** Before each answer of a chat of short words; says what each compaction came to. */
function chat(log: Log, core: Core, turns: number, lines: readonly string[] | undefined): string[] {
  const outcomes: string[] = [];
  for (let n = 1; n <= turns; n += 1) {
    log.human(`ok ${n}`);
    const { due, because } = shouldCompact(log.entries, core);
    if (due) {
      const { accepted } = compactBy(log, core, lines, because);
      outcomes.push(accepted === undefined ? 'nothing' : accepted.ok ? 'accepted' : accepted.cause);
    }
    expect(checkBreaker(log.entries, core.policy).state).toBe('closed');
    log.says(`fine ${n}`, { usage: 500 + shouldCompact(log.entries, core).load.tokens });
  }
  return outcomes;
}

describe('a window of messages (S3.2, S3.4)', () => {
  test.each([
    ['with a summary', { by: 'model' }, ['x']],
    ['without a model', { by: 'code' }, undefined],
    ['while no model can be had', { by: 'model' }, undefined],
  ] as const)(
    'holds %s when the messages are so short that what stands for them is longer',
    (_name, summary, lines) => {
      const core = smallCore('windowed', { summary });
      const log = createLog();
      const outcomes = chat(log, core, 80, lines);
      expect(new Set(outcomes)).toEqual(new Set(['accepted']));
      expect(outcomes.length).toBeLessThan(10);
      expect(view(log.entries).messages.length).toBeLessThanOrEqual(41);
      expect(faultOf(log.entries)).toBeUndefined();
      expect(getText(view(log.entries).messages[0] ?? { content: [] })).toContain('ok 1');
    },
  );

  test('that is not full takes no rewrite that is longer than what stands there', () => {
    const core = smallCore('windowed');
    const log = createLog();
    log.human('go');
    for (let n = 1; n <= 22; n += 1) log.says(`fine ${n}`);
    const plan = planCompaction(log.entries, core, { reason: 'messages' });
    expect(plan.type).toBe('cut');
    expect(shouldCompact(log.entries, core)).toMatchObject({ due: false });
    expect(compactBy(log, core, ['a long line '.repeat(60)], 'messages').accepted).toMatchObject({
      ok: false,
      cause: 'not_smaller',
    });
  });
});

describe('a cold cache (T28)', () => {
  const core = smallCore('two-agent', { target: { ratio: 0.95 }, trigger: { cold: 0.5 } });

  test('a small gain at a cold moment does not stop the agent when the context is really full (T2)', () => {
    const log = createLog();
    log.human('go');
    for (let n = 1; n <= 9; n += 1) log.step([{ result: 'word '.repeat(900) }], { usage: 1200 * n });
    const before = shouldCompact(log.entries, core, { cacheCold: true });
    expect(before).toMatchObject({ due: true, because: 'cold' });
    const { accepted } = compactBy(log, core, ['x'], 'cold');
    if (accepted?.ok !== true) throw new Error(JSON.stringify(accepted));
    // Measured, the view is hardly smaller than before.
    log.step([{ result: 'r' }], { usage: Math.round(accepted.entry.receipt.tokensBefore * 0.97) });
    expect(checkBreaker(log.entries, core.policy).state).toBe('closed');
  });

  test('where it is asked for at every call all the same, it ends (T1)', () => {
    const log = createLog();
    log.human('go');
    let rounds = 0;
    for (let n = 1; n <= 40; n += 1) {
      log.step([{ result: 'word '.repeat(2200) }], { usage: 9000 });
      if (checkBreaker(log.entries, core.policy).state === 'stuck') break;
      if (compactBy(log, core, ['x'], 'cold').accepted?.ok === true) rounds += 1;
    }
    expect(rounds).toBe(core.policy.breaker.quickTimes);
  });
});

test('a compaction for tokens that brings nothing still stops the agent (T2)', () => {
  const core = smallCore('two-agent');
  const log = createLog();
  log.human('go');
  for (let n = 1; n <= 12; n += 1) log.step([{ result: 'word '.repeat(2000) }], { usage: 2000 * n });
  const { accepted } = compactBy(log, core, ['x']);
  if (accepted?.ok !== true) throw new Error(JSON.stringify(accepted));
  log.append({
    ...{ type: 'message', origin: 'model', message: { role: 'assistant', content: [{ type: 'text', text: 'hm' }] } },
    response: {
      ...{ model: 'm', stopReason: 'end_turn', view: view(log.entries).epoch },
      usage: usageOf(accepted.entry.receipt.tokensBefore),
    },
  });
  expect(checkBreaker(log.entries, core.policy)).toMatchObject({ state: 'stuck' });
});

describe('long questions, one after the other (T2, T16)', () => {
  const core = smallCore('two-agent', { facts: { task: 500, firstTask: 200, messages: 200 } });
  const question = 'word '.repeat(5000);

  test('each answered at once, are no loop: a person asks on as long as they like', () => {
    const log = createLog();
    let compactions = 0;
    for (let n = 1; n <= 9; n += 1) {
      log.human(question);
      if (shouldCompact(log.entries, core).due && compactBy(log, core, ['x [#e1]']).accepted?.ok === true)
        compactions += 1;
      expect(checkBreaker(log.entries, core.policy).state).toBe('closed');
      log.says('fine', { usage: 500 + shouldCompact(log.entries, core).load.tokens });
    }
    expect(compactions).toBeGreaterThan(core.policy.breaker.quickTimes);
    expect(faultOf(log.entries)).toBeUndefined();
  });

  test('what the agent refills by itself in one turn is one, whatever the harness puts in between', () => {
    const log = createLog();
    log.human('go');
    for (let n = 1; n <= 12; n += 1) {
      log.step([{ result: 'word '.repeat(2200) }], { usage: 9000 });
      log.user('remember the list', 'reminder');
      if (checkBreaker(log.entries, core.policy).state === 'stuck') break;
      compactBy(log, core, ['x [#e1]']);
    }
    expect(checkBreaker(log.entries, core.policy)).toMatchObject({ state: 'stuck' });
  });
});
