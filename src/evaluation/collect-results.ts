/** The results of an evaluation from its finished trials, in the order of the samples. */
import { sha256 } from '../disk/sha256.ts';
import { PROVEN_SINCE, RULES_VERSION } from '../scenario/attribution/problem-code.ts';
import { attributeFailure, listCauseDoubts } from '../scenario/attribution/attribute-failure.ts';
import { isLostByUser, nameLoss } from '../scenario/lost-by-user.ts';
import type { Problem, Results, SampleResult, TrialResult, Verification } from '../scenario/result.ts';
import { listUnprovenRules } from '../scenario/unproven-rules.ts';
import { toSampleOutcome, scoreSamples } from '../scenario/statistics/score.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import {
  getComponentPath,
  worldFile,
  type Components,
  type LoadedSample,
  type Trial,
} from './components/components.ts';
import { JUDGING_VERSIONS } from './judging-versions.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { metricReports } from '../scenario/statistics/metrics.ts';
import { graderReports } from '../scenario/statistics/grader-reports.ts';
import type { Grading } from './graders/grading.ts';
import { keepProvenDoubts } from './judge/doubt-by-table.ts';
import type { JudgedAgain } from './judge/judge-again.ts';
import type { DoneTrial, TrialInput } from './trial/run-trial.ts';
import { buildSubject, offeredTools } from './trial/trial-participants.ts';

/** The fields of results other than the outcomes. */
export type ResultsInput = Pick<
  TrialInput,
  'brief' | 'design' | 'components' | 'componentsDigest' | 'maxTokens' | 'thinking' | 'chooserModel'
> & {
  verification: Verification;
  /** Path -> sha256 of each file of the components. */
  componentDigests?: Readonly<Record<string, string>>;
  /** Digest of what decides the answers of the subject, where it is known. */
  subjectDigest?: string | undefined;
  /** Name of the scenario, where the folder of the results does not tell it. */
  scenario?: string | undefined;
  iteration: number;
  round: number;
  sandbox: Sandbox;
  simulated: boolean;
  judgedAgain?: JudgedAgain | undefined;
  grading?: Grading | undefined;
  /** Version of the rules that the evaluation is held to; default: today's. */
  rules?: number | undefined;
};

/** `done` is in the order of `trials`. */
export function collectResults(trials: readonly Trial[], done: readonly DoneTrial[], input: ResultsInput): Results {
  const { iteration, round, design, componentsDigest, brief, verification, sandbox, simulated, judgedAgain } = input;
  const bySample = Map.groupBy(done, (_, index) => trials[index]?.loaded);
  const samples = input.components.samples
    .toSorted((a, b) => (a.sample.id < b.sample.id ? -1 : 1))
    .map((loaded) => sampleResult(loaded, bySample.get(loaded) ?? [], input));
  const graded = gradersIn(samples, input);
  return {
    version: 1,
    iteration,
    round,
    designDigest: design.digest,
    componentsDigest,
    ...omitUndefined({
      scenario: input.scenario,
      components: input.componentDigests,
      subjectDigest: input.subjectDigest,
      user: describeUser(input),
      statements: brief.statements === 'off' ? undefined : JUDGING_VERSIONS.statements,
    }),
    target: brief.target,
    ...(brief.gate === 'lower-bound' && { gate: brief.gate }),
    ...scoreSamples(samples),
    samples,
    verification,
    ...unprovenIn(input, graded.graders),
    ...graded,
    ...metricsIn(samples),
    ...omitUndefined({
      judgedAgain: judgedAgain && { trials: judgedAgain.trials, differences: judgedAgain.problems.length },
    }),
    sandbox: sandbox.kind,
    sandboxGaps: [...sandbox.gaps],
    simulated,
    costUsd: done.reduce((usd, { result }) => usd + result.costUsd, proofUsd(verification)),
  };
}

function describeUser({ brief, components, chooserModel }: ResultsInput): Results['user'] {
  const kinds = new Set(components.samples.map(({ sample: { user } }) => user.simulator ?? brief.user.simulator));
  if (kinds.has('auto')) return { version: JUDGING_VERSIONS.user, chooser: chooserModel?.name ?? 'rules' };
  return kinds.has('scripted') ? { version: JUDGING_VERSIONS.user, chooser: 'rules' } : undefined;
}

/** Rules of the time before say nothing about rules without a proof, so an older run is judged as it began. */
function unprovenIn(
  { brief, verification, rules = RULES_VERSION }: ResultsInput,
  graders: Results['graders'],
): Pick<Results, 'unproven'> {
  if (rules < PROVEN_SINCE) return {};
  return { unproven: listUnprovenRules(verification, { graders, allowed: brief.unproven }) };
}

