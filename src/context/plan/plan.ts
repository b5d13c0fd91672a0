/**
 * Plans one compaction: the policy's passes are tried in order until an attempt fits.
 *
 * No pass drops the results of finished turns between two compactions (S0.4): that would change the cached prefix every
 * turn and cost more than it saves (docs/compaction-cases.md Y10, T28). Messages before the retained steps leave here, in whole units.
 */
import { HarnessError } from '../../errors.ts';
import type { Entry } from '../../transcript/entry.ts';
import { snapshotOf, type EntriesOrSnapshot } from '../context-snapshot.ts';
import type { Core } from '../core.ts';
import { buildCompactionPlan } from './build-compaction-plan.ts';
import type { Occasion, Plan } from './compaction-cut.ts';
import { loadTargets } from '../limits.ts';
import { passAttempts } from '../passes/pass-registry.ts';
import { emptyDraft, type CutDraft } from '../passes/cut-draft.ts';
import type { Policy } from '../policy.ts';
import { compactionInputs, type CompactionInputs } from './compaction-inputs.ts';
import { shouldCompact } from './pressure.ts';

export function planCompaction(transcript: EntriesOrSnapshot, core: Core, occasion: Occasion): Plan {
  const snapshot = snapshotOf(transcript);
  checkSafety(snapshot.entries, core.policy);
  const pressure = shouldCompact(snapshot, core);
  const last = snapshot.units.at(-1);
  if (last === undefined) return { type: 'nothing' };
  if (last.kind === 'step' && last.openCalls.length > 0) return { type: 'defer', calls: last.openCalls };
  const inputs = compactionInputs(snapshot, core, { occasion, pressure });
  const { draft, target } = findDraft(inputs);
  if (draft !== undefined) return buildCompactionPlan(draft, inputs, target);
  const canWait = !mustCompact(inputs) && (last.kind === 'prompt' || pressure.total <= pressure.trigger);
  return canWait ? { type: 'nothing' } : { type: 'overflow', error: overflow(inputs) };
}

/** A transcript beyond the policy's limits is refused before anything walks it (S4.10). */
function checkSafety(entries: readonly Entry[], { safety, name }: Policy): void {
  let edges = 0;
  for (const { parents } of entries) edges += parents.length;
  if (entries.length <= safety.entries && edges <= safety.edges) return;
  throw new HarnessError(
    'safety_limit_exceeded',
    `The transcript has ${entries.length} entries with ${edges} links to parents; policy "${name}" allows ` +
      `${safety.entries} and ${safety.edges}. Begin a new session, or raise safety in the policy.`,
    { details: { entries: entries.length, edges, limits: safety } },
  );
}

/** Share of the trigger for a view with a user message so large that the target cannot be reached with it. */
const ROOM_FOR_USER_MESSAGE = 0.85;

/** The last user message, which the model has not read, is removed only when the request could not be sent with it. */
function findDraft(inputs: CompactionInputs): { draft: CutDraft | undefined; target: number } {
  const { goal, units, previous } = inputs;
  const { target, trigger } = inputs.pressure;
  const tryPasses = (rule: LastMessageRule) =>
    attemptPasses(inputs, goal, rule) ?? (goal < target ? attemptPasses(inputs, target, rule) : undefined);
  // Before any work nothing else could leave (S0.14).
  const worked = previous !== undefined || units.some(({ kind }) => kind === 'step');
  if (units.at(-1)?.kind !== 'prompt' || !worked) return { draft: tryPasses('may leave'), target };
  const draft = tryPasses('stays');
  if (draft !== undefined) return { draft, target };
  const room = Math.floor(trigger * ROOM_FOR_USER_MESSAGE);
  const larger = attemptPasses(inputs, room, 'stays');
  if (larger !== undefined) return { draft: larger, target: room };
  return { draft: mustCompact(inputs) ? tryPasses('may leave') : undefined, target };
}

type LastMessageRule = 'stays' | 'may leave';

/** The API would refuse the next request. */
function mustCompact({ occasion: { reason }, pressure: { urgent, because } }: CompactionInputs): boolean {
  return urgent || reason === 'window' || because === 'bytes' || because === 'images';
}

function dropsLastUserMessage({ keepFrom, left }: CutDraft, units: CompactionInputs['units']): boolean {
  return (
    keepFrom === units.length ||
    units.at(-1)?.entries.some(({ id, item }) => item === undefined && left.has(id)) === true
  );
}

/** Runs the passes in order; undefined when not even the last attempt fits. The receipt lists every attempt (S4.4). */
function attemptPasses(inputs: CompactionInputs, goal: number, lastMessage: LastMessageRule): CutDraft | undefined {
  const { units, previous, decisions, pinned } = inputs;
  const { policy } = inputs.core;
  const { messages } = loadTargets(policy);
  let draft: CutDraft = {
    ...emptyDraft(),
    shortened: { ...previous?.shortened },
    inputs: { ...previous?.inputs },
    pointers: { ...previous?.pointers },
  };
  for (const spec of policy.passes)
    for (const attempt of passAttempts(spec, draft, { units, policy, messages, pinned })) {
      draft = attempt.draft;
      if (lastMessage === 'stays' && dropsLastUserMessage(draft, units)) continue;
      const { tokens, fits } = measureDraft(draft, inputs);
      decisions.push({ attempt: decisions.length + 1, pass: spec.pass, detail: attempt.detail, tokens });
      if (fits && tokens <= goal) return draft;
    }
  return undefined;
}

/** Tokens of the view that the draft would make; `fits`: by every other limit, too. */
function measureDraft(draft: CutDraft, inputs: CompactionInputs): { tokens: number; fits: boolean } {
  const { policy } = inputs.core;
  const { ratio, items } = inputs;
  const { steps, pending } = inputs.sizer.retained(draft);
  const summarised = draft.summarise || [...draft.left].some((id) => !items.has(id));
  const fixed = summarised ? inputs.fixed : inputs.fixedByEdits;
  const tokens = Math.ceil(fixed + (steps.tokens + pending.tokens) * ratio);
  const limits = loadTargets(policy);
  const light =
    steps.messages + pending.messages <= limits.messages &&
    steps.bytes + pending.bytes <= limits.bytes &&
    steps.images + pending.images <= limits.images;
  const bounded = draft.summarise ? steps.tokens * ratio <= policy.keep.maxTokens : tokens < inputs.worthwhile;
  return { tokens, fits: light && bounded };
}

/** S0.16, S4.5: nothing that the policy allows makes it fit, and another try would find the same. */
function overflow({
  core: { policy, budget },
  pressure: { total, target },
  decisions,
}: CompactionInputs): HarnessError {
  return new HarnessError(
    'context_overflow',
    `The context of ${total} tokens cannot be brought under ${target}: after ${decisions.length} tries of policy ` +
      `"${policy.name}" ${decisions.at(-1)?.tokens ?? total} tokens would be left. Use a model with a larger window, or ` +
      `lower the caps of facts and summary in the policy.`,
    { details: { ...budget, total, target, policy: policy.name, tried: decisions } },
  );
}
