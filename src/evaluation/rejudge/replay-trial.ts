/** Replays a recorded trial without a model: the same words and calls, on the given components. */
import { rm } from 'node:fs/promises';
import { createTemporaryFolder } from '../../disk/temporary-folder.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import type { FormatSpec } from '../../scenario/design.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import type { TrialResult } from '../../scenario/result.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { stageFor } from '../components/call-tool.ts';
import type { Components, LoadedSample } from '../components/components.ts';
import { findGraders, gradeTrial, type Grading } from '../graders/grading.ts';
import { judgeRun } from '../judge/judge-run.ts';
import { recordedParticipants } from '../trial/recorded-participants.ts';
import { runSample } from '../trial/run-sample.ts';

/** `grading` has the stored verdicts of graders; no model is called. */
export type RecordedTrial = {
  loaded: LoadedSample;
  trial: number;
  lines: readonly TraceLine[];
  components: Components;
  format: FormatSpec;
  session: OpenSandbox;
  grading: Grading;
};

export type ReplayedTrial = {
  now: Pick<TrialResult, 'outcome' | 'verdicts' | 'toolFault' | 'stateDiff' | 'deciding' | 'stop'>;
  /** Calls that answer or change something else than they did: `step 3: issue_refund {…}`. */
  changed: string[];
  /** True when a grader has no verdict on exactly this conversation; then graders do not count in the outcome. */
  ungraded: boolean;
};

/** Limits so high that a recorded conversation never reaches them. */
const LIMITS = { steps: 1000, seconds: 3600 };

export async function replayTrial(recorded: RecordedTrial, signal: AbortSignal): Promise<ReplayedTrial> {
  const { loaded, trial, lines, components, format, session, grading } = recorded;
  const { sample } = loaded;
  const out = await createTemporaryFolder('replay');
  try {
    const stage = stageFor(loaded, components, { format, session });
    const { conversation, user } = recordedParticipants(lines);
    const again = await runSample({
      loaded: { ...loaded, sample: { ...sample, limits: {} } },
      trial,
      subject: 'recorded',
      open: () => Promise.resolve(conversation),
      user,
      limits: LIMITS,
      stage,
      dir: out,
      inputs: '',
      now: () => 0,
      durationsOf: (measured) => measured.map(() => 0),
      signal,
    });
    const graders = findGraders(sample, components.graders);
    const graded = await gradeTrial({ sample, played: again.played, graders, lane: '' }, grading, signal);
    const ungraded = 'unreachable' in graded;
    const judged = await judgeRun({ ...again, sample, graded: ungraded ? [] : graded.verdicts }, stage, signal);
    return {
      now: { ...judged, stop: again.played.stop },
      changed: changedCalls(lines, again.lines),
      ungraded,
    };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

function changedCalls(before: readonly TraceLine[], after: readonly TraceLine[]): string[] {
  const callsOf = (lines: readonly TraceLine[]) => lines.flatMap((line) => (line.type === 'call' ? [line] : []));
  const now = callsOf(after);
  return callsOf(before).flatMap((call, index) => {
    const same = sameJson(call.output, now[index]?.output) && sameJson(call.change, now[index]?.change);
    return same ? [] : [`step ${call.step}: ${call.tool} ${JSON.stringify(call.input)}`];
  });
}
