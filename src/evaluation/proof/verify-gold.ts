/** What the verdicts on a gold path say about the sample, its checkers and its rules. */
import type { CheckerSpec } from '../../scenario/component.ts';
import type { Problem, Verdict } from '../../scenario/result.ts';
import type { Stage } from '../components/call-tool.ts';
import { checkTrace, type JudgingInput } from '../judge/check-trace.ts';
import type { LoadedSample } from '../components/components.ts';
import { alternativeEnds, findContradictions } from './find-contradictions.ts';
import { harmlessRepeat } from './harmless-repeat.ts';
import type { TrialRecord } from '../components/trial-record.ts';
import { problemMakerFor } from './sample-problems.ts';

export function isRefusal({ pass, broken }: Verdict): boolean {
  return !pass && broken !== true;
}

type Judged = [played: TrialRecord, verdicts: readonly Verdict[]];

export type GoldJudgement = {
  problems: Problem[];
  /** Pairs of checkers that no known end satisfies together, if both are to be believed. */
  contradictions: ReturnType<typeof findContradictions>;
  /** Checkers that reject the gold path, each unless a contradiction excuses it. */
  rejections: Problem[];
};

/** For a gold path that could be played. */
export async function judgedGoldProblems(
  { sample }: LoadedSample,
  specs: readonly CheckerSpec[],
  { checkers, stage }: { checkers: readonly string[]; stage: Stage },
  [gold, onGold]: Judged,
  [wrong, onWrong]: Judged,
  signal: AbortSignal,
): Promise<GoldJudgement> {
  const tell = problemMakerFor(sample.id);
  const expectation = onGold.find(({ checker }) => checker === 'expect');
  if (expectation?.pass === false) {
    const detail = [expectation.reason, ...expectation.evidence].join('; ');
    const problems = [tell('gold-fails', `its gold path fails its own expectation: ${detail}`)];
    return { problems, contradictions: [], rejections: [] };
  }
  const rejecting = onGold.filter(isRefusal);
  if (rejecting.length === 0) return { problems: [], contradictions: [], rejections: [] };
  const ends = [
    { name: 'gold path', played: gold, verdicts: onGold },
    { name: 'wrong path', played: wrong, verdicts: onWrong },
    ...(await alternativeEnds(sample, gold, checkers, stage, signal)),
  ];
  const rejections = rejecting.map(({ checker, reason }) =>
    tell('checker-rejects-gold', `checker ${checker} rejects the gold path: ${reason}`, checker),
  );
  return { problems: [], contradictions: findContradictions(sample, specs, ends), rejections };
}

/** Checkers that pass the gold path and not the same path with something looked up once more. */
export async function pathRemarks(
  judge: Omit<JudgingInput, 'played'>,
  gold: TrialRecord,
  readOnly: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Problem[]> {
  const repeat = harmlessRepeat(gold, readOnly);
  if (repeat === undefined) return [];
  const { played, tool, step } = repeat;
  const verdicts = await checkTrace({ ...judge, played }, signal);
  const when = `when ${tool} is called once more after step ${step}, which changes nothing`;
  return verdicts
    .filter(({ pass }) => !pass)
    .map(({ checker, reason, broken }) =>
      broken === true
        ? problemMakerFor(judge.sample.id)('checker-broken', `checker ${checker} fails ${when}: ${reason}`, checker)
        : problemMakerFor(judge.sample.id)(
            'checker-judges-path',
            `checker ${checker} rejects the gold path ${when}: ${reason}`,
            checker,
          ),
    );
}
