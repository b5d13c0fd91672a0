/** One request to the subject's model, and the effect of its answer on the conversation. */
import { markForCache } from '../../context/view/cache-marks.ts';
import { isHarnessError, describeError } from '../../errors.ts';
import { judgeAnswer, readMeaning } from '../../ports/answer-meaning.ts';
import type { Model, ModelRequest, ModelResponse, OutgoingMessage } from '../../ports/model.ts';
import type { SubjectTurn } from '../../ports/subject.ts';
import type { Block, ToolDefinition } from '../../transcript/message.ts';
import { getText, listToolUses } from '../../transcript/message.ts';
import type { StopCause } from '../../scenario/trace.ts';

/** The same for every sample, so that its prefix stays in the prompt cache. */
export type Subject = {
  model: string;
  prompt: string;
  tools: ToolDefinition[];
  maxTokens: number;
  thinking?: 'adaptive' | undefined;
};

/** Builds a request with cache marks, so that each call of a growing conversation reads what the last one wrote. */
export function subjectRequest(subject: Subject, messages: OutgoingMessage[], passing = 0): ModelRequest {
  const { prompt, tools } = subject;
  return {
    model: subject.model,
    ...markForCache({ system: [{ type: 'text' as const, text: prompt }], tools, messages }, passing),
    max_tokens: subject.maxTokens,
    ...(subject.thinking === undefined ? {} : { thinking: { type: subject.thinking } }),
  };
}

export type SubjectResponse =
  | { type: 'answered'; response: ModelResponse }
  | { type: 'stopped'; stop: Extract<StopCause, 'seconds' | 'cut' | 'infrastructure'>; detail: string };

type CallLimits = {
  leftMs: number;
  signal: AbortSignal;
  /** The user that a model plays; a refusal of the subject is a result, one of the user is not. Default: the subject. */
  by?: 'user';
};

/**
 * A model that cannot be reached ends the trial unscored, a conversation that is too long ends it. What only a person can
 * mend, an abort, a spent budget and our own faults are rethrown.
 */
export async function callSubject(
  model: Model,
  request: ModelRequest,
  { leftMs, signal, by }: CallLimits,
): Promise<SubjectResponse> {
  const { late, onPhase, stop } = answerTimer(leftMs);
  try {
    const response = await model.call(request, AbortSignal.any([signal, late]), { onPhase });
    const { means, why } = judgeAnswer(response, request, by === 'user' ? 'agent' : 'participant');
    return means === 'use' ? { type: 'answered', response } : { type: 'stopped', stop: 'infrastructure', detail: why };
  } catch (error) {
    signal.throwIfAborted();
    if (isHarnessError(error, 'model_unavailable')) return stoppedBy('infrastructure', error);
    if (late.aborted) return { type: 'stopped', stop: 'seconds', detail: 'the model did not answer in time' };
    if (readMeaning(error) === 'compact' && by !== 'user') return stoppedBy('cut', error);
    if (isHarnessError(error, 'model_refused') && readMeaning(error) === undefined)
      return stoppedBy('infrastructure', error);
    throw error;
  } finally {
    stop();
  }
}

/** Creates a timer that fires when one try has used all the time left; it is stopped while the call waits. */
function answerTimer(leftMs: number) {
  const late = new AbortController();
  const begin = () => setTimeout(() => late.abort(), Math.max(1, Math.ceil(leftMs)));
  let timer = begin();
  const stop = () => clearTimeout(timer);
  const onPhase = (phase: 'sent' | 'waiting'): void => {
    stop();
    if (phase === 'sent') timer = begin();
  };
  return { late: late.signal, onPhase, stop };
}

function stoppedBy(stop: 'cut' | 'infrastructure', error: unknown): SubjectResponse {
  const code = isHarnessError(error) ? `${error.code}: ` : '';
  return { type: 'stopped', stop, detail: `${code}${describeError(error)}` };
}

/** Returns the end that an answer means, or that the turn continues with the next request, without input. */
export function readTurnEnd(response: ModelResponse): Pick<SubjectTurn, 'end' | 'goesOn'> {
  const { stopReason } = response;
  switch (stopReason) {
    case 'end_turn':
    case 'stop_sequence':
    case 'tool_use':
      return {};
    case 'pause_turn':
      return listToolUses(response).length > 0 ? {} : { goesOn: true };
    case 'refusal': {
      const { category, explanation } = response.stopDetails ?? {};
      const details = [category, explanation].filter((part) => part !== undefined);
      return { end: { stop: 'refusal', detail: ['the model refused', ...details].join(': ') } };
    }
    case 'max_tokens':
    case 'model_context_window_exceeded':
      // The last call may be incomplete: it is not run.
      return { end: { stop: 'cut', detail: stopReason } };
    case 'compaction':
      return { end: { stop: 'infrastructure', detail: 'the server compacted a conversation on its own' } };
    default: {
      const detail = `the stop reason ${stopReason} is new to this version of Tandem, so the trial is not scored`;
      return { end: { stop: 'infrastructure', detail } };
    }
  }
}

/** Content as it goes back to the model: unchanged, thinking too, but without empty texts, which the API refuses. */
export function asSent(content: readonly Block[]): Block[] {
  return content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
}

export function assistantText(content: readonly Block[]): string {
  return getText({ content: [...content] }).trim();
}
