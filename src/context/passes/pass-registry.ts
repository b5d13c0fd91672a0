/** Every pass by the name that policies use; a new one needs its name in `pass-spec.ts`, its function, and its line here. */
import { HarnessError } from '../../errors.ts';
import type { Unit } from '../../transcript/step.ts';
import type { PassName, PassSpec } from '../pass-spec.ts';
import { clearResults, compressResults, pointToImages } from './compress-results.ts';
import {
  type PassContext,
  type CutDraft,
  type Pass,
  type PassAttempt,
  startOfLatest,
  turnStarts,
} from './cut-draft.ts';
import { dropItems } from './drop-items.ts';
import { shortenLongResults } from './shorten-long-results.ts';

/** The latest N steps stay, with all later messages, and the user message that they answer (S0.5). */
const keepLatestSteps: Pass<'keep-latest-steps'> = function* (draft, { units, policy }) {
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
const keepFewerSteps: Pass<'keep-fewer-steps'> = function* (draft, { units, spec }) {
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
const keepLatestTurns: Pass<'keep-latest-turns'> = function* (draft, { units, spec }) {
  const keepFrom = Math.max(draft.keepFrom, startOfLatest(units, spec.turns));
  if (keepFrom === 0) return;
  yield { draft: { ...draft, keepFrom, summarise: true }, detail: `the latest ${spec.turns} turns stay` };
};

/** `limit_turns`, one less at every try; results that an earlier pass cleared stay cleared (S4.4). */
const keepFewerTurns: Pass<'keep-fewer-turns'> = function* (draft, { units, spec }) {
  const starts = turnStarts(units);
  for (const [place, start] of starts.entries()) {
    const turns = starts.length - place;
    if (start <= draft.keepFrom) continue;
    if (turns < spec.least) return;
    yield { draft: { ...draft, keepFrom: start, summarise: true }, detail: `limit_turns ${turns}` };
  }
};

/** At most so many messages stay, in whole units, so that no call is separated from its result (S3.2, S3.4). */
const limitMessages: Pass<'limit-messages'> = function* (draft, { units, messages, spec }) {
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

/**
 * The summary replaces the conversation (S2.4). Its newest unit is a message without an answer, or a step whose results
 * the model has not read: a message always stays, a step stays while that fits.
 */
const replaceConversation: Pass<'replace-conversation'> = function* (draft, { units }) {
  const newest = units.length - 1;
  const isStep = units[newest]?.kind === 'step';
  const detail = 'the summary replaces the conversation';
  const before = isStep ? `${detail} before the newest step` : detail;
  if (newest > 0) yield { draft: { ...draft, keepFrom: newest, summarise: true }, detail: before };
  if (isStep) yield { draft: { ...draft, keepFrom: units.length, summarise: true }, detail };
};

/**
 * The latest steps stay from an answer that follows a user message: then the retained thinking is still bound to the
 * messages before it, which the API replaces by its own summary (docs/internals/api-rules.md §5.4).
 */
const cutBeforeAnswer: Pass<'cut-before-answer'> = function* (draft, { units, policy }) {
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

/** The most attempts of one plugin pass; an endless pass would block the agent for ever. */
const MOST_ATTEMPTS = 500;

/** Contract: throws `config_invalid` for a missing pass, and for a proposal that is not a valid draft. */
export const pluginPass: Pass<'plugin'> = function* pluginPass(draft, context) {
  const { spec, plugins = {} } = context;
  const pass = Object.hasOwn(plugins, spec.plugin) ? plugins[spec.plugin] : undefined;
  if (pass === undefined) throw createPassError(spec.plugin, 'it is not in the tandem.config.ts of this project');
  let made = 0;
  for (const attempt of pass(draft, context)) {
    made += 1;
    if (made > MOST_ATTEMPTS) throw createPassError(spec.plugin, `it proposes more than ${MOST_ATTEMPTS} cuts`);
    const fault = findDraftFault(attempt?.draft, context);
    if (fault !== undefined) throw createPassError(spec.plugin, fault);
    yield { draft: attempt.draft, detail: attempt.detail.slice(0, 200) };
  }
};

/** Returns why a draft of a plugin cannot be used: the view could not be built from it, or would lose a task. */
function findDraftFault(draft: CutDraft | undefined, { units, pinned }: PassContext): string | undefined {
  if (typeof draft !== 'object' || draft === null) return 'it has to yield { draft, detail }';
  const { keepFrom, left, summarise } = draft;
  if (!Number.isInteger(keepFrom) || keepFrom < 0 || keepFrom > units.length)
    return `draft.keepFrom has to be a number from 0 to ${units.length}`;
  if (!(left instanceof Set) || typeof summarise !== 'boolean')
    return 'draft.left has to be a Set, draft.summarise a boolean';
  const lost = [...left].find((id) => pinned.has(id));
  if (lost !== undefined) return `it drops ${lost}, which is a task`;
  for (const part of ['shortened', 'pointers', 'inputs'] as const) {
    const wanted = part === 'inputs' ? 'object' : 'string';
    const values: unknown[] = Object.values(draft[part] ?? { missing: undefined });
    if (values.some((value) => typeof value !== wanted || value === null))
      return `draft.${part} holds something else than ${wanted}s`;
  }
  return undefined;
}

function createPassError(name: string, why: string): HarnessError {
  return new HarnessError('config_invalid', `The policy's pass of the plugin passes.${name} cannot be used: ${why}.`);
}

const PASSES: { [Name in PassName]: Pass<Name> } = {
  'keep-latest-steps': keepLatestSteps,
  'shorten-long-results': shortenLongResults,
  'keep-fewer-steps': keepFewerSteps,
  'keep-latest-turns': keepLatestTurns,
  'keep-fewer-turns': keepFewerTurns,
  'limit-messages': limitMessages,
  'compress-results': compressResults,
  'clear-results': clearResults,
  'drop-items': dropItems,
  'point-to-images': pointToImages,
  'replace-conversation': replaceConversation,
  'cut-before-answer': cutBeforeAnswer,
  plugin: pluginPass,
};

export const PASS_NAMES = Object.keys(PASSES);

/** The attempts of one line of a policy. */
export function passAttempts(spec: PassSpec, draft: CutDraft, bench: Omit<PassContext, 'spec'>): Iterable<PassAttempt> {
  // The table pairs every name with its pass, which the type of a lookup cannot express.
  const pass = PASSES[spec.pass] as Pass;
  return pass(draft, { ...bench, spec });
}
