/** Performs `submit_iteration`: proves what Execute wrote, and only then runs every sample through the subject. */
import { loadInSession } from '../../evaluation/components/load-components.ts';
import { openSessions } from '../../evaluation/components/open-sessions.ts';
import { verifyLoaded } from '../../evaluation/proof/verify-components.ts';
import type { GraderProving } from '../../evaluation/graders/prove-graders.ts';
import { evaluate, type EvaluateInput } from '../../evaluation/evaluate.ts';
import { JUDGING_VERSIONS } from '../../evaluation/judging-versions.ts';
import { HarnessError } from '../../errors.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import type { Design } from '../../scenario/design.ts';
import { GUARD_UNREACHED } from '../../scenario/proof-strength.ts';
import { Results, type Problem, type Verification } from '../../scenario/result.ts';
import { digestEachFile, digestComponents } from '../../disk/components-digest.ts';
import { judgeResults, listDisputes } from '../../scenario/statistics/judge-results.ts';
import { userNotes } from '../../scenario/user-notes.ts';
import type { StepContext } from '../deps.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { castParticipants, openRunSandbox } from '../evaluation/participants.ts';
import { withEarlierPlays } from '../evaluation/earlier-plays.ts';
import { currentDesignDir, outputDir } from '../../run/layout.ts';
import { failureLines, readResults, writeResults } from '../../run-folder/read-results.ts';
import { readDesign } from '../../run-folder/read-design.ts';
import { openStrengthProving } from './prove-strength.ts';
import { tracedTrial } from '../spans.ts';
import type { ModelFor } from './step-models.ts';

/** More problems than this are not repaired at once, and would fill the agent's context. */
const MOST_PROBLEMS = 20;
const MOST_SURVIVORS = 10;

export type SubmissionOutcome = {
  answer: unknown;
  results: Results | undefined;
  /** Set when nothing ran because code found a problem of the design. */
  contradicted?: Verification;
};

export async function evaluateAttempt(
  step: StepContext,
  attempt: Attempt,
  modelFor: ModelFor,
): Promise<SubmissionOutcome> {
  const { run, state, brief, deps, signal } = step;
  const { iteration, round } = state;
  const design = await readApprovedDesign(run, state);
  const sandbox = await openRunSandbox(step);
  deps.progress({ type: 'phase', phase: 'verify', round, iteration });
  const session = await openSessions(sandbox, attempt.out);
  try {
    const loaded = await loadInSession(session, attempt.out, signal);
    const { components } = loaded;
    const proving = await openStrengthProving(step, attempt, sandbox);
    const { samples, user } = brief;
    const { measure } = proving;
    const { rules = 1, judging } = state.origin;
    const hasOtherUser = judging?.['user'] !== JUDGING_VERSIONS.user;
    const demands = { design, samplesWanted: samples.min, user: user.simulator, rules, hasOtherUser, signal, measure };
    const byCode = await proving.settle(await verifyLoaded(loaded, demands, session));
    const participants = await castParticipants({ ...step, modelFor });
    const { grading } = participants;
    const before = await readResults(run, iteration - 1);
    const earlier = before?.verification.graders;
    const verification = await withGraders(byCode, { components, design, session, grading, earlier, signal });
    deps.progress({ type: 'verified', ok: verification.ok, problems: verification.problems });
    if (!verification.ok) return refuseSubmission(verification);
    deps.progress({ type: 'phase', phase: 'evaluate', round, iteration });
    const evaluated = await evaluate({
      dir: attempt.out,
      design,
      ...participants,
      components,
      verification,
      ...{ iteration, round, rules, begunWith: judging },
      memory: attempt,
      sandbox,
      session,
      concurrency: deps.config.samples_in_parallel,
      judgeAgain: deps.config.judge_again,
      recordsCalls: deps.config.record_calls,
      simulated: deps.simulated,
      componentsDigest: await digestComponents(attempt.out),
      componentDigests: await digestEachFile(attempt.out),
      now: () => deps.clock.now().getTime(),
      durationsOf: (lane, ms) => recallDurations(attempt, lane, ms),
      onSample: (progress) => deps.progress({ type: 'sample', iteration, ...progress }),
      patience: toPatience(deps),
      ...(await shareTrials(step, attempt)),
      signal,
    });
    const replay = { run, before, components, format: design.format, session, prompts: deps.prompts };
    const results = await withEarlierPlays(evaluated, replay, signal);
    await writeResults(run, attempt, results);
    return { answer: formatAnswer(results, before), results };
  } finally {
    await session.close();
  }
}

