/** For every conversation: the view holds the protocol, keeps what it must, and never moves between compactions. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptSummary, fallback, planCompaction, summaryRequest, view, type Core } from '../../src/context/index.ts';
import { findTasks } from '../../src/context/facts/facts.ts';
import { projectEntries } from '../../src/context/view/view.ts';
import { type Message, getText } from '../../src/transcript/message.ts';
import { splitSteps } from '../../src/transcript/step.ts';
import { estimateMessages } from '../../src/transcript/tokens.ts';
import { faultOf } from '../support/policies.ts';
import {
  begunLog,
  cadence,
  coreWith,
  FIRST_TASK,
  moves,
  play,
  summaryAnswer,
  type Log,
} from '../support/transcripts.ts';
import { propertyRuns } from '../support/property-runs.ts';

const core = coreWith();
const runs = propertyRuns(120, 1 / 5);

/** Compacts by the model's summary where it is taken, else by the fallback; says whether anything was appended. */
function tryCompact(log: Log, byModel: boolean, setup: Core = core): boolean {
  const plan = planCompaction(log.entries, setup, { reason: 'threshold' });
  if (plan.type !== 'cut') return false;
  const made = byModel
    ? acceptSummary(log.entries, setup, plan, summaryAnswer({ state: 'under way', facts: ['the task stands [#e1]'] }))
    : fallback(log.entries, setup, plan, 'timeout');
  if (made.ok) log.append(made.entry);
  return made.ok;
}

/** Plays the moves and tries a compaction after every `every`th; `see` looks after each move and each compaction. */
function playAll(list: Parameters<typeof play>[1][], every: number, see: (log: Log) => void): Log {
  const log = begunLog();
  for (const [place, move] of list.entries()) {
    play(log, move);
    see(log);
    if (place % every === every - 1 && tryCompact(log, place % 2 === 0)) see(log);
  }
  return log;
}

test('every view can be sent (S8.C of the API facts)', () => {
  fc.assert(
    fc.property(moves, cadence, (list, every) => {
      playAll(list, every, ({ entries }) => expect(faultOf(entries)).toBeUndefined());
    }),
    runs,
  );
});

test('appending changes no message that was shown before, until the next compaction (Y10, T28)', () => {
  fc.assert(
    fc.property(moves, cadence, (list, every) => {
      let before = view(begunLog().entries);
      playAll(list, every, ({ entries }) => {
        const now = view(entries);
        if (now.epoch === before.epoch) expect(now.messages.slice(0, before.messages.length)).toEqual(before.messages);
        before = now;
      });
    }),
    runs,
  );
});

test('neither view, plan nor request changes what it is given', () => {
  fc.assert(
    fc.property(moves, cadence, (list, every) => {
      const { entries } = playAll(list, every, () => {});
      const copy = structuredClone(entries);
      view(entries);
      const plan = planCompaction(entries, core, { reason: 'manual' });
      if (plan.type === 'cut') summaryRequest(entries, core, plan);
      expect(entries).toEqual(copy);
    }),
    runs,
  );
});

test('a compaction makes the view smaller, gets it under the target, and keeps the first task', () => {
  fc.assert(
    fc.property(moves, fc.boolean(), (list, byModel) => {
      const log = begunLog();
      for (const move of list) play(log, move);
      const before = estimateMessages(view(log.entries).messages);
      if (!tryCompact(log, byModel)) return;
      const after = view(log.entries);
      expect(estimateMessages(after.messages)).toBeLessThan(before);
      expect(core.budget.floor + estimateMessages(after.messages)).toBeLessThanOrEqual(10_000);
      expect(after.messages[0]).toMatchObject({ role: 'user' });
      expect(getText(after.messages[0] ?? { content: [] })).toContain(FIRST_TASK);
    }),
    runs,
  );
});

test('compacting twice at once is refused or harmless', () => {
  fc.assert(
    fc.property(moves, fc.boolean(), (list, byModel) => {
      const log = begunLog();
      for (const move of list) play(log, move);
      if (!tryCompact(log, byModel)) return;
      const once = view(log.entries);
      if (tryCompact(log, byModel)) {
        const twice = view(log.entries);
        expect(estimateMessages(twice.messages)).toBeLessThan(estimateMessages(once.messages));
        const standing = twice.messages.filter((message) => getText(message).includes('<compacted_context>'));
        expect(standing).toHaveLength(1);
      }
      expect(faultOf(log.entries)).toBeUndefined();
    }),
    runs,
  );
});

test('kept steps stay word for word, less thinking, half surrogates and what the receipt calls shortened (S0.5)', () => {
  fc.assert(
    fc.property(moves, (list) => {
      const log = begunLog();
      for (const move of list) play(log, move);
      const live = projectEntries(log.entries).live;
      if (!tryCompact(log, true)) return;
      const entry = log.entries.findLast(({ type }) => type === 'compaction');
      if (entry?.type !== 'compaction' || Object.keys(entry.shortened).length > 0) return;
      const place = live.findIndex(({ id }) => id === entry.keepsFrom);
      const kept = place < 0 ? [] : live.slice(place).map(({ message }) => message);
      log.human('and now?');
      const shown = view(log.entries).messages.map(visible).join('\n');
      for (const message of kept) expect(shown).toContain(visible(message));
      const steps = splitSteps(live).filter(({ kind }) => kind === 'step').length;
      expect(entry.receipt.stepsKept).toBeLessThanOrEqual(Math.min(3, steps));
    }),
    runs,
  );
});

test('all that people asked for stands in the view or is named as left out (T16)', () => {
  fc.assert(
    fc.property(moves, cadence, (list, every) => {
      const { entries } = playAll(list, every, () => {});
      const shown = view(entries).messages.map(visible).join('\n');
      const { first, before, current, after } = findTasks(entries);
      for (const asked of [first, ...before, current, ...after]) {
        if (asked === undefined) continue;
        const whole = shown.includes(visibleText(asked.text));
        expect(whole || shown.includes(`id="${asked.id}"`) || shown.includes(`[#${asked.id}]`)).toBe(true);
      }
    }),
    runs,
  );
});

/** What a message says and does, in one string; thinking left out. */
function visible({ content }: Message): string {
  return content
    .flatMap((block) => {
      if (block.type === 'text') return block.text.trim() === '' ? [] : [visibleText(block.text)];
      if (block.type === 'tool_use') return [JSON.stringify(block.input).replaceAll('\\ud83d', '\uFFFD')];
      if (block.type !== 'tool_result' || typeof block.content !== 'string') return [];
      return block.content.trim() === '' ? [] : [visibleText(block.content)];
    })
    .join('\n');
}

function visibleText(text: string): string {
  return text.toWellFormed();
}
