/**
 * Plans one compaction: the policy's passes are tried in order until an attempt fits.
 *
 * No pass drops the results of finished turns between two compactions (S0.4): that would change the cached prefix every
 * turn and cost more than it saves (docs/internals/compaction-cases.md Y10, T28). Messages before the retained steps leave here, in whole units.
 */
import { HarnessError } from '../../errors.ts';
import { estimateTexts } from '../../transcript/tokens.ts';
import { toSnapshot, type ContextSnapshot, type EntriesOrSnapshot } from '../context-snapshot.ts';
import type { PassDecision } from '../../transcript/compaction-receipt.ts';
import type { Core } from '../core.ts';
import { buildCompactionPlan } from './build-compaction-plan.ts';
import type { CompactionReason, Cut, CutContext, Plan } from './compaction-cut.ts';
import { checkSafety, limitsAt, loadTargets, widestLimits } from '../limits.ts';
import { passAttempts } from '../passes/pass-registry.ts';
import { emptyDraft, type CutDraft } from '../passes/cut-draft.ts';
import { compactionInputs, type CompactionInputs } from './compaction-inputs.ts';
import { shouldCompact } from './pressure.ts';
import { addLoad } from './request-load.ts';

export function planCompaction(transcript: EntriesOrSnapshot, core: Core, occasion: CompactionReason): Plan {
  const snapshot = toSnapshot(transcript);
  checkSafety(snapshot.entries, core.policy);
  const pressure = shouldCompact(snapshot, core);
  const last = snapshot.units.at(-1);
  if (last === undefined) return { type: 'nothing' };
  const isOpen = last.openCalls.length > 0 || snapshot.projection.projector.open();
  if (last.kind === 'step' && isOpen) return { type: 'defer', calls: last.openCalls };
  const plan = planWithin(snapshot, core, { occasion, pressure });
  // A trigger is a wish: what does not fit under it waits until the window itself needs a compaction.
  const most = pressure.auto?.ceiling ?? widestLimits(core.policy, core.budget).trigger;
  if (plan.type === 'cut' || (plan.type === 'nothing' && pressure.total <= most)) return plan;
  const late = { ...pressure, ...limitsAt(most, pressure.hard, core.policy) };
  return planWithin(snapshot, core, { occasion, pressure: late });
}

function planWithin(
  snapshot: ContextSnapshot,
  core: Core,
  { occasion, pressure }: Pick<CompactionInputs, 'occasion' | 'pressure'>,
): Plan {
  const inputs = compactionInputs(snapshot, core, { occasion, pressure });
  const { draft, target, decisions } = findDraft(inputs);
  if (draft !== undefined) return buildCompactionPlan(draft, inputs, { target, decisions });
  if (!mustCompact(inputs)) return { type: 'nothing', tried: decisions };
  return { type: 'overflow', error: createOverflowError(inputs, decisions), tried: decisions };
}

/**
 * The cut chosen again for the summary that was really written, of which `texts` are all that the new view holds before its
 * retained units: of the agent's N steps more stay than with the largest summary (S0.5, S0.10). The request covered them anyway.
 * Where N stay already, or `trigger: auto` asks for the cheapest session, nothing is gained: a fuller view only costs more.
 */
export function chooseCutAgain({ snapshot, core, cut }: CutContext, texts: readonly string[]): Cut | undefined {
  const place = cut.decisions.findIndex(({ taken }) => taken);
  const goal = cut.decisions[place]?.goal ?? 0;
  const { target, floor, ratio } = cut.pressure;
  const most = core.policy.keep.steps;
  if (cut.stepsKept >= most || cut.pressure.auto !== undefined) return undefined;
  const fixed = (floor + estimateTexts(texts)) * ratio;
  const inputs = { ...compactionInputs(snapshot, core, cut), fixed, goal: cut.goal, growth: cut.growth };
  const made: MeasuredAttempt[] = [];
  for (const attempt of generateAttempts(inputs)) {
    if (made.length >= place) return undefined;
    made.push(attempt);
    if (!reachesAim(attempt, { goal, target, mayDropLast: false })) continue;
    const chosen = buildCompactionPlan(attempt.draft, inputs, { target, decisions: toDecisions(made, goal, attempt) });
    // A model may have written the summary that the API itself was to write.
    if (chosen.stepsKept > most) continue;
    if (chosen.by === cut.by || (chosen.by === 'server' && cut.by === 'model')) return { ...chosen, by: cut.by };
  }
  return undefined;
}

