/** Proves one sample without a model: gold passes; doing nothing, the wrong path and every mutant fail. */
import type { CheckerSpec } from '../../scenario/component.ts';
import { canonicalJson } from '../../disk/sha256.ts';
import { createProblemFactory } from '../../scenario/attribution/problem-code.ts';
import { sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import type { Problem, Verification } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import { applyPatch, diffJson } from '../../scenario/json/patch.ts';
import { isToolFault, type Stage } from '../components/call-tool.ts';
import { runCheckers, checkTrace, type JudgingInput } from '../judge/check-trace.ts';
import type { LoadedSample } from '../components/components.ts';
import {
  acceptedEnds,
  describeCall,
  isEndFree,
  judgeExpectation,
  stateDifference,
} from '../judge/judge-expectation.ts';
import {
  type JudgedEnd,
  harmlessRepeat,
  isRefusal,
  judgeGold,
  NO_FAULT,
  repeatRemarks,
  type GoldJudgement,
} from './verify-gold.ts';
import { firstTrialDifference, listedPath, playPath, type TrialRecord } from '../components/trial-record.ts';
import type { GoldRun } from './gold-runs.ts';
import { changeLeaves } from './relations/world-records.ts';

export type SampleProof = Pick<GoldJudgement, 'contradictions' | 'rejections'> & {
  loaded: LoadedSample;
  proof: Verification['proofs'][number];
  problems: Problem[];
  /** Doubts, which do not fail the proof. */
  remarks: Problem[];
  /** Checkers that refused doing nothing or the wrong path: these can fail. */
  refused: ReadonlySet<string>;
  /** The gold path, ending in each mutant world. */
  mutants: TrialRecord[];
  gold: GoldRun;
  /** The gold path, the wrong path and the agent that does nothing, as they were judged. */
  ends: readonly JudgedEnd[];
};

/** Inputs of the proof of a sample. */
export type SampleProving = {
  checkers: readonly CheckerSpec[];
  stage: Stage;
  /** Tools that change nothing, by the design. */
  readOnly: ReadonlySet<string>;
};

export async function verifySample(
  loaded: LoadedSample,
  { checkers, stage, readOnly }: SampleProving,
  signal: AbortSignal,
): Promise<SampleProof> {
  const { sample, world } = loaded;
  const { session, paths, base } = stage;
  const known = new Set(checkers.map(({ id }) => id));
  const judge = { sample, session, paths, base, checkers: sample.checkers.filter((id) => known.has(id)) };
  const judged = async (name: string, played: TrialRecord): Promise<JudgedEnd> => {
    return { name, played, verdicts: await checkTrace({ ...judge, played }, signal) };
  };
  const idle = { before: world, after: world, calls: [], says: [], stop: 'done' as const };
  const gold = await judged('gold path', await playPath(stage, listedPath(sample, 'gold', world), signal));
  const wrong = await judged('wrong path', await playPath(stage, listedPath(sample, 'wrong', world), signal));
  const nothing = await judged('agent that does nothing', idle);

  const isPlayed = gold.played.calls.every(({ error }) => error === undefined);
  const verdict: GoldJudgement = isPlayed ? await judgeGold(judge, { specs: checkers, gold, wrong }, signal) : NO_FAULT;
  const rejecting = gold.verdicts.filter((one) => one.checker !== 'expect' && isRefusal(one));
  const ends = mutateGoldWorld(world, gold.played.after, acceptedEnds(sample, world).ends);
  const mutants = ends.map((after) => ({ ...gold.played, after }));
  const accepted = isEndFree(sample)
    ? await acceptedIdle({ ...judge, played: gold.played }, signal)
    : mutants.filter((mutant) => judgeExpectation(sample, mutant).pass);

  const proof = {
    sample: sample.id,
    gold: gold.verdicts.every(({ pass }) => pass) && isPlayed,
    nothing: nothing.verdicts.some(isRefusal),
    wrong: wrong.verdicts.some(isRefusal),
    mutants: accepted.length === 0,
  };
  const repeat = proof.gold ? harmlessRepeat(gold.played, readOnly) : undefined;
  return {
    loaded,
    proof,
    problems: [
      ...callProblems(sample.id, 'gold', gold.played),
      ...callProblems(sample.id, 'wrong', wrong.played),
      ...(await replayProblems(sample.id, [gold, wrong], (played) => firstTrialDifference(stage, played, signal))),
      ...brokenCheckers(sample.id, [gold, wrong, nothing]),
      ...verdict.problems,
      ...findWeaknesses(sample, proof, accepted.length),
    ],
    remarks: repeat === undefined ? [] : await repeatRemarks(judge, repeat, signal),
    refused: new Set([...nothing.verdicts, ...wrong.verdicts].filter(isRefusal).map(({ checker }) => checker)),
    mutants,
    ends: [gold, wrong, nothing],
    contradictions: verdict.contradictions,
    rejections: verdict.rejections,
    gold: {
      sample: sample.id,
      gold: gold.played,
      differences: isPlayed ? stateDifference(sample, gold.played) : [],
      rejected: rejecting.length > 0,
      isSeconded: verdict.isSeconded,
      ...(isPlayed && isEndFree(sample) && { reasons: rejecting.flatMap((one) => [one.reason, ...one.evidence]) }),
    },
  };
}

const NULL_PASSES =
  'an agent that does and says nothing passes: say in must_say what its answer has to hold, or list a checker that refuses silence';

/** Paths and worlds that pass although they must fail. */
function findWeaknesses(sample: Sample, proof: SampleProof['proof'], accepted: number): Problem[] {
  const make = createProblemFactory(sample.id);
  const mutants = isEndFree(sample)
    ? 'its end is free, and the gold path passes as well when it changes nothing: no checker looks at the end'
    : `${accepted} changed gold worlds pass as well`;
  return [
    ...(proof.nothing ? [] : [make('null-passes', NULL_PASSES)]),
    ...(proof.wrong ? [] : [make('wrong-passes', 'its own wrong path passes')]),
    ...(proof.mutants ? [] : [make('mutant-passes', mutants)]),
  ];
}

/**
 * Where the end is free a changed gold world may well be right. But when no checker rejects a gold path without any effect,
 * none looks at the end.
 */
async function acceptedIdle(judging: JudgingInput, signal: AbortSignal): Promise<TrialRecord[]> {
  const { before, after } = judging.played;
  if (sameJson(before, after)) return [];
  const idle = { ...judging.played, after: before };
  return (await runCheckers({ ...judging, played: idle }, signal)).some(isRefusal) ? [] : [idle];
}

/** One problem for each checker that fails on any of the runs: a subject may do anything, also nothing. */
function brokenCheckers(sample: string, runs: readonly JudgedEnd[]): Problem[] {
  const first = new Map<string, string>();
  for (const { name, verdicts } of runs) {
    for (const { checker, reason } of verdicts.filter(({ broken }) => broken === true)) {
      if (!first.has(checker)) first.set(checker, `checker ${checker} fails on the ${name}: ${reason}`);
    }
  }
  return [...first].map(([checker, message]) => createProblemFactory(sample)('checker-broken', message, checker));
}

/** A call that could not be made is the sample's fault, one that the tool did not survive is the tool's. */
function callProblems(sample: string, path: 'gold' | 'wrong', played: TrialRecord): Problem[] {
  const make = createProblemFactory(sample);
  return played.calls.flatMap((call) => {
    const text = `${path} ${describeCall(call)}: ${String(call.output)}`;
    if (isToolFault(call.error)) return [make('tool-failed', text, call.tool)];
    // An unknown tool is reported once for the sample; a wrong path may well contain a call that is refused.
    return call.error === 'bad_input' && path === 'gold' ? [make('gold-invalid', text)] : [];
  });
}

async function replayProblems(
  sample: string,
  runs: readonly JudgedEnd[],
  differenceIn: (played: TrialRecord) => ReturnType<typeof firstTrialDifference>,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { played } of runs) {
    if (played.calls.some(({ error }) => isToolFault(error))) continue;
    const different = await differenceIn(played);
    if (different === undefined) continue;
    const message = `${describeCall(different)} does not answer the same on replay`;
    problems.push(createProblemFactory(sample)('tool-nondeterministic', message, different.tool));
  }
  return problems;
}

