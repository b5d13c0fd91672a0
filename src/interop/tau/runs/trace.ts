/** The messages of a recorded run as the lines of a trace. */
import type { PatchOperation } from '../../../scenario/sample.ts';
import type { TraceLine } from '../../../scenario/trace.ts';
import { taskDigest } from './doubts.ts';
import type { RecordedToolCall, RecordedMessage, RecordedRun } from './recorded-run.ts';
import { stopOf } from './stop-cause.ts';

const NO_USAGE = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };

export function traceOf(run: RecordedRun, sample: string, trial: number): TraceLine[] {
  const lines: TraceLine[] = [];
  let step = 0;
  let final = '';
  for (const [index, message] of run.messages.entries()) {
    if (message.role === 'assistant') {
      step += 1;
      if (message.text.trim() !== '') lines.push({ type: 'says', step, text: (final = message.text) });
      for (const call of ranCalls(run, message)) lines.push(callLine(run, call, step, index));
    }
    if (message.role === 'user') lines.push({ type: 'user', step, text: userText(run, message, index) });
  }
  const start = {
    type: 'start',
    version: 1,
    sample,
    trial,
    model: run.model,
    inputs: taskDigest(run),
    world: {},
  } as const;
  return [start, ...lines, endLine(run, final, lines)];
}

/** The first benchmark runs one call of a message and drops the others. */
function ranCalls({ dialect }: RecordedRun, { calls }: RecordedMessage): RecordedToolCall[] {
  return dialect === 'tau1' ? calls.slice(0, 1) : calls;
}

function callLine(run: RecordedRun, call: RecordedToolCall, step: number, index: number): TraceLine {
  const answer = answerTo(run, call, index);
  const is_error = answer === undefined || answer.isError === true || /^Error\b/.test(answer.text);
  const output = answer?.text ?? 'the recording holds no answer';
  return { type: 'call', step, tool: call.tool, input: call.args, output, is_error, change: [] as PatchOperation[] };
}

function answerTo(run: RecordedRun, call: RecordedToolCall, index: number): RecordedMessage | undefined {
  return run.messages.slice(index + 1).find(({ role, answers }) => role === 'tool' && answers === call.id);
}

/** What the user's own tools did is told as the user's words: the calls of a trace are the subject's. */
function userText(run: RecordedRun, { text, calls }: RecordedMessage, index: number): string {
  const done = calls.map((call) => {
    const answer = answerTo(run, call, index)?.text ?? 'no answer';
    return `[the user's own tool ${call.tool} ${JSON.stringify(call.args)}: ${answer}]`;
  });
  return [...(text === '' ? [] : [text]), ...done].join('\n');
}

function endLine(run: RecordedRun, final: string, lines: readonly TraceLine[]): TraceLine {
  return {
    type: 'end',
    stop: stopOf(run),
    ...(stopOf(run) === 'done' ? {} : { detail: run.termination }),
    // Not the world itself, which no recording holds: what differs from its start.
    world: run.finalDiff === undefined ? {} : { changes: run.finalDiff },
    final,
    calls: lines.filter(({ type }) => type === 'call').length,
    usage: NO_USAGE,
    costUsd: run.messages.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
    durationMs: 0,
  };
}
