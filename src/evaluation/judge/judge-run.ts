/** Judges a finished trial: its verdicts, the moment that decided it, and whether a tool caused the failure. */
import { findMomentAt, findNamedMoment } from '../../scenario/attribution/deciding-moment.ts';
import type { TableVerdict } from '../../scenario/cases/judge-by-table.ts';
import { isDecisive, type StateDifference, type TrialResult, type Verdict } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { applyPatch } from '../../scenario/json/patch.ts';
import { isToolFault, type Stage } from '../components/call-tool.ts';
import { checkTrace, OVER_LIMIT, runCheckers } from './check-trace.ts';
import { findSampleFault } from './sample-fault.ts';
import { doubtByTable } from './doubt-by-table.ts';
import { describeCall, stateDifference } from './judge-expectation.ts';
import { findWordFault, type WordFault } from './word-fault.ts';
import { firstTrialDifference, type TrialRecord, withEvents } from '../components/trial-record.ts';

const MAX_DIFFERENCES = 20;
const MAX_VALUE_CHARS = 2000;

/** `lines` is the trace of what was played, `graded` what its graders say. */
export type PlayedSample = {
  sample: Sample;
  played: TrialRecord;
  lines: readonly TraceLine[];
  graded?: readonly Verdict[];
};

type JudgedTrial = Omit<TrialResult, 'trial' | 'stop' | 'trace' | 'costUsd' | 'durationMs'>;

/** `detail` says why a trial is unscored. */
export async function judgeRun(
  { sample, played, lines, graded = [] }: PlayedSample,
  stage: Stage,
  signal: AbortSignal,
): Promise<JudgedTrial & { detail?: string }> {
  if (played.stop === 'infrastructure') return { outcome: 'unscored', verdicts: [] };
  const verdicts = [...(await checkTrace({ ...stage, sample, played }, signal)), ...graded];
  const unjudged = verdicts.find(({ broken, reason }) => broken === true && reason.startsWith(OVER_LIMIT));
  if (unjudged !== undefined)
    return { outcome: 'unscored', verdicts: [], detail: unjudged.reason.slice(OVER_LIMIT.length) };
  const deciding = verdicts.filter(isDecisive);
  const doubts = (outcome: 'pass' | 'fail') => listDoubts(outcome, { verdicts: deciding, played }, stage);
  const isPassed = deciding.every(({ pass }) => pass);
  if (isLeftUnjudged(sample, played, isPassed)) return { outcome: 'unscored', verdicts };
  if (isPassed) return { outcome: 'pass', verdicts, ...doubts('pass') };
  const toolFault = findToolFault(played) ?? (await replayFault(stage, played, signal));
  const stateDiff = stateDifference(sample, played);
  const { said, ...words }: WordFault =
    stateDiff.length > 0 || toolFault !== undefined
      ? {}
      : await judgeWords({ sample, played, deciding }, stage, signal);
  const sampleFault = findSampleFault({ sample, played, verdicts: deciding, stateDiff });
  const mustNotCall = sample.expect.must_not_call;
  const named = findNamedMoment({ lines, verdicts: deciding, stateDiff, mustNotCall, toolFault });
  // Words that gold's would mend decided: an act that only made them due did not.
  const findTurn = () =>
    said === undefined
      ? findTurningStep({ sample, played, deciding }, stage, signal)
      : played.events?.findLastIndex((event) => event.type === 'says' && event.text === said);
  const moment = named ?? findMomentAt(lines, await findTurn());
  return {
    outcome: 'fail',
    verdicts: nameBrokenRules(verdicts, stage.readTable?.(played) ?? []),
    ...omitUndefined({ toolFault, sampleFault }),
    ...words,
    ...(stateDiff.length === 0 ? {} : { stateDiff: stateDiff.slice(0, MAX_DIFFERENCES).map(shortenDifference) }),
    ...omitUndefined({ deciding: moment }),
    ...doubts('fail'),
  };
}

/** A subject whose user was lost is not judged: what it would have done next nobody knows. A pass stands where it has begun. */
export function isLeftUnjudged(sample: Sample, played: TrialRecord, isPassed: boolean): boolean {
  const hasBegun = played.calls.length > 0 || !sample.gold.some((step) => 'tool' in step);
  return played.stop === 'no_move' && !(isPassed && hasBegun);
}

