/** The inputs of one compaction, and its model call; every failure of the call has a name. */
import { latestCompaction, type Core, type IncrementalView, type Pressure } from '../../context/index.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { isHarnessError, describeError } from '../../errors.ts';
import type { Model, ModelFacts, ModelRequest, ModelResponse } from '../../ports/model.ts';
import type { Progress } from '../../ports/progress.ts';
import type { FixedRequestParts } from '../build-request.ts';
import type { ConversationLog, CallDraft, CallRecorder } from '../agent-conversation.ts';
import type { PassDecision } from '../../transcript/compaction-receipt.ts';
import { omitUndefined } from '../../omit-undefined.ts';

/** Another model that writes the summaries, in a separate session (S1.13). */
export type Summarizer = { model: Model; facts: ModelFacts };

export type CompactionContext = {
  core: Core;
  fixed: FixedRequestParts;
  model: Model;
  progress: Progress;
  follower: IncrementalView;
  /** Set for a policy that names another model for summaries (S1.13). */
  summarizer?: Summarizer;
  recorder: CallRecorder;
  /** Describes the gate at which a person has yet to decide while this agent speaks (S0.18). */
  openGate?: string;
  /** Returns whether the agent's Read opens this path now, as a summary must name it; absent where there are no files (S0.17). */
  readable?: (path: string, signal: AbortSignal) => Promise<boolean>;
};

/** One compaction of one session. */
export type CompactionTask = CompactionContext & {
  session: ConversationLog;
  signal: AbortSignal;
  /** Attempts of the latest plan, for the record of the call. */
  decisions: PassDecision[];
  /** Milliseconds that the answers of summary calls took. */
  took: { ms: number };
};

export type ModelCallResult = { ok: true; response: ModelResponse } | { ok: false; cause: string; detail: string };

export async function callSummaryModel(
  task: CompactionTask,
  request: ModelRequest,
  other?: Model,
): Promise<ModelCallResult> {
  const { core, signal, took } = task;
  const { timeoutSeconds } = core.policy.summary;
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
  const record = await task.recorder.open(createCallDraft(task, 'summary'), other && task.summarizer?.facts);
  try {
    const response = await (other ?? task.model).call(request, AbortSignal.any([signal, timeout]));
    took.ms += response.ms ?? 0;
    await record.answered(response);
    return { ok: true, response };
  } catch (error) {
    await record.failed(error);
    signal.throwIfAborted();
    if (timeout.aborted) return { ok: false, cause: 'timeout', detail: `no summary within ${timeoutSeconds} s` };
    if (isHarnessError(error, 'model_unavailable'))
      return { ok: false, cause: 'transport', detail: describeError(error) };
    if (isHarnessError(error, 'model_refused'))
      return { ok: false, cause: 'model_refused', detail: describeError(error) };
    throw error;
  }
}

/** Collects what is known of a call before it is made. */
export function createCallDraft(
  { core: { policy, budget }, session, follower, openGate, decisions }: CompactionTask,
  purpose: CallDraft['purpose'],
  pressure?: Pressure,
): CallDraft {
  const { total, source, trigger, target, hard, auto } = pressure ?? follower.pressure(session.entries);
  const ranges = latestCompaction(session.entries)?.receipt.left;
  return {
    ...{ lane: session.entries.at(-1)?.lane ?? 'main', purpose },
    limit: { policy: policy.name, window: budget.window, reserved: budget.maxOutput, trigger, target, hard },
    ...{ estimate: total, source, decisions: [...decisions], rewrites: [] },
    ...omitUndefined({
      left: ranges && { where: fillTemplate(policy.longResult.fullText, { id: '<id>' }), ranges },
      ...{ openGate, auto },
    }),
  };
}
