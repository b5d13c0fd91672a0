/** One subject on one sample in one trial: its conversation, from the first line of its trace to the last. */
import { omitUndefined } from '../../omit-undefined.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { holdConversation, type ConversationInput } from './conversation.ts';
import type { TrialRecord } from '../components/trial-record.ts';
import { openTrace, tracePath } from './trace-file.ts';
import { endIn, startIn } from './trace-worlds.ts';

export type RunSampleInput = ConversationInput & {
  trial: number;
  /** Name of the subject in the trace. */
  subject: string;
  /** Folder of the iteration; the trace is written below it. */
  dir: string;
  /** Digest of everything that the trace depends on. */
  inputs: string;
  /** Returns the durations to write into trace and result for the measured ones. */
  durationsOf: (measuredMs: readonly number[]) => readonly number[] | Promise<readonly number[]>;
  /** Called when the conversation is over, so that writing and judging do not delay the next trial. */
  onTalked?: (() => void) | undefined;
};

export type SampleRun = {
  played: TrialRecord;
  detail: string | undefined;
  trace: string;
  lines: readonly TraceLine[];
  costUsd: number;
  durationMs: number;
};

export async function runSample(input: RunSampleInput): Promise<SampleRun> {
  const { loaded, trial, inputs, now, subject: model } = input;
  const startedAt = now();
  const sample = loaded.sample.id;
  const path = tracePath(sample, trial);
  const trace = await openTrace(input.dir, path);
  try {
    await trace.write({ type: 'start', version: 1, sample, trial, model, inputs, ...startIn(loaded) });
    const { usage, costUsd, detail, answers, chosen, ...played } = await holdConversation(input, trace, startedAt);
    input.onTalked?.();
    const measured = [Math.max(0, now() - startedAt), ...answers.map(({ durationMs }) => durationMs)];
    const [durationMs = 0, ...each] = await input.durationsOf(measured);
    const final = played.says.at(-1) ?? '';
    await trace.write({
      ...{ type: 'end', stop: played.stop, ...endIn(loaded, played.after), final, calls: played.calls.length },
      ...omitUndefined({ detail, chosen }),
      ...{ usage, costUsd, durationMs },
      answers: answers.map((answer, index) => ({ ...answer, durationMs: each[index] ?? answer.durationMs })),
    });
    return { played, detail, trace: path, lines: trace.lines, costUsd, durationMs };
  } finally {
    await trace.close();
  }
}
