/** Judges a share of the trials again in fresh hosts and another order: nothing but its inputs may change a verdict. */
import { sha256 } from '../../disk/sha256.ts';
import { isHarnessError } from '../../errors.ts';
import { createProblem, type ProblemCode } from '../../scenario/attribution/problem-code.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import type { Problem, Verdict } from '../../scenario/result.ts';
import { stageFor } from '../components/call-tool.ts';
import type { Trial } from '../components/components.ts';
import { firstTrialDifference } from '../components/trial-record.ts';
import { readOwnTrace, type OwnTrace } from '../rejudge/own-trace.ts';
import { readTraceText } from '../trial/read-trace.ts';
import type { DoneTrial, TrialInput } from '../trial/run-trial.ts';
import { runCheckers } from './check-trace.ts';
import { describeCall } from './judge-expectation.ts';
import type { Sandbox, OpenSandbox } from '../../ports/sandbox.ts';

/** The number of trials judged again, and the differences that were found. */
export type JudgedAgain = { trials: number; problems: Problem[] };

type JudgeAgainInput = Pick<TrialInput, 'dir' | 'design' | 'components' | 'componentsDigest' | 'signal'> & {
  sandbox: Sandbox;
  /** Share of all scored trials; more are judged when a component would otherwise be missing. */
  judgeAgain: number;
};

type ScoredTrial = { trial: Trial; done: DoneTrial };

export async function judgeAgain(
  trials: readonly Trial[],
  done: readonly DoneTrial[],
  input: JudgeAgainInput,
): Promise<JudgedAgain> {
  const scored = trials.flatMap((trial, index): ScoredTrial[] => {
    const one = done[index];
    return one === undefined || one.result.outcome === 'unscored' ? [] : [{ trial, done: one }];
  });
  const chosen = input.judgeAgain === 0 ? [] : chooseTrials(scored, input);
  if (chosen.length === 0) return { trials: 0, problems: [] };
  const session = await input.sandbox.open(input.dir);
  try {
    const problems: Problem[] = [];
    // The last trials come first, so that this host has not seen what the earlier host had seen before them.
    for (const one of chosen.toReversed()) problems.push(...(await compareTrial(one, input, session)));
    return { trials: chosen.length, problems };
  } finally {
    await session.close();
  }
}

/** Chooses the same trials whenever the same components are evaluated, at least one for each component. */
function chooseTrials(
  scored: readonly ScoredTrial[],
  { componentsDigest, judgeAgain: share }: JudgeAgainInput,
): ScoredTrial[] {
  const most = Math.ceil(scored.length * share);
  const seen = new Set<string>();
  const drawn = scored
    .map((one, order) => {
      const { loaded, trial } = one.trial;
      return { one, order, draw: sha256(`${componentsDigest} ${loaded.sample.id} ${trial}`) };
    })
    .toSorted((a, b) => (a.draw < b.draw ? -1 : 1));
  const ordered = drawn.filter(({ one: { trial, done } }, index) => {
    const parts = [...trial.loaded.sample.checkers.map((id) => `checker ${id}`), ...done.tools];
    const isNew = parts.some((part) => !seen.has(part));
    for (const part of parts) seen.add(part);
    return isNew || index < most;
  });
  return ordered.toSorted((a, b) => a.order - b.order).map(({ one }) => one);
}

async function compareTrial(
  { trial, done }: ScoredTrial,
  input: JudgeAgainInput,
  session: OpenSandbox,
): Promise<Problem[]> {
  const { components, design, signal } = input;
  const { loaded } = trial;
  const { sample } = loaded;
  const trace = await readBack(done.result.trace, input);
  // An unreadable trace is skipped here; the next reader of it reports it.
  if (trace === undefined) return [];
  const { played } = trace;
  const about = (code: ProblemCode, component: string, what: string): Problem => ({
    ...createProblem(code, component, `${what} in a fresh host, with the same inputs (${done.result.trace})`),
    sample: sample.id,
  });
  const stage = stageFor(loaded, components, { format: design.format, session });
  const call = await firstTrialDifference(stage, played, signal);
  const verdicts = await runCheckers({ ...stage, sample, played }, signal);
  const others = verdicts.filter(
    (verdict) => !done.result.verdicts.some((first) => first.checker === verdict.checker && sameJson(first, verdict)),
  );
  return [
    ...(call === undefined
      ? []
      : [about('tool-nondeterministic', call.tool, `${describeCall(call)} answers otherwise`)]),
    ...others.map((verdict) => about('checker-nondeterministic', verdict.checker, describeVerdicts(verdict, done))),
  ];
}

function describeVerdicts({ checker, pass, reason }: Verdict, { result }: DoneTrial): string {
  const first = result.verdicts.find((one) => one.checker === checker);
  const [was, now] = [first?.pass === true, pass].map((one) => (one ? 'pass' : 'fail'));
  return `it said ${was} (${first?.reason ?? 'nothing'}), and says ${now} (${reason})`;
}

async function readBack(path: string, { dir, components }: JudgeAgainInput): Promise<OwnTrace | undefined> {
  const text = await readTraceText(dir, path);
  try {
    return text === undefined ? undefined : readOwnTrace(text, path, components);
  } catch (error) {
    if (isHarnessError(error, 'data_corrupt')) return undefined;
    throw error;
  }
}
