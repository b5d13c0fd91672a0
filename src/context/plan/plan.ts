/**
 * What one compaction would cover and keep: the ladder of the policy's passes, stopped at the first try that fits.
 *
 * No pass drops the results of finished turns between two compactions (S0.4): that would change the cached prefix every
 * turn and cost more than it saves (docs/compaction-cases.md Y10, T28). What is older than the kept steps leaves here,
 * in whole units.
 */
import { HarnessError } from '../../errors.ts';
import type { Entry } from '../../transcript/entry.ts';
import { splitSteps } from '../../transcript/step.ts';
import type { Core } from '../core.ts';
import { buildCompactionPlan } from './build-compaction-plan.ts';
import type { Occasion, Plan } from './compaction-cut.ts';
import { loadTargets } from '../limits.ts';
import { passAttempts } from '../passes/pass-registry.ts';
import { emptyDraft } from '../passes/cut-draft.ts';
import type { CutDraft } from '../passes/cut-draft.ts';
import type { PassDecision } from '../record/receipt.ts';
import { checkSafety } from './size-guard.ts';
import { compactionInputs } from './compaction-inputs.ts';
import type { CompactionInputs } from './compaction-inputs.ts';
import { shouldCompact } from './trigger.ts';
import type { Pressure } from './trigger.ts';
import { project } from '../view/view.ts';

export function planCompaction(entries: readonly Entry[], core: Core, occasion: Occasion): Plan {
  checkSafety(entries, core.policy);
  const units = splitSteps(project(entries).live);
  const last = units.at(-1);
  if (last === undefined) return { type: 'nothing' };
  if (last.kind === 'step' && last.openCalls.length > 0) return { type: 'defer', calls: last.openCalls };
  const pressure = shouldCompact(entries, core);
  const site = compactionInputs(units, entries, core, occasion, pressure);
  const decisions: PassDecision[] = [];
  const { draft, target } = draftOf(site, occasion, pressure, decisions);
  if (draft !== undefined)
    return buildCompactionPlan(draft, site, { decisions, occasion, pressure: { ...pressure, target } });
  const canWait = !mustGo(occasion, pressure) && (last.kind === 'prompt' || pressure.total <= pressure.trigger);
  return canWait ? { type: 'nothing' } : { type: 'overflow', error: overflow(core, pressure, decisions) };
}

/** Of the trigger: what a view may have that holds a question of such a size that the target cannot be reached beside it. */
const ROOM_FOR_USER_MESSAGE = 0.85;

/**
 * What was asked last leaves only when the request could not be sent with it: until then it is seen whole, once, by a model
 * that has not answered it yet (T16).
 */
function draftOf(
  site: CompactionInputs,
  occasion: Occasion,
  pressure: Pressure,
  decisions: PassDecision[],
): { draft: CutDraft | undefined; target: number } {
  const { goal, units, previous } = site;
  const { target, trigger } = pressure;
  const ladder = (asked: LastMessageRule) =>
    climb(site, goal, decisions, asked) ?? (goal < target ? climb(site, target, decisions, asked) : undefined);
  // Before any work there is nothing else that could leave (S0.14).
  const worked = previous !== undefined || units.some(({ kind }) => kind === 'step');
  if (units.at(-1)?.kind !== 'prompt' || !worked) return { draft: ladder('may leave'), target };
  const kept = ladder('stays');
  if (kept !== undefined) return { draft: kept, target };
  const room = Math.floor(trigger * ROOM_FOR_USER_MESSAGE);
  const besides = climb(site, room, decisions, 'stays');
  if (besides !== undefined) return { draft: besides, target: room };
  return { draft: mustGo(occasion, pressure) ? ladder('may leave') : undefined, target };
}

type LastMessageRule = 'stays' | 'may leave';

/** The next request would not be taken as it is. */
function mustGo({ reason }: Occasion, { urgent, because }: Pressure): boolean {
  return urgent || reason === 'window' || because === 'bytes' || because === 'images';
}

function dropsLastUserMessage({ keepFrom, left }: CutDraft, units: CompactionInputs['units']): boolean {
  return (
    keepFrom === units.length ||
    units.at(-1)?.entries.some(({ id, item }) => item === undefined && left.has(id)) === true
  );
}

/** Runs the passes in order; undefined when not even the last try fits. Every try is a decision in the receipt (S4.4). */
function climb(
  site: CompactionInputs,
  goal: number,
  decisions: PassDecision[],
  asked: LastMessageRule,
): CutDraft | undefined {
  const { units, previous, core } = site;
  const { policy } = core;
  const others = loadTargets(policy);
  let draft: CutDraft = {
    ...emptyDraft(),
    shortened: { ...previous?.shortened },
    inputs: { ...previous?.inputs },
    pointers: { ...previous?.pointers },
  };
  const bench = { units, policy, messages: others.messages, pinned: site.pinned };
  for (const spec of policy.passes)
    for (const attempt of passAttempts(spec, draft, bench)) {
      draft = attempt.draft;
      if (asked === 'stays' && dropsLastUserMessage(draft, units)) continue;
      const { steps, pending } = site.sizer.kept(draft);
      const told = draft.summarise || [...draft.left].some((id) => !site.items.has(id));
      const named = told ? site.fixed : site.standing;
      const tokens = Math.ceil(named + (steps.tokens + pending.tokens) * site.ratio);
      decisions.push({ attempt: decisions.length + 1, pass: spec.pass, detail: attempt.detail, tokens });
      const light =
        steps.messages + pending.messages <= others.messages &&
        steps.bytes + pending.bytes <= others.bytes &&
        steps.images + pending.images <= others.images;
      const bounded = draft.summarise ? steps.tokens * site.ratio <= policy.keep.maxTokens : tokens < site.worthwhile;
      if (light && bounded && tokens <= goal) return draft;
    }
  return undefined;
}

/** S0.16, S4.5: nothing that the policy allows makes it fit, and another try would find the same. */
function overflow({ policy, budget }: Core, { total, target }: Pressure, decisions: PassDecision[]): HarnessError {
  return new HarnessError(
    'context_overflow',
    `The context of ${total} tokens cannot be brought under ${target}: after ${decisions.length} tries of policy ` +
      `"${policy.name}" ${decisions.at(-1)?.tokens ?? total} tokens would be left. Use a model with a larger window, or ` +
      `lower the caps of facts and summary in the policy.`,
    { details: { ...budget, total, target, policy: policy.name, tried: decisions } },
  );
}