const MAX_MUTANTS = 6;

/**
 * Makes worlds that lack one change of gold or have one changed leaf; ends that the sample accepts are left out. The order
 * of keys decides nothing, because a later proof compares its verdicts with those of this one.
 */
export function mutateGoldWorld(start: JsonObject, end: JsonObject, accepted: readonly JsonObject[]): JsonObject[] {
  const [before, gold] = [sortKeys(start), sortKeys(end)];
  const patch = diffJson(before, gold);
  const lacking = patch.map((_, dropped) => applyPatch(before, patch.toSpliced(dropped, 1)));
  const touched = patch.flatMap((one) => (one.op === 'remove' ? [] : changeLeaves(one.value, one.path).slice(0, 1)));
  const leaves = touched.length > 0 ? touched : changeLeaves(gold, '').slice(0, 1);
  const changed = leaves.map((operation) => applyPatch(gold, [operation]));
  return [...interleaveLists(lacking, changed)]
    .flatMap((mutant) => (mutant.ok ? [mutant.world] : []))
    .filter((world) => ![gold, ...accepted].some((end) => sameJson(end, world)))
    .slice(0, MAX_MUTANTS);
}

function sortKeys(world: JsonObject): JsonObject {
  return JSON.parse(canonicalJson(world)) as JsonObject;
}

/** Alternates two lists, so that the first few items are of both kinds. */
function interleaveLists<T>(first: readonly T[], second: readonly T[]): T[] {
  return Array.from({ length: Math.max(first.length, second.length) }).flatMap((_, index) =>
    [first[index], second[index]].filter((item) => item !== undefined),
  );
}
