/** Proves graders before one of their verdicts counts: they judge answers whose verdict is known. */
import pLimit from 'p-limit';
import { HarnessError } from '../../errors.ts';
import type { Design } from '../../scenario/design.ts';
import type { GraderCase, GraderProof, GraderSpec } from '../../scenario/grader.ts';
import { createProblem, type ProblemCode } from '../../scenario/attribution/problem-code.ts';
import type { Problem, Verification } from '../../scenario/result.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import { stageFor } from '../components/call-tool.ts';
import type { Components, LoadedSample } from '../components/components.ts';
import { listedPath, playPath } from '../components/trial-record.ts';
import { mutatedCases, plainCases, type AnswerCase } from './answer-cases.ts';
import { gradeOne, computeGraderKey, type Grading } from './grading.ts';
import { gradedRecord } from './graded-record.ts';

/** Questions to one grader, each as often as it has votes: every gold first, then what must fail. */
const MOST_QUESTIONS = 40;
/** Samples of a grader whose answers are mutated. */
const MUTATED_SAMPLES = 3;
const AT_ONCE = 8;

export type GraderProving = {
  components: Components;
  design: Design;
  session: OpenSandbox;
  grading: Grading | undefined;
  /** Proofs of earlier iterations: answers of the same grader version to the same case are not paid for again. */
  earlier?: readonly GraderProof[] | undefined;
  signal: AbortSignal;
};

type PosedCase = AnswerCase & { loaded: LoadedSample };

/** Adds the proofs of the graders to a verification. Contract: `model_unavailable` when a grader cannot be called. */
export async function withProvenGraders(verification: Verification, input: GraderProving): Promise<Verification> {
  const graders = listedGraders(input.components);
  const { grading } = input;
  if (!verification.ok || graders.length === 0 || grading === undefined) return verification;
  const proofs: GraderProof[] = [];
  for (const grader of graders) proofs.push(await proveGrader(grader, grading, input));
  const problems = proofs.flatMap(problemsIn);
  const remarks = (verification.remarks ?? []).filter(({ code }) => code !== ('grader-unproven' satisfies ProblemCode));
  const { remarks: _remarks, ...rest } = verification;
  return {
    ...rest,
    ok: problems.length === 0,
    problems: [...verification.problems, ...problems],
    ...(remarks.length === 0 ? {} : { remarks }),
    graders: proofs,
  };
}

/** Returns the graders that a sample lists, in the order of their ids. */
export function listedGraders({ graders = [], samples }: Components): GraderSpec[] {
  const listed = new Set(samples.flatMap(({ sample }) => sample.graders ?? []));
  return graders.filter(({ id }) => listed.has(id));
}

async function proveGrader(grader: GraderSpec, grading: Grading, input: GraderProving): Promise<GraderProof> {
  const { earlier = [], signal } = input;
  const key = await computeGraderKey(grader, grading);
  const known = earlier.filter((proof) => proof.key === key).flatMap(({ cases }) => cases);
  const posed = await casesFor(grader, grading, input);
  const limit = pLimit(AT_ONCE);
  const selected = posed.slice(0, MOST_QUESTIONS);
  const lanes = nameLanes(selected, grader);
  const failure = new AbortController();
  const asking = { grader, grading, known, signal: AbortSignal.any([signal, failure.signal]) };
  const asked = selected.map((one, index) => limit(() => askCase(one, { ...asking, lane: lanes[index] ?? '' })));
  const answers = await Promise.all(asked).catch(async (error: unknown) => {
    // A call that is still under way gives its place in the limits back before they close.
    failure.abort(error);
    await Promise.allSettled(asked);
    throw error;
  });
  return {
    id: grader.id,
    key,
    model: (await grading.modelOf(grader)).name,
    cases: answers.map(({ found }) => found),
    untried: posed.length - selected.length,
    costUsd: answers.reduce((sum, { costUsd }) => sum + costUsd, 0),
  };
}

