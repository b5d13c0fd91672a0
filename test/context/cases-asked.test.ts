/** What a person asked last is seen whole by the model before anything of it leaves (T16, T34, S0.16). */
import { describe, expect, test } from 'vitest';
import { planCompaction, shouldCompact, view } from '../../src/context/index.ts';
import { getText } from '../../src/transcript/message.ts';
import type { Block } from '../../src/transcript/message.ts';
import { compactBy, faultOf, POLICY_NAMES, smallCore } from '../support/policies.ts';
import { createLog } from '../support/transcripts.ts';
import type { Log } from '../support/transcripts.ts';

/** A text of about so many tokens, whose middle no head or tail holds. */
const long = (tokens: number) => `${'word '.repeat(tokens / 4)}THE MIDDLE ${'word '.repeat(tokens / 4)}`;
const shown = (log: Log) => view(log.entries).messages.map(getText).join('\n');

describe.each(POLICY_NAMES)('%s', (name) => {
  const core = smallCore(name, { facts: { task: 1000 } });

  test.each([9000, 11_000])(
    'a question of %i tokens, asked after much work, stands whole in the next request',
    (tokens) => {
      const log = createLog();
      log.human('go');
      for (let n = 1; n <= 6; n += 1) log.step([{ result: 'word '.repeat(1200) }]);
      log.says('done');
      log.human(long(tokens));
      expect(shouldCompact(log.entries, core)).toMatchObject({ due: true, urgent: false });
      const { plan, accepted } = compactBy(log, core, ['x [#e3]']);
      expect(['cut', 'nothing']).toContain(plan.type);
      if (plan.type === 'cut') expect(accepted).toMatchObject({ ok: true });
      expect(shown(log)).toContain('THE MIDDLE');
      expect(faultOf(log.entries)).toBeUndefined();
    },
  );

  test('a first message above the trigger is carried by the facts (S0.14), or sent as it is where the policy keeps it', () => {
    const log = createLog();
    log.human(long(24_000));
    const plan = planCompaction(log.entries, core, { reason: 'threshold' });
    expect(plan.type).toBe(name === 'budgeted' ? 'nothing' : 'cut');
    log.step([{ result: 'r' }]);
    expect(compactBy(log, core, ['x [#e1]']).accepted).toMatchObject({ ok: true });
    expect(shouldCompact(log.entries, core).due).toBe(false);
    expect(faultOf(log.entries)).toBeUndefined();
  });

  test('what cannot be sent is cut down, or refused with all that was tried (S4.5)', () => {
    const log = createLog();
    log.human('go');
    log.step([{ result: 'r' }]);
    log.human(long(40_000));
    expect(shouldCompact(log.entries, core).urgent).toBe(true);
    const { plan, accepted } = compactBy(log, core, ['x [#e1]']);
    if (name === 'budgeted') return expect(plan.type).toBe('overflow');
    expect(accepted).toMatchObject({ ok: true });
    expect(shouldCompact(log.entries, core)).toMatchObject({ due: false });
    expect(shown(log)).toContain('full text: recall e4');
  });

  test('what the API found too large, whatever we had estimated, does not stay', () => {
    const log = createLog();
    log.human('go');
    log.step([{ result: 'r' }]);
    log.human(long(24_000));
    expect(planCompaction(log.entries, core, { reason: 'threshold' }).type).toBe('nothing');
    expect(planCompaction(log.entries, core, { reason: 'window' }).type).not.toBe('nothing');
  });
});

describe('a question that is no request as it is (T24)', () => {
  const small = smallCore('two-agent');
  const core = { ...small, budget: { ...small.budget, window: 1_000_000 } };
  const wide = { ...core, policy: { ...core.policy, trigger: { ...core.policy.trigger, tokens: 900_000 } } };

  test.each([
    ['images', 95, 10],
    ['bytes', 1, 40_000_000],
  ] as const)('by its %s does not wait', (because, count, bytes) => {
    const log = createLog();
    log.human('go');
    log.step([{ result: 'r' }]);
    const source = { type: 'stored' as const, media_type: 'image/png', sha256: 'a'.repeat(64), bytes };
    const images = Array.from({ length: count }, (): Block => ({ type: 'image', source }));
    const content: Block[] = [{ type: 'text', text: 'see' }, ...images];
    log.append({ type: 'message', origin: 'human', message: { role: 'user', content } });
    expect(shouldCompact(log.entries, wide)).toMatchObject({ due: true, because, urgent: false });
    expect(compactBy(log, wide, ['x [#e1]'], because).accepted).toMatchObject({ ok: true });
    expect(shouldCompact(log.entries, wide).due).toBe(false);
    expect(shown(log)).toContain('see');
  });
});

test('a question stays although all work before it is summarised already', () => {
  const core = smallCore('two-agent', { facts: { task: 1000 } });
  const log = createLog();
  log.human(long(24_000));
  expect(compactBy(log, core, ['x [#e1]']).accepted).toMatchObject({ ok: true });
  log.human(long(21_000));
  expect(shouldCompact(log.entries, core)).toMatchObject({ due: true, urgent: false });
  expect(planCompaction(log.entries, core, { reason: 'threshold' })).toMatchObject({ type: 'nothing' });
});

test('a question beside which the target cannot be reached fills 85 % of the trigger at most (T16)', () => {
  const core = smallCore('two-agent', { facts: { task: 1000 } });
  const log = createLog();
  log.human('go');
  for (let n = 1; n <= 6; n += 1) log.step([{ result: 'word '.repeat(1200) }]);
  log.human(long(11_000));
  const { plan, accepted } = compactBy(log, core, ['x [#e3]']);
  expect(plan).toMatchObject({ type: 'cut', pressure: { target: 17_000, trigger: 20_000 } });
  if (accepted?.ok !== true) throw new Error('refused');
  expect(accepted.entry.receipt.tokensAfter).toBeGreaterThan(10_000);
  expect(accepted.entry.receipt.tokensAfter).toBeLessThanOrEqual(17_000);
});

test('a cold moment at which nothing can be gained passes, and the agent goes on (T28)', () => {
  const core = smallCore('two-agent', { facts: { task: 9000 }, trigger: { cold: 0.3 } });
  const log = createLog();
  log.human(long(8000));
  log.step([{ result: 'r' }]);
  expect(shouldCompact(log.entries, core, { cacheCold: true })).toMatchObject({ due: true, because: 'cold' });
  expect(planCompaction(log.entries, core, { reason: 'cold' })).toMatchObject({ type: 'nothing' });
});