/** An iteration is judged when all its trials are scored; the pauses between rounds equal those between tries of a step. */
function toPatience({ config: { retry }, progress }: StepContext['deps']): EvaluateInput['patience'] {
  const { step_tries: tries, min_delay_ms: minDelayMs, max_delay_ms: maxDelayMs } = retry;
  return {
    ...{ tries, minDelayMs, maxDelayMs },
    onWait: (notice) => progress({ type: 'retry', what: 'unscored samples', ...notice }),
  };
}

/** Shares trials with other workers where there are any; a single process writes nothing more for it. */
async function shareTrials(
  { run, state, brief, deps: { telemetry, trials, config, progress } }: StepContext,
  attempt: Attempt,
): Promise<Pick<EvaluateInput, 'aroundTrial' | 'turnOf'>> {
  const aroundTrial = telemetry && tracedTrial(telemetry, state.iteration);
  // A server with an address has one state, and workers do not know each other's conversations.
  const isOne = brief.tools?.mcp.some(({ url }) => url !== undefined) === true;
  if (trials === undefined || isOne) return omitUndefined({ aroundTrial });
  return trials(run, attempt, { silenceMs: config.queue.reconcile_ms, progress, aroundTrial });
}

/** Loads the proof of graders on demand, because few evaluations have any. */
async function withGraders(byCode: Verification, proving: GraderProving): Promise<Verification> {
  if (proving.components.graders === undefined) return byCode;
  const { withProvenGraders } = await import('../../evaluation/graders/prove-graders.ts');
  return withProvenGraders(byCode, proving);
}

function refuseSubmission(verification: Verification): SubmissionOutcome {
  const { problems } = verification;
  const shown = problems.slice(0, MOST_PROBLEMS);
  const answer = {
    ok: false,
    stage: 'verify',
    problems: shown.map(formatProblem),
    ...(problems.length > shown.length ? { more: problems.length - shown.length } : {}),
  };
  const isOfDesign = problems.some((problem) => problem.layer === 1);
  return { answer, results: undefined, ...(isOfDesign && { contradicted: verification }) };
}

function formatProblem({ layer, code, component, sample, message }: Problem): string {
  return `layer ${layer} ${code} in ${component}${sample === undefined ? '' : ` (sample ${sample})`}: ${message}`;
}

/** An iteration with unscored samples begins with them, and has no rate that could be taken for a met target. */
function formatAnswer(results: Results, before: Results | undefined): unknown {
  const { iteration, successRate, passed, total, target, samples } = results;
  const unscored = listUnscored(samples);
  const verdict = judgeResults(results);
  const disputed = listDisputes(samples).map(({ name, text }) => `${name}: ${text}`);
  const unproven = (results.unproven ?? []).filter(({ allowed }) => allowed === undefined);
  const { remarks = [] } = results.verification;
  const users = userNotes(results).slice(0, MOST_PROBLEMS);
  return {
    ok: true,
    iteration,
    ...(unscored.length === 0
      ? { successRate, passed, total, unscored: 0, target }
      : { unscored, verdict, passedOfScored: `${passed} of ${total}` }),
    ...(disputed.length === 0 ? {} : { verdict, disputed: disputed.slice(0, MOST_PROBLEMS) }),
    ...(unproven.length === 0 ? {} : { unproven: unproven.map(({ rule, why }) => `${rule}: ${why}`) }),
    failures: failureLines(results, iteration),
    ...(remarks.length === 0 ? {} : { remarks: remarks.slice(0, MOST_PROBLEMS).map(formatProblem) }),
    ...(users.length === 0 ? {} : { users }),
    ...listUncovered(results.verification.cases),
    ...listSurvivors(results.verification.strength, before?.verification.strength),
    results: `${outputDir(iteration)}/results.json`,
    report: `${outputDir(iteration)}/report.md`,
    next: unscored.length > 0 ? NEXT.unscored : verdict === 'met' ? NEXT.met : NEXT.open,
  };
}

