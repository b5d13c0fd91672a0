/** One subject on one sample in one trial: its conversation, from the first line of its trace to the last. */
import type { Conversation } from '../../ports/subject.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import type { Stage } from '../components/call-tool.ts';
import type { LoadedSample } from '../components/components.ts';
import { converse } from './conversation.ts';
import type { TrialRecord } from '../components/trial-record.ts';
import { scriptedUser, type SimulatedUser } from './simulated-user.ts';
import { openTrace, tracePath, type TraceFile } from './trace-file.ts';
import { endIn, startIn } from './trace-worlds.ts';

export type RunSampleInput = {
  loaded: LoadedSample;
  trial: number;
  /** As the trace names it. */
  subject: string;
  /** Opens the conversation with the subject. */
  open: () => Promise<Conversation>;
  /** What a sample without limits of its own gets. */
  limits: { steps: number; seconds: number; usd?: number | undefined };
  stage: Stage;
  /** Default: the user that the sample's own words make. */
  user?: SimulatedUser | undefined;
  /** Folder of the iteration; the trace is written below it. */
  dir: string;
  /** Digest of everything that the trace depends on. */
  inputs: string;
  now: () => number;
  /** What stands in trace and result for a measured duration. */
  durationOf: (measuredMs: number) => number | Promise<number>;
  /** The conversation is over: what is still to be written and judged keeps no other one waiting. */
  onTalked?: (() => void) | undefined;
  signal: AbortSignal;
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
  const { loaded, trial, inputs, now } = input;
  const startedAt = now();
  const { sample } = loaded;
  const path = tracePath(sample.id, trial);
  const trace = await openTrace(input.dir, path);
  try {
    const model = input.subject;
    await trace.write({ type: 'start', version: 1, sample: sample.id, trial, model, inputs, ...startIn(loaded) });
    const live = await talk(input, trace, startedAt);
    input.onTalked?.();
    const durationMs = await input.durationOf(Math.max(0, now() - startedAt));
    const { usage, costUsd, detail, ...played } = live;
    await trace.write({
      ...endOf(loaded, played),
      ...(detail === undefined ? {} : { detail }),
      usage,
      costUsd,
      durationMs,
    });
    return { played, detail, trace: path, lines: trace.lines, costUsd, durationMs };
  } finally {
    await trace.close();
  }
}

async function talk(input: RunSampleInput, trace: TraceFile, startedAt: number): ReturnType<typeof converse> {
  const { loaded, limits, stage, user, now, signal } = input;
  const { sample, world } = loaded;
  const conversation = await input.open();
  try {
    const own = sample.limits;
    return await converse(
      {
        conversation,
        user: user ?? scriptedUser(sample),
        firstWords: sample.user.says_first,
        world,
        stage,
        steps: own.steps ?? limits.steps,
        endsAt: startedAt + (own.seconds ?? limits.seconds) * 1000,
        usd: own.usd ?? limits.usd,
        trace,
        now,
      },
      signal,
    );
  } finally {
    await conversation.close();
  }
}

function endOf(loaded: LoadedSample, { stop, after, says, calls }: TrialRecord) {
  return { type: 'end', stop, ...endIn(loaded, after), final: says.at(-1) ?? '', calls: calls.length } as const;
}
