/** One trial from its inputs to its result: run, judged, and summed up; or found again, when it was finished before. */
import { createHash } from 'node:crypto';
import type { TrialResult } from '../../scenario/result.ts';
import type { Design } from '../../scenario/design.ts';
import type { SandboxSession } from '../../ports/sandbox.ts';
import type { Components, LoadedSample } from '../components/components.ts';
import { recallTrial, rememberTrial, type TrialMemory } from './finished-trials.ts';
import { judgeRun } from '../judge/judge-run.ts';
import { runSample, type RunSampleInput } from './run-sample.ts';
import { offeredTools, openParticipants, buildSubject, type ParticipantSources } from './trial-participants.ts';
import { stageFor } from './tool-stage.ts';
import { openTrace } from './trace-file.ts';

export type Trial = { loaded: LoadedSample; trial: number };

/** `tools` were called in it; `detail` says why it stopped before its end. */
export type DoneTrial = { result: TrialResult; tools: string[]; detail?: string | undefined };

/** What one trial needs of its evaluation; whoever has it can play the trial, on whichever machine. */
export type TrialInput = ParticipantSources &
  Pick<RunSampleInput, 'onTalked'> & {
    /** Absolute path of the iteration's folder: components are read from it, traces and results written to it. */
    dir: string;
    design: Design;
    components: Components;
    componentsDigest: string;
    maxTokens: number;
    /** Thinking that the subject's model must be asked for. */
    thinking?: 'adaptive' | undefined;
    /** Finished trials are found again in it, when the same evaluation was killed before. */
    memory?: TrialMemory;
    now: () => number;
    /**
     * Gives the duration of a trial that is replayed as it was the first time: agents read traces and results, and what
     * they read must be the same again, or their paid calls would not be found. Default: as measured.
     */
    durationOf?: (lane: string, measuredMs: number) => number | Promise<number>;
    signal: AbortSignal;
  };

export async function runTrial(
  { loaded, trial }: Trial,
  input: TrialInput,
  session: SandboxSession,
): Promise<DoneTrial> {
  const { design, brief, components, dir, memory, now, signal } = input;
  const { sample } = loaded;
  // A large world is told by its digest; what the sample changes in it stands in the sample.
  const world = loaded.base?.sha256 ?? loaded.world;
  const subject = buildSubject(brief, design.format, components, input);
  const { max_steps: steps, seconds, usd } = brief.subject;
  const limits = { steps, seconds, usd };
  const digested = [design.digest, input.componentsDigest, sample, world, subject, limits, brief.subject, brief.user];
  const inputs = createHash('sha256').update(JSON.stringify(digested)).digest('hex');
  const name = `trials/${sample.id}.${trial}`;
  const finished = await recallTrial(memory, name, inputs);
  if (finished !== undefined) {
    const { lines, ...done } = finished;
    await writeTrace(dir, done.result.trace, lines);
    return done;
  }

  const stage = stageFor(loaded, components, design.format, session);
  const userTools = offeredTools(design.format, components, 'user');
  const sides = await openParticipants(input, subject, userTools, loaded, trial);
  const lane = `subject/${sample.id}.${trial}`;
  const durationOf = (measuredMs: number) => input.durationOf?.(lane, measuredMs) ?? measuredMs;
  const { onTalked } = input;
  const parts = { loaded, trial, limits, stage, dir, inputs, now, durationOf, onTalked, signal, ...sides };
  const run = await runSample({ ...parts, subject: subject.model });
  const judged = await judgeRun(sample, run.played, run.lines, stage, signal);
  const { trace, costUsd, durationMs, detail, lines } = run;
  const tools = [...new Set(run.played.calls.map(({ tool }) => tool))];
  const result = { trial, ...judged, stop: run.played.stop, trace, costUsd, durationMs };
  const done = { result, tools, ...(detail === undefined ? {} : { detail }) };
  await rememberTrial(memory, name, inputs, { ...done, lines: [...lines] });
  return done;
}

async function writeTrace(dir: string, path: string, lines: Parameters<typeof rememberTrial>[3]['lines']) {
  const trace = await openTrace(dir, path);
  try {
    for (const line of lines) await trace.write(line);
  } finally {
    await trace.close();
  }
}
