/** The verdicts of a sample's graders: each conversation is put to each grader once, and its verdict is remembered by digest. */
import { HarnessError } from '../../errors.ts';
import { NO_PRICE, type Model } from '../../ports/model.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { GraderAnswer, GraderSpec } from '../../scenario/grader.ts';
import type { AgreedLabel } from '../../scenario/label.ts';
import type { Results, Verdict } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { Components } from '../components/components.ts';
import type { TrialRecord } from '../components/trial-record.ts';
import type { GraderModel, GraderPrompts, GraderVotes } from './ask-grader.ts';
import type { GradedRecord } from './graded-record.ts';

/** Everything an evaluation needs to ask its graders. */
export type Grading = {
  prompts: GraderPrompts;
  /** Contract: `config_invalid` where no model is named. */
  modelOf: (grader: GraderSpec) => Promise<GraderModel>;
  /** Whether people's labels have confirmed this version of a grader, or the scenario lets it decide without. */
  counts: (grader: GraderSpec, key: string) => boolean;
  /** Labels that people agreed on for its question; default: none. */
  agreed?: (grader: GraderSpec) => readonly AgreedLabel[];
  /** A verdict that was given before. */
  known?: (key: string, conversation: string) => Verdict | undefined;
};

/** The verdicts, or the reason why a grader was unreachable, with the cost in either case. */
export type GradingResult = { costUsd: number } & ({ verdicts: Verdict[] } | { unreachable: string });

export function findGraders({ graders = [] }: Pick<Sample, 'graders'>, all: Components['graders']): GraderSpec[] {
  return graders.flatMap((id) => all?.find((grader) => grader.id === id) ?? []);
}

/** Lists the inputs of a trial besides its components: its graders, their versions, and whether they count. */
export async function gradingInputs(graders: readonly GraderSpec[], grading: Grading | undefined): Promise<unknown[]> {
  const by = requireGrading(grading);
  const keys = await Promise.all(graders.map((grader) => computeGraderKey(grader, by)));
  return graders.map((grader, index) => [keys[index], by.counts(grader, keys[index] ?? '')]);
}

export async function computeGraderKey(grader: GraderSpec, { modelOf, prompts }: Grading): Promise<string> {
  const { graderKey } = await import('./ask-grader.ts');
  return graderKey(grader, { prompt: prompts.grader, model: (await modelOf(grader)).name });
}

type GradingQuestion = { sample: Sample; played: TrialRecord; graders: readonly GraderSpec[]; lane: string };

export async function gradeTrial(
  { sample, played, graders, lane }: GradingQuestion,
  grading: Grading | undefined,
  signal: AbortSignal,
): Promise<GradingResult> {
  if (graders.length === 0) return { verdicts: [], costUsd: 0 };
  const { gradedRecord } = await import('./graded-record.ts');
  const record = gradedRecord(sample, played);
  const by = requireGrading(grading);
  const all = await Promise.all(
    graders.map((grader) => gradeOne({ grader, record, lane: `grader/${grader.id}/${lane}` }, by, signal)),
  );
  const costUsd = all.reduce((sum, one) => sum + one.costUsd, 0);
  const [unreachable] = all.flatMap((one) => one.unreachable ?? []);
  if (unreachable !== undefined) return { unreachable, costUsd };
  return { verdicts: all.flatMap(({ verdict }) => verdict ?? []), costUsd };
}

type GraderResult = { verdict?: Verdict; unreachable?: string; costUsd: number };