/** Share of the trigger for a view with an unread message or step so large that the target cannot be reached with it. */
const ROOM_FOR_UNREAD = 0.85;

/** One attempt of a pass as it was measured; `limit` names another limit than tokens that it breaks. */
type MeasuredAttempt = {
  draft: CutDraft;
  pass: string;
  detail: string;
  tokens: number;
  limit?: string;
  /** Only the share of the retained steps is broken, by the newest unit alone, which nobody has read. */
  onlyUnread?: boolean;
  dropsLast: boolean;
  stepsKept: number;
};

type DraftChoice = { draft: CutDraft | undefined; target: number; decisions: PassDecision[] };

/**
 * The first attempt that reaches the goal; where none does, the first that reaches a lesser one. What the model has not read
 * leaves last: the newest step when nothing else brings the view under the trigger, a user message only when the request
 * could not be sent with it. `trigger: auto` asks for the cheapest session, so no more than the agent's N steps stay where
 * a choice is left. Every attempt is made once.
 */
function findDraft(inputs: CompactionInputs): DraftChoice {
  const aims = listAims(inputs);
  const made: MeasuredAttempt[] = [];
  for (const attempt of generateAttempts(inputs)) {
    made.push(attempt);
    if (reachesAim(attempt, aims[0])) break;
  }
  for (const [place, aim] of aims.entries()) {
    const reaching = made.filter((attempt) => reachesAim(attempt, aim));
    // Where only what is unread keeps the view above an earlier goal, it stays with the least that is possible.
    const better = aims.slice(0, place).map((one) => ({ ...one, mayDropLast: true }));
    const onlyUnread = aim.forUnread ?? made.some((attempt) => better.some((one) => reachesAim(attempt, one)));
    const least = onlyUnread ? 0 : inputs.pressure.auto && inputs.core.policy.keep.steps;
    const taken = (least === undefined ? undefined : findSmallest(reaching, least)) ?? reaching[0];
    if (taken !== undefined)
      return { draft: taken.draft, target: aim.target, decisions: toDecisions(made, aim.goal, taken) };
  }
  const { target } = inputs.pressure;
  return { draft: undefined, target, decisions: toDecisions(made, aims.at(-1)?.goal ?? target, undefined) };
}

/** The attempt with the fewest tokens of those that retain so many steps. */
function findSmallest(attempts: readonly MeasuredAttempt[], steps: number): MeasuredAttempt | undefined {
  return attempts.filter((one) => one.stepsKept >= steps).toSorted((one, other) => one.tokens - other.tokens)[0];
}

function reachesAim({ tokens, limit, onlyUnread, dropsLast }: MeasuredAttempt, aim: Aim | undefined): boolean {
  if (aim === undefined || tokens > aim.goal || (dropsLast && !aim.mayDropLast)) return false;
  return limit === undefined || (onlyUnread === true && aim.forUnread === true);
}

/** With `forUnread` the newest unit alone may be larger than the share of the retained steps. */
type Aim = { goal: number; target: number; mayDropLast: boolean; forUnread?: true };

function listAims(inputs: CompactionInputs): Aim[] {
  const { goal, units, previous } = inputs;
  const { target, trigger } = inputs.pressure;
  const goals = goal < target ? [goal, target] : [goal];
  const freely = goals.map((one) => ({ goal: one, target, mayDropLast: true }));
  // Before any work nothing else could leave (S0.14).
  const worked = previous !== undefined || units.some(({ kind }) => kind === 'step');
  if (!worked) return freely;
  const isStep = units.at(-1)?.kind === 'step';
  const mayLeave = isStep || mustCompact(inputs);
  const room = Math.floor(trigger * ROOM_FOR_UNREAD);
  return [
    ...goals.map((one) => ({ goal: one, target, mayDropLast: false })),
    // A compaction that is not due yet must gain more than that.
    ...(isStep && inputs.pressure.total <= trigger
      ? []
      : [{ goal: room, target: room, mayDropLast: false, forUnread: true as const }]),
    ...(mayLeave ? freely : []),
  ];
}