function gradersIn(
  samples: readonly SampleResult[],
  { components: { graders = [] }, grading }: ResultsInput,
): Pick<Results, 'graders'> {
  if (graders.length === 0) return {};
  const specs = new Map(graders.map((grader) => [grader.id, grader]));
  const agreedOf = (id: string) => {
    const spec = specs.get(id);
    return spec === undefined ? [] : (grading?.agreed?.(spec) ?? []);
  };
  return { graders: graderReports(samples, agreedOf) };
}

function metricsIn(samples: readonly SampleResult[]): Pick<Results, 'metrics'> {
  const metrics = metricReports(samples);
  return metrics.length === 0 ? {} : { metrics };
}

function sampleResult(loaded: LoadedSample, done: readonly DoneTrial[], input: ResultsInput): SampleResult {
  const { sample } = loaded;
  const { verification } = input;
  const { id, title, category, covers } = sample;
  const trials = done.map(({ result }) => keepDoubts(result, verification));
  const outcome = toSampleOutcome(trials.map((trial) => trial.outcome));
  const uses = usedFiles(loaded, done, input.components);
  const setting = settingDigest(loaded, input);
  const base = { id, title, category, covers, outcome, trials, uses, setting };
  if (outcome === 'pass') return { ...base, why: [] };
  if (outcome === 'unscored')
    return { ...base, why: done.filter(({ result }) => result.outcome === 'unscored').map(describeUnscored) };
  const failed = done.filter(({ result }) => result.outcome === 'fail');
  const evidence = { sample: id, problems: listEvidence(verification), trials: failed };
  const attributed = attributeFailure(evidence);
  const doubts =
    attributed.cause === '4b' ? listCauseDoubts({ ...evidence, findings: verification.strength?.findings }) : [];
  return { ...base, trials: trials.map((trial) => disputeCause(trial, doubts)), ...attributed };
}

/** 4b is said only where nothing speaks against it: a failure with a reason to doubt its cause is disputed. */
function disputeCause(trial: TrialResult, [reason]: readonly string[]): TrialResult {
  if (trial.outcome !== 'fail' || reason === undefined) return trial;
  const text = `the subject may have been right: ${reason}`;
  return { ...trial, disputed: [...(trial.disputed ?? []), { by: 'cause', text }] };
}

/** Says which of the two it was: the infrastructure, with its reason, or a user without a move. */
export function describeUnscored({ result, detail }: DoneTrial): string {
  if (isLostByUser(result)) return `its user has no move for "${detail ?? ''}" (4a: the sample must hold one)`;
  return [nameLoss(result), detail].filter((part) => part !== undefined).join(': ');
}

function keepDoubts({ disputed, ...result }: TrialResult, verification: Verification): TrialResult {
  const kept = keepProvenDoubts(result.outcome, disputed ?? [], verification);
  return kept.length === 0 ? result : { ...result, disputed: kept };
}

function usedFiles({ sample }: LoadedSample, done: readonly DoneTrial[], { paths }: Components): string[] {
  const { id, start, checkers, graders = [] } = sample;
  const world = 'base' in start ? [worldFile(start.base)] : [];
  const called = [...new Set(done.flatMap(({ tools }) => tools))].toSorted();
  return [
    `samples/${id}.json`,
    ...world,
    ...checkers.map((checker) => getComponentPath(paths, 'checkers', checker)),
    ...graders.map((grader) => `graders/${grader}.yaml`),
    ...called.map((tool) => getComponentPath(paths, 'tools', tool)),
  ];
}

/** Sums the cost of proving the graders; everything paid for a trial is in its own result. */
export function proofUsd({ graders = [] }: Verification): number {
  return graders.reduce((usd, { costUsd }) => usd + costUsd, 0);
}

/** Lists all findings of the proof, doubts last. */
export function listEvidence({ problems, remarks = [] }: Verification): Problem[] {
  return [...problems, ...remarks];
}

type SettingInput = Pick<TrialInput, 'brief' | 'design' | 'components' | 'maxTokens' | 'thinking'>;

/**
 * Digests everything that is given before a sample is played, but for the world: what it shows a subject are the answers of
 * tools, which a replay compares. An edit of a shared world elsewhere therefore leaves the setting as it was.
 */
export function settingDigest({ sample }: LoadedSample, input: SettingInput): string {
  const { brief, design, components } = input;
  const { user, limits } = sample;
  const met = [user, limits, brief.subject, brief.user];
  const tools = offeredTools(design.format, components, 'user');
  return sha256(JSON.stringify([...met, buildSubject(input), tools]));
}
