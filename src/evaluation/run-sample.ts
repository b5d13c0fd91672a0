/** One subject on one sample in one trial: the conversation with the scripted user, its calls, its trace on disk. */
import { costOf, type Model, type ModelFacts, type OutgoingMessage } from '../ports/model.ts';
import type { TraceLine } from '../scenario/trace.ts';
import { toolUses, type Block, type ToolUseBlock, type Usage } from '../transcript/message.ts';
import { answerAsUser } from './answer-as-user.ts';
import { callTool, type Stage } from './call-tool.ts';
import type { LoadedSample } from './components.ts';
import type { Played, Stop } from './played.ts';
import { asSent, callSubject, meaningOf, saidIn, subjectRequest, type Subject } from './subject-turn.ts';
import { openTrace, tracePath, type TraceFile } from './trace-file.ts';

export type RunSampleInput = {
  loaded: LoadedSample;
  trial: number;
  subject: Subject;
  /** What a sample without limits of its own gets. */
  limits: { steps: number; seconds: number };
  stage: Stage;
  model: Model;
  price: ModelFacts['price'];
  /** Folder of the iteration; the trace is written below it. */
  dir: string;
  /** Digest of everything that the trace depends on. */
  inputs: string;
  now: () => number;
  /** What stands in trace and result for a measured duration. */
  durationOf: (measuredMs: number) => number | Promise<number>;
  signal: AbortSignal;
};

export type SampleRun = {
  played: Played;
  detail: string | undefined;
  trace: string;
  costUsd: number;
  durationMs: number;
};

/** What changes while a trial runs. */
type Live = Played & { messages: OutgoingMessage[]; usage: Usage; costUsd: number; detail: string | undefined };

const MAX_RESULT_CHARS = 30_000;

export async function runSample(input: RunSampleInput): Promise<SampleRun> {
  const { loaded, trial, now } = input;
  const { sample, world } = loaded;
  const startedAt = now();
  const path = tracePath(sample.id, trial);
  const trace = await openTrace(input.dir, path);
  try {
    await trace.write({
      type: 'start',
      version: 1,
      sample: sample.id,
      trial,
      model: input.subject.model,
      inputs: input.inputs,
      world,
    });
    const live = await converse(input, trace, startedAt);
    const durationMs = await input.durationOf(Math.max(0, now() - startedAt));
    const { messages: _messages, usage, costUsd, detail, ...played } = live;
    await trace.write({ ...endOf(played), ...(detail === undefined ? {} : { detail }), usage, costUsd, durationMs });
    return { played, detail, trace: path, costUsd, durationMs };
  } finally {
    await trace.close();
  }
}

function endOf({
  stop,
  after,
  says,
  calls,
}: Played): Pick<Extract<TraceLine, { type: 'end' }>, 'type' | 'stop' | 'world' | 'final' | 'calls'> {
  return { type: 'end', stop, world: after, final: says.at(-1) ?? '', calls: calls.length };
}

async function converse(input: RunSampleInput, trace: TraceFile, startedAt: number): Promise<Live> {
  const { loaded, subject, model, price, now, signal } = input;
  const { sample, world } = loaded;
  const steps = sample.limits.steps ?? input.limits.steps;
  const endsAt = startedAt + (sample.limits.seconds ?? input.limits.seconds) * 1000;
  const user = answerAsUser(sample);
  const live: Live = {
    before: world,
    after: world,
    calls: [],
    says: [],
    stop: 'done',
    messages: [],
    usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    costUsd: 0,
    detail: undefined,
  };
  const stopWith = (stop: Stop, detail?: string): Live => Object.assign(live, { stop, detail });
  await hear(live, sample.user.says_first, 0, trace);

  for (let step = 1; step <= steps; step += 1) {
    signal.throwIfAborted();
    if (now() >= endsAt) return stopWith('seconds');
    const called = await callSubject(model, subjectRequest(subject, live.messages), endsAt - now(), signal);
    if (called.type === 'stopped') return stopWith(called.stop, called.detail);
    const { response } = called;
    live.usage = sum(live.usage, response.usage);
    live.costUsd += costOf(response.usage, price);
    const said = await say(live, response.content, step, trace);
    const meaning = meaningOf(response);
    if (meaning.type === 'stopped') return stopWith(meaning.stop, meaning.detail);
    if (meaning.type === 'calls') await runCalls(live, toolUses(response), step, input, trace);
    if (meaning.type === 'says') {
      const reply = user.reply(said);
      // An answer without content cannot be sent back, so nothing can be said to it either.
      if (reply === undefined || asSent(response.content).length === 0) return stopWith('done');
      await hear(live, reply, step, trace);
    }
  }
  return stopWith('steps', `${steps} steps were not enough`);
}

async function hear(live: Live, text: string, step: number, trace: TraceFile): Promise<void> {
  live.messages.push({ role: 'user', content: [{ type: 'text', text }] });
  await trace.write({ type: 'user', step, text });
}

async function say(live: Live, content: readonly Block[], step: number, trace: TraceFile): Promise<string> {
  const sent = asSent(content);
  if (sent.length > 0) live.messages.push({ role: 'assistant', content: sent });
  const text = saidIn(content);
  if (text === '') return text;
  live.says.push(text);
  await trace.write({ type: 'says', step, text });
  return text;
}

/** Parallel calls run one after the other, each on the world the last one left; their results go back in one message. */
async function runCalls(
  live: Live,
  uses: readonly ToolUseBlock[],
  step: number,
  { stage, signal }: RunSampleInput,
  trace: TraceFile,
): Promise<void> {
  const content: Block[] = [];
  for (const { id, name, input } of uses) {
    signal.throwIfAborted();
    const { world, ...call } = await callTool(stage, name, input, live.after, signal);
    const traced = { step, tool: name, input, ...call };
    live.after = world;
    live.calls.push(traced);
    await trace.write({ type: 'call', ...traced });
    content.push({ type: 'tool_result', tool_use_id: id, content: textOf(call.output), is_error: call.is_error });
  }
  live.messages.push({ role: 'user', content });
}

function textOf(output: unknown): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  const shown =
    text.length <= MAX_RESULT_CHARS ? text : `${text.slice(0, MAX_RESULT_CHARS)} [… ${text.length} characters in all]`;
  return shown.trim() === '' ? '(an empty answer)' : shown;
}

function sum(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
  };
}
