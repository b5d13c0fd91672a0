/** Passes that move the cut: they decide which of the latest units stay unchanged. */
import type { Unit } from '../../transcript/step.ts';
import { startOfLatest, turnStarts, type Pass } from './cut-draft.ts';

/** The latest N steps stay, with all later messages, and the user message that they answer (S0.5). */
export const keepLatestSteps: Pass<'keep-latest-steps'> = function* (draft, { units, policy }) {
  let keepFrom = units.length;
  let steps = 0;
  for (let place = units.length - 1; place >= 1 && steps < policy.keep.steps; place -= 1) {
    keepFrom = place;
    if (units[place]?.kind === 'step') steps += 1;
  }
  if (keepFrom > 1 && units[keepFrom]?.kind === 'step' && units[keepFrom - 1]?.kind === 'prompt') keepFrom -= 1;
  yield { draft: { ...draft, keepFrom, summarise: true }, detail: `the latest ${steps} steps stay word for word` };
};

/** Fewer units stay, down to none; the last user message leaves at the very end, and the facts carry it (S0.16). */
export const keepFewerSteps: Pass<'keep-fewer-steps'> = function* (draft, { units, spec }) {
  // From the end, so that each try costs no more than the one before.
  const steps = units.map(({ kind }) => (kind === 'step' ? 1 : 0));
  let left = steps.slice(draft.keepFrom).reduce<number>((sum, one) => sum + one, 0);
  for (let keepFrom = draft.keepFrom + 1; keepFrom <= units.length; keepFrom += 1) {
    left -= steps[keepFrom - 1] ?? 0;
    if (left < spec.least) return;
    yield { draft: { ...draft, keepFrom, summarise: true }, detail: `only the latest ${left} steps stay` };
  }
};

/** At least so many turns stay, from a person's message to its final answer (S1.8); with fewer there is nothing to cut. */
export const keepLatestTurns: Pass<'keep-latest-turns'> = function* (draft, { units, spec }) {
  const keepFrom = Math.max(draft.keepFrom, startOfLatest(units, spec.turns));
  if (keepFrom === 0) return;
  yield { draft: { ...draft, keepFrom, summarise: true }, detail: `the latest ${spec.turns} turns stay` };
};

/** `limit_turns`, one less at every try; results that an earlier pass cleared stay cleared (S4.4). */
export const keepFewerTurns: Pass<'keep-fewer-turns'> = function* (draft, { units, spec }) {
  const starts = turnStarts(units);
  for (const [place, start] of starts.entries()) {
    const turns = starts.length - place;
    if (start <= draft.keepFrom) continue;
    if (turns < spec.least) return;
    yield { draft: { ...draft, keepFrom: start, summarise: true }, detail: `limit_turns ${turns}` };
  }
};

/** At most so many messages stay, in whole units, so that no call is separated from its result (S3.2, S3.4). */
export const limitMessages: Pass<'limit-messages'> = function* (draft, { units, messages, spec }) {
  const most = spec.messages ?? messages;
  let keepFrom = units.length;
  let count = 0;
  while (keepFrom > draft.keepFrom) {
    const more = (units[keepFrom - 1]?.entries ?? []).filter(({ id }) => !draft.left.has(id)).length;
    // The newest unit stays, however many messages it has.
    if (count > 0 && count + more > most) break;
    count += more;
    keepFrom -= 1;
  }
  if (keepFrom === draft.keepFrom) return;
  yield { draft: { ...draft, keepFrom, summarise: true }, detail: `the latest ${count} messages stay` };
};

/** The summary replaces the whole conversation; only the last user message stays (S2.4). */
export const replaceConversation: Pass<'replace-conversation'> = function* (draft, { units }) {
  const keepFrom = units.at(-1)?.kind === 'prompt' ? units.length - 1 : units.length;
  if (keepFrom === 0) return;
  yield { draft: { ...draft, keepFrom, summarise: true }, detail: 'the summary replaces the conversation' };
};

/**
 * The latest steps stay from an answer that follows a user message: then the retained thinking is still bound to the
 * messages before it, which the API replaces by its own summary (docs/api-rules.md §5.4).
 */
export const cutBeforeAnswer: Pass<'cut-before-answer'> = function* (draft, { units, policy }) {
  let steps = 0;
  let first: number | undefined;
  for (let place = units.length - 1; place >= 1 && place > draft.keepFrom; place -= 1) {
    if (units[place]?.kind !== 'step') continue;
    steps += 1;
    if (steps > policy.keep.steps) break;
    if (followsUser(units, place)) first = place;
  }
  for (let place = first; place !== undefined && place < units.length; place += 1) {
    if (units[place]?.kind !== 'step' || !followsUser(units, place)) continue;
    const retained = units.slice(place).filter(({ kind }) => kind === 'step').length;
    const detail = `the latest ${retained} steps stay with their thinking`;
    yield { draft: { ...draft, keepFrom: place, summarise: true }, detail };
  }
};

function followsUser(units: readonly Unit[], place: number): boolean {
  return (
    units[place]?.entries[0]?.message.role === 'assistant' && units[place - 1]?.entries.at(-1)?.message.role === 'user'
  );
}
