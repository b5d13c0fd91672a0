/** For every shipped policy and every conversation: valid, under the target or a typed refusal, stable, and nothing lost silently. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createIncrementalView, shouldCompact, view } from '../../src/context/index.ts';
import { projectEntries } from '../../src/context/view/view.ts';
import { isHarnessError } from '../../src/errors.ts';
import { getText } from '../../src/transcript/message.ts';
import { estimateMessages } from '../../src/transcript/tokens.ts';
import { compactBy, faultOf, mostAfter, POLICY_NAMES, smallCore } from '../support/policies.ts';
import { begunLog, cadence, FIRST_TASK, moves, play } from '../support/transcripts.ts';
import type { Log } from '../support/transcripts.ts';
import { propertyRuns } from '../support/property-runs.ts';

const runs = propertyRuns(60, 1 / 8);

describe.each(POLICY_NAMES)('%s', (name) => {
  const core = smallCore(name, {}, { model: { systemMessages: true } });
  const plain = smallCore(name);
  const tryCompact = (log: Log, byModel: boolean) => {
    const { plan, accepted } = compactBy(log, byModel ? core : plain, byModel ? ['the task stands [#e1]'] : undefined);
    if (plan.type === 'overflow') expect(isHarnessError(plan.error, 'context_overflow')).toBe(true);
    return accepted?.ok === true ? plan : undefined;
  };

  test('every view can be sent, and between two rewrites it only grows at its end', () => {
    fc.assert(
      fc.property(moves, cadence, (list, every) => {
        const log = begunLog();
        let before = view(log.entries);
        const see = () => {
          expect(faultOf(log.entries)).toBeUndefined();
          const now = view(log.entries);
          if (now.epoch === before.epoch)
            expect(now.messages.slice(0, before.messages.length)).toEqual(before.messages);
          before = now;
        };
        for (const [place, move] of list.entries()) {
          play(log, move);
          see();
          if (place % every === every - 1 && tryCompact(log, place % 2 === 0) !== undefined) see();
        }
      }),
      runs,
    );
  });

  test('a rewrite is smaller and under the target; the first task stands word for word (S0.13, S2.3, S3.4)', () => {
    fc.assert(
      fc.property(moves, fc.boolean(), (list, byModel) => {
        const log = begunLog();
        for (const move of list) play(log, move);
        const before = view(log.entries).messages;
        const { because } = shouldCompact(log.entries, core);
        const plan = tryCompact(log, byModel);
        if (plan === undefined) return;
        const { messages } = view(log.entries);
        // A window of short messages is made for their number, whatever the summary weighs.
        if (because === 'messages') expect(messages.length).toBeLessThan(before.length);
        else expect(estimateMessages(messages)).toBeLessThan(estimateMessages(before));
        const tokens = core.budget.floor + estimateMessages(messages);
        expect(tokens).toBeLessThanOrEqual(mostAfter(log, core, plan));
        expect(messages.map(getText).join('\n')).toContain(FIRST_TASK);
      }),
      runs,
    );
  });

  test('compacting twice is refused or harmless, and never nests a summary (S0.15)', () => {
    fc.assert(
      fc.property(moves, fc.boolean(), (list, byModel) => {
        const log = begunLog();
        for (const move of list) play(log, move);
        if (tryCompact(log, byModel) === undefined) return;
        const once = estimateMessages(view(log.entries).messages);
        if (tryCompact(log, byModel) !== undefined) {
          const { messages } = view(log.entries);
          expect(estimateMessages(messages)).toBeLessThan(once);
          const standing = messages.filter((message) => getText(message).includes('<compacted_context>'));
          expect(standing.length).toBeLessThanOrEqual(1);
        }
        expect(faultOf(log.entries)).toBeUndefined();
      }),
      runs,
    );
  });

  test('what stays stands word for word, less thinking and what the entry says it edits; what leaves is named', () => {
    fc.assert(
      fc.property(moves, (list) => {
        const log = begunLog();
        for (const move of list) play(log, move);
        const live = projectEntries(log.entries).live;
        if (!tryCompact(log, true)) return;
        const entry = log.entries.findLast(({ type }) => type === 'compaction');
        if (entry?.type !== 'compaction') throw new Error('no entry');
        const from = live.findIndex(({ id }) => id === entry.coversThrough) + 1;
        const left = new Set(entry.left);
        const kept = live.slice(from).filter(({ id }) => !left.has(id));
        expect(projectEntries(log.entries).live.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
        log.human('and now?');
        const shown = JSON.stringify(view(log.entries).messages);
        for (const { message } of kept)
          for (const block of message.content) {
            if (block.type === 'text' && block.text.trim() !== '')
              expect(shown).toContain(JSON.stringify(block.text.toWellFormed()));
            if (
              block.type === 'tool_result' &&
              !(block.tool_use_id in entry.shortened) &&
              typeof block.content === 'string'
            )
              if (block.content.trim() !== '') expect(shown).toContain(JSON.stringify(block.content.toWellFormed()));
          }
        expect(entry.receipt.left?.some(({ why }) => why === 'dropped') ?? false).toBe(left.size > 0);
      }),
      runs,
    );
  });

  test('a follower sees what a fresh look sees, at every step', () => {
    fc.assert(
      fc.property(moves, cadence, (list, every) => {
        const log = begunLog();
        const follower = createIncrementalView(core);
        for (const [place, move] of list.entries()) {
          play(log, move);
          if (place % every === every - 1) tryCompact(log, place % 2 === 0);
          expect(follower.view(log.entries)).toEqual(view(log.entries));
          expect(follower.pressure(log.entries)).toEqual(shouldCompact(log.entries, core));
        }
      }),
      runs,
    );
  });
});