/** An expectation names places; the approved table says which rule was broken there, where it reads it. */
function nameBrokenRules(verdicts: readonly Verdict[], table: readonly TableVerdict[]): Verdict[] {
  const broken = table.flatMap(({ rule, says, text }) => (rule !== undefined && says === 'not met' ? [text] : []));
  return verdicts.map((verdict) =>
    verdict.checker === 'expect' && !verdict.pass
      ? { ...verdict, evidence: [...broken.map((text) => `the approved table: ${text}`), ...verdict.evidence] }
      : verdict,
  );
}

function listDoubts(
  outcome: 'pass' | 'fail',
  { verdicts, played }: { verdicts: readonly Verdict[]; played: TrialRecord },
  { readTable, checkerRules = new Map() }: Stage,
): Pick<TrialResult, 'disputed'> {
  const table = readTable?.(played) ?? [];
  const disputed = doubtByTable({ outcome, verdicts, table, rulesOf: checkerRules });
  return disputed.length === 0 ? {} : { disputed };
}

type RefusedTrial = { sample: Sample; played: TrialRecord; deciding: readonly Verdict[] };

/** Finds where in the trial code checkers began to refuse, for refusals without evidence. */
function findTurningStep(
  { sample, played, deciding }: RefusedTrial,
  stage: Stage,
  signal: AbortSignal,
): Promise<number | undefined> {
  const refusing = deciding.filter((verdict) => !verdict.pass && isCodeVerdict(verdict)).map(({ checker }) => checker);
  return findTurningPoint(played, refusing, (shorter, checkers) =>
    runCheckers({ ...stage, sample, played: shorter, checkers }, signal),
  );
}

function isCodeVerdict({ checker, broken, grader }: Verdict): boolean {
  return checker !== 'expect' && broken !== true && grader === undefined;
}

/** Looks for a word fault, but only when all refusals come from code checkers: others have their own reasons. */
async function judgeWords(
  { sample, played, deciding }: RefusedTrial,
  stage: Stage,
  signal: AbortSignal,
): Promise<WordFault> {
  const failing = deciding.filter(({ pass }) => !pass);
  if (!failing.every((verdict) => isCodeVerdict(verdict) && stage.exactWords?.has(verdict.checker) !== true)) return {};
  const checkers = failing.map(({ checker }) => checker);
  return findWordFault({ sample, played, failing }, async (other) => {
    const verdicts = await runCheckers({ ...stage, sample, played: other, checkers }, signal);
    return verdicts.every(({ pass }) => pass);
  });
}

/** The first failure of a tool on an input that was valid. */
function findToolFault({ calls }: TrialRecord): string | undefined {
  const call = calls.find(({ error }) => isToolFault(error));
  return call === undefined ? undefined : `${describeCall(call)} (${call.error}): ${String(call.output)}`;
}

async function replayFault(stage: Stage, played: TrialRecord, signal: AbortSignal): Promise<string | undefined> {
  const call = await firstTrialDifference(stage, played, signal);
  return call === undefined ? undefined : `${describeCall(call)} does not answer the same on replay`;
}

/** Shortens large values, because a replaced world would outweigh the rest of the results. */
function shortenDifference(difference: StateDifference): StateDifference {
  const sides = Object.entries(difference).map(([key, value]): [string, unknown] => {
    const text = JSON.stringify(value) ?? '';
    return [key, text.length > MAX_VALUE_CHARS ? `(${text.length} characters of JSON)` : value];
  });
  return { ...difference, ...Object.fromEntries(sides) };
}

/** The most shortened trials to try, because a trial may be long and a checker slow. */
const MOST_CUTS = 60;

/**
 * The place among the events: without it, and what came after, a checker accepts the trial, and with it never again. The earliest of
 * several checkers. Undefined where something was never done: then they refuse the shortest trial as well.
 */
async function findTurningPoint(
  played: TrialRecord,
  refusing: readonly string[],
  judge: (shorter: TrialRecord, checkers: readonly string[]) => Promise<readonly Verdict[]>,
): Promise<number | undefined> {
  const { events = [], before } = played;
  let open = refusing;
  let turn: number | undefined;
  for (let length = events.length - 1; length > 0 && events.length - length <= MOST_CUTS; length -= 1) {
    const left = events.slice(0, length);
    const end = applyPatch(
      before,
      left.flatMap((event) => (event.type === 'call' ? event.change : [])),
    );
    if (open.length === 0 || !end.ok) break;
    const shorter = withEvents({ before, after: end.world, stop: 'done' }, left);
    const verdicts = await judge(shorter, open);
    if (verdicts.some(({ pass }) => pass)) turn = length;
    // A checker that breaks on a shorter trial is not asked about even shorter ones.
    open = verdicts.filter(({ pass, broken }) => !pass && broken !== true).map(({ checker }) => checker);
  }
  return turn;
}