const SEALED = 'Read the traces of the failures, then name their causes with close_iteration or return_to_init.';
const NEXT = {
  met: 'The target is met. End your turn with one sentence.',
  open: `The iteration is sealed. ${SEALED}`,
  unscored: `The iteration is sealed, and nothing is met while a sample is unscored: mend those that their users lost ("users") in the next one, the others are played again. ${SEALED}`,
};

function listUnscored(samples: Results['samples']): string[] {
  return samples.flatMap(({ id, outcome, trials }) => {
    const open = trials.filter((trial) => trial.outcome === 'unscored');
    return open.length === 0 && outcome !== 'unscored' ? [] : [`${id}: ${open.length} of ${trials.length} trials`];
  });
}

/** Lists cases of the design without a sample, as suggestions for the next samples. */
function listUncovered(cases: Verification['cases']): object {
  if (cases === undefined) return {};
  const { rules, missingPairs, missingBoundaries } = cases;
  const missing = {
    rules: Object.keys(rules).filter((id) => rules[id]?.length === 0),
    boundaries: missingBoundaries.slice(0, MOST_PROBLEMS),
    pairs: missingPairs.slice(0, MOST_PROBLEMS),
  };
  return Object.values(missing).every(({ length }) => length === 0) ? {} : { casesWithoutSample: missing };
}

/** Lists faults that the proof would not notice, as work for the next samples and checkers, and what came of the last list. */
function listSurvivors(now: Verification['strength'], before: Verification['strength']): object {
  if (now === undefined) return {};
  const told = now.survivors.slice(0, MOST_SURVIVORS).map(({ message }) => message);
  const guards = now.findings.filter(({ code }) => code === GUARD_UNREACHED).map(({ message }) => message);
  const since =
    now.settled === undefined ? '' : `, ${now.settled} of the ${before?.survived ?? 0} before are noticed now`;
  return {
    ...(told.length === 0 ? {} : { survivors: told }),
    survived: `${now.survived} of ${now.all.total} faults${since}`,
    ...(guards.length === 0 ? {} : { guards }),
  };
}

/** Repeats the durations of an earlier try, because agents read traces and a repeated step must read the same. */
async function recallDurations(attempt: Attempt, lane: string, ms: readonly number[]): Promise<readonly number[]> {
  const name = `${lane}.duration`;
  const earlier = await attempt.recall(name);
  // Older attempts remember only the total.
  if (typeof earlier === 'number') return [earlier, ...ms.slice(1).map(() => 0)];
  if (Array.isArray(earlier)) return earlier.map(Number);
  await attempt.remember(name, ms);
  return ms;
}

export async function readApprovedDesign(run: RunFolder, state: RunState): Promise<Design> {
  const { round } = state;
  const digest = state.status === 'executing' ? state.designDigest : '';
  const dir = currentDesignDir(state, round);
  const committed = await run.artifacts.committed(dir, true);
  if (committed?.digest !== digest) {
    throw new HarnessError(
      'data_corrupt',
      `${dir} is not the design that was approved (digest ${digest}); it was changed after the gate.`,
    );
  }
  const { parts, problems } = await readDesign(committed.dir, dir);
  if (parts === undefined)
    throw new HarnessError('data_corrupt', `The approved ${dir} cannot be read: ${problems.join(' ')}`);
  return { round, digest, ...parts };
}
