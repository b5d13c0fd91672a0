/** Recorded sessions of real agents, replayed message by message through the core. */
import { expect, test } from 'vitest';
import { acceptSummary, planCompaction, shouldCompact, summaryRequest, view } from '../../src/context/index.ts';
import type { Entry, MessageEntry } from '../../src/transcript/entry.ts';
import { textOf } from '../../src/transcript/message.ts';
import { findFault } from '../../src/transcript/protocol.ts';
import { splitSteps } from '../../src/transcript/step.ts';
import { estimateMessages } from '../../src/transcript/tokens.ts';
import { hasRecordings, readRecorded } from '../support/recorded.ts';
import { coreWith, summaryAnswer } from '../support/transcripts.ts';

const recorded = test.skipIf(!hasRecordings());
const core = coreWith(
  { trigger: { ratio: 0.75, tokens: undefined, reserve: 8000 }, keep: { steps: 3, maxTokens: 8000 } },
  { window: 60_000, maxOutput: 4000, floor: 5000 },
);
/** Each is long enough for several compactions; the rest of it shows nothing new and takes time. */
const MESSAGES = 400;

function check(entries: readonly Entry[]): void {
  if (splitSteps(entries).at(-1)?.openCalls.length !== 0) return;
  const { messages, rewrittenThrough } = view(entries);
  expect(findFault(messages, { boundThinking: true, prefill: false, rewrittenThrough })).toBeUndefined();
}

function compactIfDue(entries: Entry[]): boolean {
  if (!shouldCompact(entries, core).due) return false;
  const plan = planCompaction(entries, core, { reason: 'threshold' });
  if (plan.type === 'defer') return false;
  if (plan.type !== 'cut') throw new Error(plan.type);
  const request = summaryRequest(entries, core, plan);
  expect(request && findFault(request.messages, { boundThinking: true, prefill: false, ...request })).toBeUndefined();
  const answer = summaryAnswer({ state: 'under way', facts: [`all well until now [#${entries.at(-1)?.id}]`] });
  const made = acceptSummary(entries, core, plan, answer);
  if (!made.ok) throw new Error(`${made.cause}: ${made.detail}`);
  entries.push({ version: 1, id: `e${entries.length + 1}`, parents: [], lane: 'main', ...made.entry });
  expect(shouldCompact(entries, core).due).toBe(false);
  return true;
}

recorded.each(['claude-code-a', 'claude-code-b', 'pi-a'])(
  '%s: stays valid and under its limits, keeps its first task',
  (name) => {
    const entries: Entry[] = [];
    let compactions = 0;
    for (const { response: _billed, ...entry } of readRecorded(`${name}.jsonl.gz`).slice(0, MESSAGES)) {
      entries.push({ ...entry, id: `e${entries.length + 1}` });
      if (entry.origin === 'model') continue;
      check(entries);
      if (compactIfDue(entries)) {
        compactions += 1;
        check(entries);
      }
    }
    expect(compactions).toBeGreaterThan(1);
    const first = entries.find((entry): entry is MessageEntry => entry.type === 'message' && entry.origin === 'human');
    expect(textOf(view(entries).messages[0] ?? { content: [] })).toContain(
      first && textOf(first.message).slice(0, 200),
    );
  },
);

recorded('pi-a: the estimate is above what was billed for it', () => {
  const entries = readRecorded('pi-a.jsonl.gz').slice(0, MESSAGES);
  for (const [place, { response }] of entries.entries()) {
    if (response === undefined || place % 40 !== 1) continue;
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = response.usage;
    const estimated = core.budget.floor + estimateMessages(view(entries.slice(0, place)).messages);
    expect(estimated).toBeGreaterThan(input_tokens + cache_read_input_tokens + cache_creation_input_tokens);
  }
});
