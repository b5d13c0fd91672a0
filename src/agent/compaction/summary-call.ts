/** What a compaction works with, and the one call of it: every way in which it can fail has a name. */
import type { Core, Follower } from '../../context/index.ts';
import { isHarnessError, messageOf } from '../../errors.ts';
import type { Model, ModelFacts, ModelRequest, ModelResponse } from '../../ports/model.ts';
import type { Progress } from '../../ports/progress.ts';
import type { FixedRequestParts } from '../build-request.ts';

/** Another model that writes the summaries, in a session of its own (S1.13). */
export type Summarizer = { model: Model; facts: ModelFacts };

export type CompactionContext = {
  core: Core;
  fixed: FixedRequestParts;
  model: Model;
  progress: Progress;
  follower: Follower;
  summarizer?: Summarizer;
  /** Whether the agent's own Read opens this path now; absent where there are no files (S0.17). */
  readable?: (path: string, signal: AbortSignal) => Promise<boolean>;
};

export type ModelCallResult = { ok: true; response: ModelResponse } | { ok: false; cause: string; detail: string };

export async function callSummaryModel(
  request: ModelRequest,
  model: Model,
  { core }: CompactionContext,
  signal: AbortSignal,
): Promise<ModelCallResult> {
  const timeout = AbortSignal.timeout(core.policy.summary.timeoutSeconds * 1000);
  try {
    return { ok: true, response: await model.call(request, AbortSignal.any([signal, timeout])) };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted)
      return { ok: false, cause: 'timeout', detail: `no summary within ${core.policy.summary.timeoutSeconds} s` };
    if (isHarnessError(error, 'model_unavailable')) return { ok: false, cause: 'transport', detail: messageOf(error) };
    if (isHarnessError(error, 'model_refused')) return { ok: false, cause: 'model_refused', detail: messageOf(error) };
    throw error;
  }
}
