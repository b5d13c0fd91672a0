/** Proves one sample without a model: gold passes; doing nothing, the wrong path and every mutant fail. */
import type { CheckerSpec } from '../../scenario/component.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import type { Problem, Verdict, Verification } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
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
import { mutantsOf } from './mutants.ts';
import { firstTrialDifference, playPath, type TrialRecord } from '../components/trial-record.ts';
import type { GoldRun } from './suspect-tools.ts';
import { problemMakerFor } from './sample-problems.ts';
import { isRefusal, judgedGoldProblems, pathRemarks, type GoldJudgement } from './verify-gold.ts';

export type SampleProof = Omit<GoldJudgement, 'problems'> & {
  loaded: LoadedSample;
  proof: Verification['proofs'][number];
  problems: Problem[];
  /** Doubts that stop nothing. */
  remarks: Problem[];
  /** Checkers that refused doing nothing or the wrong path: these can fail. */
  refused: ReadonlySet<string>;
  /** The gold path, ending in each mutant world. */
  mutants: TrialRecord[];
  gold: GoldRun;
};

/** What a sample is proved with. */
export type Proving = {
  checkers: readonly CheckerSpec[];
  stage: Stage;
  /** Tools that change nothing, by the design. */
  readOnly: ReadonlySet<string>;
};

export async function verifySample(
  loaded: LoadedSample,
  { checkers, stage, readOnly }: Proving,
  signal: AbortSignal,
): Promise<SampleProof> {
  const { sample, world } = loaded;
  const { session, paths, base } = stage;
  const judge = { sample, session, paths, base, checkers: sample.checkers.filter((id) => isLoaded(id, checkers)) };
  const gold = await playPath(stage, sample.gold, sample.gold_says, world, signal);
  const wrong = await playPath(stage, sample.wrong, sample.wrong_says, world, signal);
  const nothing: TrialRecord = { before: world, after: world, calls: [], says: [], stop: 'done' };
  const onGold = await checkTrace({ ...judge, played: gold }, signal);
  const onWrong = await checkTrace({ ...judge, played: wrong }, signal);
  const onNothing = await checkTrace({ ...judge, played: nothing }, signal);

  const told = tellBroken(sample.id, {
    'gold path': onGold,
    'wrong path': onWrong,
    'agent that does nothing': onNothing,
  });
  const pathProblems = [
    ...callProblems(sample.id, 'gold', gold),
    ...callProblems(sample.id, 'wrong', wrong),
    ...(await replayProblems(sample.id, stage, [gold, wrong], signal)),
  ];
  const isPlayed = gold.calls.every(({ error }) => error === undefined);
  const judgedGold = isPlayed
    ? await judgedGoldProblems(loaded, checkers, { ...judge, stage }, [gold, onGold], [wrong, onWrong], signal)
    : { problems: [], contradictions: [], rejections: [] };
  const mutants = mutantsOf(world, gold.after, acceptedEnds(sample, world).ends).map((after) => ({ ...gold, after }));
  const accepted = isEndFree(sample)
    ? await acceptedIdle({ ...judge, played: gold }, signal)
    : mutants.filter((mutant) => judgeExpectation(sample, mutant).pass);

  const proof = {
    sample: sample.id,
    gold: onGold.every(({ pass }) => pass) && isPlayed,
    nothing: onNothing.some(isRefusal),
    wrong: onWrong.some(isRefusal),
    mutants: accepted.length === 0,
  };
  const tell = problemMakerFor(sample.id);
  return {
    loaded,
    proof,
    problems: [
      ...pathProblems,
      ...told,
      ...judgedGold.problems,
      ...(proof.nothing ? [] : [tell('null-passes', 'an agent that does and says nothing passes')]),
      ...(proof.wrong ? [] : [tell('wrong-passes', 'its own wrong path passes')]),
      ...(proof.mutants ? [] : [tell('mutant-passes', mutantFault(sample, accepted.length))]),
    ],
    remarks: proof.gold ? await pathRemarks(judge, gold, readOnly, signal) : [],
    refused: new Set([...onNothing, ...onWrong].filter(isRefusal).map(({ checker }) => checker)),
    mutants,
    contradictions: judgedGold.contradictions,
    rejections: judgedGold.rejections,
    gold: {
      sample: sample.id,
      gold,
      differences: isPlayed ? stateDifference(sample, gold) : [],
      rejected: onGold.some((verdict) => verdict.checker !== 'expect' && isRefusal(verdict)),
    },
  };
}

/**
 * Where the end is free a changed gold world may well be right. But when no checker minds that the gold path had no effect
 * at all, none looks at the end.
 */
async function acceptedIdle(judging: JudgingInput, signal: AbortSignal): Promise<TrialRecord[]> {
  const { before, after } = judging.played;
  if (sameJson(before, after)) return [];
  const idle = { ...judging.played, after: before };
  return (await runCheckers({ ...judging, played: idle }, signal)).some(isRefusal) ? [] : [idle];
}

function mutantFault(sample: Sample, accepted: number): string {
  return isEndFree(sample)
    ? 'its end is free, and the gold path passes as well when it changes nothing: no checker looks at the end'
    : `${accepted} changed gold worlds pass as well`;
}

/** One problem for each checker that fails on any of the runs: a subject may do anything, also nothing. */
function tellBroken(sample: string, runs: Record<string, readonly Verdict[]>): Problem[] {
  const first = new Map<string, string>();
  for (const [name, verdicts] of Object.entries(runs)) {
    for (const { checker, reason } of verdicts.filter(({ broken }) => broken === true)) {
      if (!first.has(checker)) first.set(checker, `checker ${checker} fails on the ${name}: ${reason}`);
    }
  }
  return [...first].map(([checker, message]) => problemMakerFor(sample)('checker-broken', message, checker));
}

function isLoaded(id: string, checkers: readonly CheckerSpec[]): boolean {
  return checkers.some((checker) => checker.id === id);
}

/** A call that could not be made is the sample's fault, one that the tool did not survive is the tool's. */
function callProblems(sample: string, path: 'gold' | 'wrong', played: TrialRecord): Problem[] {
  const tell = problemMakerFor(sample);
  return played.calls.flatMap((call) => {
    if (isToolFault(call.error)) {
      return [tell('tool-failed', `${path} ${describeCall(call)}: ${String(call.output)}`, call.tool)];
    }
    // An unknown tool is told once for the sample; a wrong path may well hold a call that is refused.
    if (call.error !== 'bad_input' || path === 'wrong') return [];
    return [tell('gold-invalid', `gold ${describeCall(call)}: ${String(call.output)}`)];
  });
}

async function replayProblems(
  sample: string,
  stage: Stage,
  runs: TrialRecord[],
  signal: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const played of runs) {
    if (played.calls.some(({ error }) => isToolFault(error))) continue;
    const different = await firstTrialDifference(stage, played, signal);
    if (different === undefined) continue;
    const message = `${describeCall(different)} does not answer the same on replay`;
    problems.push(problemMakerFor(sample)('tool-nondeterministic', message, different.tool));
  }
  return problems;
}