/** Asks one grader about one conversation. Contract: a `void` answer is a `broken` verdict, which never passes. */
export async function gradeOne(
  { grader, record, lane }: { grader: GraderSpec; record: GradedRecord; lane: string },
  grading: Grading,
  signal: AbortSignal,
): Promise<GraderResult> {
  const by = await grading.modelOf(grader);
  const key = await computeGraderKey(grader, grading);
  const counts = grading.counts(grader, key);
  const known = grading.known?.(key, record.digest);
  if (known?.grader !== undefined) return { verdict: { ...known, grader: { ...known.grader, counts } }, costUsd: 0 };
  const { askGrader } = await import('./ask-grader.ts');
  const answered = await askGrader({ grader, record, by, prompts: grading.prompts, lane }, signal);
  const lost = answered.votes.find((vote) => vote.type === 'unreachable');
  if (lost !== undefined)
    return { unreachable: `grader ${grader.id} could not be called: ${lost.detail}`, costUsd: answered.costUsd };
  const graded = { model: by.name, key, conversation: record.digest, counts };
  return { verdict: { checker: grader.id, ...tallyVotes(answered, graded) }, costUsd: answered.costUsd };
}

function tallyVotes(
  { votes }: GraderVotes,
  graded: Omit<NonNullable<Verdict['grader']>, 'votes'>,
): Omit<Verdict, 'checker'> {
  const answers = votes.flatMap((vote) => (vote.type === 'answer' ? [vote.answer] : []));
  const pass = answers.filter(({ verdict }) => verdict === 'pass');
  const fail = answers.filter(({ verdict }) => verdict === 'fail');
  const grader = { ...graded, votes: { pass: pass.length, fail: fail.length, void: votes.length - answers.length } };
  // A majority of all votes, so that one honest vote among void ones decides nothing.
  const most = [pass, fail].find((side) => side.length * 2 > votes.length);
  const [first] = most ?? [];
  if (first !== undefined) {
    const said = { pass: first.verdict === 'pass', reason: first.reason, evidence: first.quotes };
    return { ...said, ...averageAnswers(answers), grader };
  }
  const [fault] = votes.flatMap((vote) => (vote.type === 'void' ? [vote.fault] : []));
  return { pass: false, reason: `its verdict is void: ${fault ?? 'no majority'}`, evidence: [], broken: true, grader };
}

/** Averages the numbers of the votes. */
function averageAnswers(answers: readonly GraderAnswer[]): Pick<Verdict, 'score' | 'metrics'> {
  const score = computeMean(answers.map((answer) => answer.score));
  const names = [...new Set(answers.flatMap(({ metrics = {} }) => Object.keys(metrics)))];
  const means = names.flatMap((name) => {
    const mean = computeMean(answers.map(({ metrics }) => metrics?.[name]));
    return mean === undefined ? [] : [[name, mean] as const];
  });
  return omitUndefined({ score, metrics: means.length === 0 ? undefined : Object.fromEntries(means) });
}

function computeMean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function requireGrading(grading: Grading | undefined): Grading {
  if (grading !== undefined) return grading;
  throw new HarnessError('config_invalid', 'Samples list graders, and no model is here to answer for them.');
}

/** Calls no model: only verdicts stored in results, given by the same version of the grader, count. */
export function rememberedGrading(results: readonly Results[], prompts: GraderPrompts): Grading {
  const trials = results.flatMap(({ samples }) => samples.flatMap((sample) => sample.trials));
  const given = trials.flatMap(({ verdicts }) => verdicts.filter(({ grader }) => grader !== undefined));
  const known = new Map(given.map((verdict) => [`${verdict.grader?.key} ${verdict.grader?.conversation}`, verdict]));
  const why = 'no verdict of this version is remembered for this conversation, and no model is called here';
  const nobody: Model = { call: () => Promise.reject(new HarnessError('model_unavailable', why)) };
  const lastOf = ({ id }: GraderSpec) => given.findLast(({ checker }) => checker === id)?.grader;
  return {
    prompts,
    modelOf: (grader) => {
      const name = lastOf(grader)?.model ?? grader.model ?? 'nobody';
      return Promise.resolve({ name, price: NO_PRICE, modelFor: () => nobody });
    },
    counts: (grader) => lastOf(grader)?.counts ?? false,
    known: (key, conversation) => known.get(`${key} ${conversation}`),
  };
}