/** Records each attempt with its goal, whether it fitted, and why it was not taken (S4.4). */
function toDecisions(
  made: readonly MeasuredAttempt[],
  goal: number,
  taken: MeasuredAttempt | undefined,
): PassDecision[] {
  return made.map((one, place) => {
    const { pass, detail, tokens, limit } = one;
    const fits = one === taken || (tokens <= goal && limit === undefined);
    const decision = { attempt: place + 1, pass, detail, tokens, goal, fits, taken: one === taken };
    if (one === taken) return decision;
    const other = one.dropsLast ? 'what the model has not read yet would leave' : 'an earlier attempt fits too';
    return { ...decision, why: limit ?? (tokens > goal ? `${tokens - goal} tokens over the goal` : other) };
  });
}

/** True when the API would refuse the next request without a compaction. */
function mustCompact({ occasion: { reason }, pressure: { urgent, because } }: CompactionInputs): boolean {
  return urgent || reason === 'window' || because === 'bytes' || because === 'images';
}

function dropsUnread({ keepFrom, left }: CutDraft, units: CompactionInputs['units']): boolean {
  return (
    keepFrom === units.length ||
    units.at(-1)?.entries.some(({ id, item }) => item === undefined && left.has(id)) === true
  );
}

/** The attempts of all passes, in order, each made when it is needed. */
function* generateAttempts(inputs: CompactionInputs): Generator<MeasuredAttempt, void> {
  const { units, previous, pinned } = inputs;
  const { policy } = inputs.core;
  const { messages } = loadTargets(policy);
  let draft: CutDraft = {
    ...emptyDraft(),
    shortened: { ...previous?.shortened },
    inputs: { ...previous?.inputs },
    pointers: { ...previous?.pointers },
  };
  // Every check is made before a model call, so no answer has followed the last unit.
  for (const spec of policy.passes)
    for (const attempt of passAttempts(spec, draft, { units, policy, messages, pinned, plugins: inputs.core.passes })) {
      draft = attempt.draft;
      const dropsLast = dropsUnread(draft, units);
      const pass = spec.pass === 'plugin' ? `plugin:${spec.plugin}` : spec.pass;
      const stepsKept = units.slice(draft.keepFrom).filter(({ kind }) => kind === 'step').length;
      yield { draft, dropsLast, stepsKept, pass, detail: attempt.detail, ...measureDraft(draft, inputs) };
    }
}

/** Tokens of the view that the draft would make, and the first other limit that it would break. */
function measureDraft(
  draft: CutDraft,
  inputs: CompactionInputs,
): Pick<MeasuredAttempt, 'tokens' | 'limit' | 'onlyUnread'> {
  const { policy } = inputs.core;
  const { ratio, items, pressure } = inputs;
  const { steps, pending } = inputs.measureRetained(draft);
  const summarised = draft.summarise || [...draft.left].some((id) => !items.has(id));
  const fixed = summarised ? inputs.fixed : inputs.fixedByEdits;
  const tokens = Math.ceil(fixed + (steps.tokens + pending.tokens) * ratio);
  const limits = loadTargets(policy);
  const load = addLoad(steps, pending);
  const over = (['messages', 'bytes', 'images'] as const).find((name) => load[name] > limits[name]);
  const kept = Math.ceil(steps.tokens * ratio);
  if (over !== undefined) return { tokens, limit: `${load[over]} ${over}, at most ${limits[over]}` };
  if (draft.summarise && kept > pressure.keep)
    return {
      ...{ tokens, limit: `${kept} tokens of kept steps, at most ${pressure.keep}` },
      onlyUnread: draft.keepFrom === inputs.units.length - 1,
    };
  return draft.summarise || tokens < inputs.worthwhile ? { tokens } : { tokens, limit: 'saves too little' };
}

/** The error when no pass of the policy makes the context fit; another try would find the same (S0.16, S4.5). */
function createOverflowError(
  { core: { policy, budget }, pressure: { total, target } }: CompactionInputs,
  decisions: readonly PassDecision[],
): HarnessError {
  return new HarnessError(
    'context_overflow',
    `The context of ${total} tokens cannot be brought under ${target}: after ${decisions.length} tries of policy ` +
      `"${policy.name}" ${decisions.at(-1)?.tokens ?? total} tokens would be left. Use a model with a larger window, or ` +
      `lower the caps of facts and summary in the policy.`,
    { details: { ...budget, total, target, policy: policy.name, tried: decisions } },
  );
}