async function casesFor(grader: GraderSpec, { prompts }: Grading, input: GraderProving): Promise<PosedCase[]> {
  const { components, design, session, signal } = input;
  const own = components.samples.filter(({ sample }) => sample.graders?.includes(grader.id));
  const plain: PosedCase[] = [];
  const mutated: PosedCase[] = [];
  for (const [index, loaded] of own.entries()) {
    const stage = stageFor(loaded, components, { format: design.format, session });
    const play = (path: 'gold' | 'wrong') => playPath(stage, listedPath(loaded.sample, path, loaded.world), signal);
    const plays = { gold: await play('gold'), wrong: await play('wrong') };
    plain.push(...plainCases(plays, grader).map((one) => ({ ...one, loaded })));
    if (index < MUTATED_SAMPLES)
      mutated.push(...mutatedCases(plays, grader, prompts).map((one) => ({ ...one, loaded })));
  }
  const isGold = ({ kind }: PosedCase) => kind === 'gold';
  return [...plain.filter(isGold), ...mutated, ...plain.filter((one) => !isGold(one))];
}

/** Names lanes by content, not by position, so that answers are found again when a case is added or removed. */
function nameLanes(cases: readonly PosedCase[], { id }: GraderSpec): string[] {
  const times = new Map<string, number>();
  return cases.map(({ kind, loaded: { sample }, played }) => {
    const name = `${kind}.${gradedRecord(sample, played).digest.slice(0, 12)}`;
    const nth = (times.get(name) ?? 0) + 1;
    times.set(name, nth);
    return `grader/${id}/proof.${name}${nth === 1 ? '' : `.${nth}`}`;
  });
}

type CaseAsking = {
  grader: GraderSpec;
  grading: Grading;
  known: readonly GraderCase[];
  lane: string;
  signal: AbortSignal;
};

async function askCase(
  { loaded: { sample }, kind, wanted, played }: PosedCase,
  { grader, grading, known, lane, signal }: CaseAsking,
): Promise<{ found: GraderCase; costUsd: number }> {
  const record = gradedRecord(sample, played);
  const earlier = known.find((one) => one.conversation === record.digest && one.kind === kind);
  if (earlier !== undefined) return { found: { ...earlier, sample: sample.id, wanted }, costUsd: 0 };
  const { verdict, unreachable, costUsd } = await gradeOne({ grader, record, lane }, grading, signal);
  if (verdict === undefined)
    throw new HarnessError('model_unavailable', `The graders cannot be proven, so nothing is judged: ${unreachable}`, {
      details: { means: 'wait' },
    });
  const got = verdict.broken === true ? 'void' : verdict.pass ? 'pass' : 'fail';
  return {
    found: { sample: sample.id, kind, wanted, got, reason: verdict.reason, conversation: record.digest },
    costUsd,
  };
}

const CASE_TITLES: Record<GraderCase['kind'], string> = {
  gold: 'the gold path',
  wrong: 'the wrong path',
  silent: 'an agent that says and does nothing',
  'orders-to-pass': 'a wrong answer that orders it to pass',
  'confident-lie': 'an agent that does nothing and claims the words of gold',
  'wrong-amount': 'the words of gold with another amount',
  padded: 'the gold path, padded with courtesies to three times its length',
  reordered: 'the gold path with its sentences in another order',
};

function problemsIn({ id, cases }: GraderProof): Problem[] {
  const at = `graders/${id}.yaml`;
  const wrong = cases.filter(({ wanted, got }) => got === 'void' || (wanted !== 'either' && got !== wanted));
  const remedy = 'say in its question, pass_when and fail_when what decides, or what it `ignores`';
  const problems = wrong.map(({ sample, kind, wanted, got, reason }): Problem => ({
    ...createProblem(
      'grader-fails-proof',
      id,
      `${at}: it must ${wanted === 'either' ? 'judge' : wanted} ${CASE_TITLES[kind]} of samples/${sample}.json, and its verdict is ${got}: ${reason}; ${remedy}`,
    ),
    sample,
  }));
  if (problems.length > 0 || cases.some(({ got }) => got === 'fail')) return problems;
  return [createProblem('grader-cannot-fail', id, `${at}: it passed every answer that it was given; ${remedy}`)];
}
