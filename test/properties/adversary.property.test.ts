/** For conversations that go wrong in every way at once: what is sent is valid, and no rewrite makes it otherwise (T5 - T10, T24). */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createIncrementalView, markForCache, shouldCompact, summaryRequest, view } from '../../src/context/index.ts';
import type { Core } from '../../src/context/index.ts';
import { isHarnessError } from '../../src/errors.ts';
import { Entry } from '../../src/transcript/entry.ts';
import { createFaultFinder, findFault } from '../../src/transcript/protocol.ts';
import { compactBy, faultOf, POLICY_NAMES, smallCore } from '../support/policies.ts';
import { cadence } from '../support/transcripts.ts';
import type { Log } from '../support/transcripts.ts';
import { playWild, wildLog, wildMoves, type WildMove } from '../support/wild-moves.ts';
import { propertyRuns } from '../support/property-runs.ts';

const runs = propertyRuns(25, 1 / 5);
const RULES = { boundThinking: true, prefill: false };

/** Plays all, and a compaction after every `every`th move: by the model, or by code alone. */
function playAll(list: readonly WildMove[], every: number, core: Core, see: (log: Log) => void): Log {
  const log = wildLog();
  for (const [place, move] of list.entries()) {
    playWild(log, move, core);
    see(log);
    if (place % every !== every - 1) continue;
    const { because = 'threshold' } = shouldCompact(log.entries, core);
    const { plan, accepted } = compactBy(log, core, place % 2 === 0 ? ['the task stands [#e1]'] : undefined, because);
    if (plan.type === 'overflow') expect(isHarnessError(plan.error, 'context_overflow')).toBe(true);
    if (accepted?.ok === true) see(log);
    if (accepted?.ok === false) expect(accepted.cause).not.toBe('protocol');
  }
  return log;
}

describe.each(POLICY_NAMES)('%s', (name) => {
  const core = smallCore(name, {}, { model: { systemMessages: true } });

  test('whatever was said and done, the next request is valid, with at most four cache marks', () => {
    fc.assert(
      fc.property(wildMoves, cadence, (list, every) => {
        const find = createFaultFinder();
        playAll(list, every, core, ({ entries }) => {
          expect(faultOf(entries)).toBeUndefined();
          const { messages, rewrittenThrough, passing } = view(entries);
          const tools = [{ name: 'read' }];
          const marked = markForCache({ system: [{ type: 'text', text: 's' }], tools, messages }, passing);
          const rules = {
            ...RULES,
            rewrittenThrough,
            marksBefore: [{ type: 'ephemeral' as const }, { type: 'ephemeral' as const }],
          };
          expect(findFault(marked.messages, rules)).toBeUndefined();
          expect(find(messages, { ...RULES, rewrittenThrough })).toBeUndefined();
        });
      }),
      runs,
    );
  });

  test('the request for a summary is valid too, in whatever shape', () => {
    fc.assert(
      fc.property(wildMoves, cadence, (list, every) => {
        const log = playAll(list, every, core, () => undefined);
        const copy = wildLog();
        copy.entries.splice(0, copy.entries.length, ...log.entries);
        const { plan } = compactBy(copy, core, ['x']);
        const request = plan.type === 'cut' ? summaryRequest(log.entries, core, plan) : undefined;
        if (request === undefined) return;
        const { messages, rewrittenThrough } = request;
        expect(findFault(messages, { ...RULES, rewrittenThrough })).toBeUndefined();
      }),
      runs,
    );
  });

  test('a follower sees what a fresh look sees, and what is read from disk again gives the same', () => {
    fc.assert(
      fc.property(wildMoves, cadence, (list, every) => {
        const follower = createIncrementalView(core);
        const log = playAll(list, every, core, ({ entries }) => {
          expect(follower.view(entries)).toEqual(view(entries));
          expect(follower.pressure(entries)).toEqual(shouldCompact(entries, core));
        });
        const again = log.entries.map((entry) => Entry.parse(JSON.parse(JSON.stringify(entry))));
        expect(view(again)).toEqual(view(log.entries));
      }),
      runs,
    );
  });

  test('between two changes of the epoch nothing that was shown changes, but what was for one call', () => {
    fc.assert(
      fc.property(wildMoves, cadence, (list, every) => {
        let before = view(wildLog().entries);
        playAll(list, every, core, ({ entries }) => {
          const now = view(entries);
          const stays = before.messages.slice(0, before.messages.length - before.passing);
          // A finished answer waits until something follows it.
          const both = Math.min(stays.length, now.messages.length);
          if (now.epoch === before.epoch) expect(now.messages.slice(0, both)).toEqual(stays.slice(0, both));
          before = now;
        });
      }),
      runs,
    );
  });
});
