/** Fits a session's requests into window and task budget: layers first, then compaction when it is due, then the request. */
import {
  checkSafety,
  checkWindow,
  createIncrementalView,
  limitsOf,
  type Budget,
  type Core,
  type Moment,
  type Policy,
  type Pressure,
  ephemeralEntry,
} from '../../context/index.ts';
import { sha256 } from '../../disk/sha256.ts';
import { HarnessError, ignoreHarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { toPriceWeights } from '../../ports/model.ts';
import type { Progress } from '../../ports/progress.ts';
import { createFaultFinder } from '../../transcript/protocol.ts';
import { estimateFloor, estimateMessages } from '../../transcript/tokens.ts';
import type { ToolDefinition } from '../../transcript/message.ts';
import { buildRequest, type FittedModel, type FixedRequestParts } from '../build-request.ts';
import { compact } from './compact.ts';
import type { LoadedAgent, AgentDefinition } from '../definition.ts';
import { createLayers, type LayerSources } from '../layers.ts';
import type { RequestFitter } from '../loop.ts';
import { createCallRecorder, type CallDraft, type CallLog } from '../agent-conversation.ts';
import { toRewrites } from '../../transcript/call-record.ts';
import type { Entry, EntryDraft } from '../../transcript/entry.ts';
import { createCallDraft, type CompactionContext, type CompactionTask } from './summary-call.ts';
import type { Prompts } from '../../context/core.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';

/** The parts of an agent that decide on its context. */
export type FittedAgent = Pick<LoadedAgent, 'systemPrompt' | 'policy' | 'fields' | 'prompts' | 'passes'> & {
  definition: Pick<LoadedAgent['definition'], 'name' | 'max_tokens' | 'task_budget'>;
};

export type FitterOptions = Omit<CompactionContext, 'core' | 'fixed' | 'follower' | 'recorder'> & {
  agent: FittedAgent;
  facts: FittedModel;
  tools: readonly ToolDefinition[];
  /** `CODE_LAW.md`, skills and memory, for a policy that has these layers. */
  layers?: LayerSources;
  /** Called before each model call; tells whether the prompt cache has expired, so that a rewrite costs no prefix. */
  moment?: () => Moment;
  /** Where the record of every call goes; nothing is recorded when absent. */
  calls?: CallLog;
};

/** Throws `context_overflow` when the window is too small for this agent (S0.22). */
export function createRequestFitter(options: FitterOptions): RequestFitter {
  const { agent, facts, tools, model, progress, summarizer, moment = () => ({}) } = options;
  const { definition, prompts, fields, systemPrompt: system } = agent;
  const policy = agent.policy.trigger.auto === true ? withModelPrices(agent.policy, facts) : agent.policy;
  const maxTokens = Math.min(definition.max_tokens, facts.maxOutput);
  const { thinking } = policy;
  const fixed: FixedRequestParts = { agent: definition.name, system, tools, maxTokens, facts, thinking };
  const budget: Budget = { window: facts.window, maxOutput: maxTokens, floor: estimateFloor([system], tools) };
  const traits = { systemMessages: facts.systemMessages === true, boundThinking: facts.boundThinking };
  const more = omitUndefined({ timeOf: options.calls?.timeOf, passes: agent.passes });
  const core: Core = { policy, prompts, fields, budget, model: traits, ...more };
  checkWindow(policy, budget);
  const { keep: _keep, ...sizes } = limitsOf(policy, budget);
  const follower = createIncrementalView(core);
  const recorder = createCallRecorder(options.calls, definition.name, facts);
  const findFault = createFaultFinder();
  const layers = createLayers(core, options.layers ?? {});
  const shared: CompactionContext = {
    ...{ core, fixed, model, progress, follower, recorder },
    ...omitUndefined({ summarizer, readable: options.readable, openGate: options.openGate }),
  };
  let isReported = false;
  return {
    context: {
      ...{ policy: policy.name, window: facts.window, ...sizes, header: digestHeader(fixed) },
      ...{ model: facts.id, tools: tools.map(({ name }) => name) },
    },
    boundThinking: facts.boundThinking,
    fit: async (session, force, signal) => {
      const from = session.entries.length;
      const budgeted = () => ({ ...fixed, taskBudget: readTaskBudget(session.entries, agent, facts) });
      const task: CompactionTask = { ...shared, fixed: budgeted(), session, signal, decisions: [], took: { ms: 0 } };
      const draft = (pressure?: Pressure): CallDraft => {
        const rewrites = session.entries.slice(from).flatMap((entry) => toRewrites(entry, task.took.ms || undefined));
        // The receipt already contains the attempts of a compaction that was made.
        const decisions = rewrites.some((one) => 'receipt' in one) ? [] : task.decisions;
        return { ...createCallDraft({ ...task, decisions }, 'answer', pressure), rewrites };
      };
      try {
        // Until the server has finished its answer, nothing may follow it, and no cut may part it.
        const { paused = false } = follower.view(session.entries);
        if (!paused) await layers.bring(session, signal);
        for (const note of paused ? [] : listBudgetNotes(session.entries, agent, facts)) await session.append(note);
        checkSafety(session.entries, policy);
        const before = await measurePressure(task, moment());
        const compacts = (before.due || force) && !paused;
        if (compacts) await compact(task, before, force);
        // A compaction may have removed content that every call must hold, so the layers are added again (S4.2).
        if (compacts) await layers.bring(session, signal);
        const after = compacts ? follower.pressure(session.entries) : before;
        if (after.urgent) throw createOverflowError(definition.name, after, budget);
        if (!paused && !isReported) isReported = reportOver(definition.name, after, progress);
        const shown = follower.view(session.entries);
        const request = buildRequest(shown, { ...budgeted(), findFault });
        const open = (other?: FittedModel) => recorder.open({ ...draft(after), epoch: shown.epoch }, other);
        return { request, epoch: shown.epoch, contextTokens: after.total, triggerTokens: after.trigger, open };
      } catch (error) {
        if (!signal.aborted) await recorder.notSent(draft(), error);
        throw error;
      }
    },
  };
}

/** Puts the real prices in place of the policy's usual ones, for `trigger: auto`. */
export function withModelPrices(policy: Policy, { price }: Pick<FittedModel, 'price'>): Policy {
  if (price === undefined || price.input <= 0) return policy;
  return { ...policy, economics: { ...policy.economics, ...toPriceWeights(price) } };
}

/** Digests what may differ when a run continues with a newer program: the prompt, the tools and the model. */
function digestHeader({ facts, system, tools }: FixedRequestParts): string {
  return sha256(JSON.stringify([facts.id, system, tools])).slice(0, 16);
}

/** Share of a limit; an estimate within this distance of the limit is not trusted. */
const CLOSE = 0.08;

/** Near a limit the API counts the tokens, if it can (S0.6). A failed count changes nothing; an abort is passed on. */
async function measurePressure(task: CompactionTask, moment: Moment): Promise<Pressure> {
  const { session, follower, fixed, model, signal } = task;
  const pressure = follower.pressure(session.entries, moment);
  const { total, trigger, hard, source } = pressure;
  const near = [trigger, hard].some((limit) => Math.abs(total - limit) < limit * CLOSE);
  if (!near || source === 'usage' || model.countTokens === undefined) return pressure;
  const request = buildRequest(follower.view(session.entries), fixed);
  const counted = await model.countTokens(request, signal).catch(ignoreHarnessError);
  if (counted === undefined) return pressure;
  const others = pressure.because === undefined || pressure.because === 'tokens' ? counted > trigger : true;
  return { ...pressure, total: counted, due: others, urgent: counted > hard };
}

/** Says that a request is sent although it is over the trigger; false when it is not. */
function reportOver(agent: string, { total, trigger, hard }: Pressure, progress: Progress): boolean {
  if (total <= trigger) return false;
  const detail = `${agent}: ${total} tokens cannot be brought under the trigger of ${trigger} now; they are sent, because ${hard} fit.`;
  progress({ type: 'state', status: 'notice', detail });
  return true;
}

function createOverflowError(agent: string, { total, hard }: Pressure, budget: Budget): HarnessError {
  return new HarnessError(
    'context_overflow',
    `The next request of agent ${agent} would have about ${total} tokens, and ${hard} fit together with its answer (window ${budget.window}).`,
    { details: { agent, total, hard, ...budget } },
  );
}

type BudgetedAgent = { definition: Pick<AgentDefinition, 'task_budget'>; prompts: Pick<Prompts, 'budget'> };

/**
 * The budget as the API wants it. It counts what it is shown, so after a compaction it must be told what has left. Between two
 * compactions the value stays the same, and so does the cached prefix.
 */
export function readTaskBudget(
  entries: readonly Entry[],
  { definition: { task_budget: total } }: BudgetedAgent,
  { taskBudget }: FittedModel,
): FixedRequestParts['taskBudget'] {
  if (total === undefined || taskBudget !== true) return undefined;
  const turn = listTurn(entries);
  const covers = turn.findLast((entry) => entry.type === 'compaction')?.coversThrough;
  const gone = turn.slice(0, turn.findIndex(({ id }) => id === covers) + 1);
  const spent = sumSpent(gone);
  return { type: 'tokens', total, ...(spent === 0 ? {} : { remaining: Math.max(0, total - spent) }) };
}

/** Parts of the budget after each of which a model without a countdown is told what is left. */
const PARTS = 4;

/** Returns a note when the newest step has used up one more part of the budget. */
export function listBudgetNotes(
  entries: readonly Entry[],
  { definition: { task_budget: total }, prompts: { budget: text } }: BudgetedAgent,
  { taskBudget, boundThinking }: FittedModel,
): EntryDraft[] {
  if (total === undefined || taskBudget === true || text === undefined) return [];
  const turn = listTurn(entries);
  const newest = turn.findLastIndex((entry) => entry.type === 'message' && entry.origin === 'model');
  const [before, now] = [turn.slice(0, newest), turn].map((list) => total - sumSpent(list)) as [number, number];
  if (newest < 0 || countParts(before, total) === countParts(now, total)) return [];
  const left = String(Math.max(0, now));
  return [ephemeralEntry(fillTemplate(text, { left, total: String(total) }), boundThinking)];
}

function countParts(left: number, total: number): number {
  return Math.max(0, Math.ceil((left * PARTS) / total));
}

/** The entries since the turn was opened: what a person or the harness said before is paid by an earlier budget. */
function listTurn(entries: readonly Entry[]): readonly Entry[] {
  return entries.slice(entries.findLastIndex((entry) => entry.type === 'message' && entry.context !== undefined) + 1);
}

/** Answers, thinking included, and results of tools. */
function sumSpent(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => {
    if (entry.type !== 'message' || (entry.origin !== 'model' && entry.origin !== 'tools')) return sum;
    return sum + (entry.response?.usage.output_tokens ?? estimateMessages([entry.message]));
  }, 0);
}
