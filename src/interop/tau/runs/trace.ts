/** Converts the messages of a recorded run to the lines of a trace. */
import type { StopCause, TraceLine } from '../../../scenario/trace.ts';
import { importedTrace } from '../../imported-results.ts';
import { taskDigest } from './mismatched-recordings.ts';
import type { RecordedToolCall, RecordedMessage, RecordedRun } from './recorded-run.ts';

export function toTrace(run: RecordedRun, sample: string, trial: number): TraceLine[] {
  const lines: TraceLine[] = [];
  let step = 0;
  for (const [index, message] of run.messages.entries()) {
    const answerOf = (call: RecordedToolCall) => answerTo(run.messages.slice(index + 1), call);
    if (message.role === 'assistant') {
      step += 1;
      if (message.text.trim() !== '') lines.push({ type: 'says', step, text: message.text });
      for (const call of ranCalls(run, message)) lines.push(callLine(call, step, answerOf(call)));
    }
    if (message.role === 'user') lines.push({ type: 'user', step, text: userText(message, answerOf) });
  }
  const stop = toStopCause(run);
  return importedTrace({ sample, trial, model: run.model, inputs: taskDigest(run) }, lines, {
    stop,
    detail: stop === 'done' ? undefined : run.termination,
    // A recording contains no world, only the changes to it.
    world: run.finalDiff === undefined ? {} : { changes: run.finalDiff },
    costUsd: sumCost(run),
    durationMs: 0,
  });
}

/** The way in which a recorded run ended. An outage is unscored here, whatever its benchmark counts. */
export function toStopCause({ termination }: RecordedRun): StopCause {
  if (/^(stop|transfer|user_stop|agent_stop)$/.test(termination)) return 'done';
  if (termination.includes('infrastructure')) return 'infrastructure';
  return termination.includes('timeout') ? 'seconds' : 'steps';
}

export function sumCost({ messages }: RecordedRun): number {
  return messages.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
}

/** tau-bench runs the first call of a message and drops the others. */
function ranCalls({ dialect }: RecordedRun, { calls }: RecordedMessage): RecordedToolCall[] {
  return dialect === 'tau1' ? calls.slice(0, 1) : calls;
}

function callLine(call: RecordedToolCall, step: number, answer: RecordedMessage | undefined): TraceLine {
  const is_error = answer === undefined || answer.isError === true || /^Error\b/.test(answer.text);
  const output = answer?.text ?? 'the recording holds no answer';
  return { type: 'call', step, tool: call.tool, input: call.args, output, is_error, change: [] };
}

function answerTo(later: readonly RecordedMessage[], { id }: RecordedToolCall): RecordedMessage | undefined {
  return later.find(({ role, answers }) => role === 'tool' && answers === id);
}

/** Calls of the user become words of the user, because the calls in an imported trace are the subject's. */
function userText(
  { text, calls }: RecordedMessage,
  answerOf: (call: RecordedToolCall) => RecordedMessage | undefined,
): string {
  const done = calls.map((call) => {
    const answer = answerOf(call)?.text ?? 'no answer';
    return `[the user's own tool ${call.tool} ${JSON.stringify(call.args)}: ${answer}]`;
  });
  return [...(text === '' ? [] : [text]), ...done].join('\n');
}
