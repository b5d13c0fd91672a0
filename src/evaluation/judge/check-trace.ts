/** Judges what was played: the sample's own expectation, then every listed checker, each asked twice. */
import { CheckerAnswer } from '../../scenario/component.ts';
import { sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import type { Verdict } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { SandboxOutcome, SandboxSession } from '../../ports/sandbox.ts';
import { checkerInput } from './checker-input.ts';
import { CALL_TIMEOUT_MS, pathOf, type ComponentPaths } from '../components/components.ts';
import { judgeExpectation } from './judge-expectation.ts';
import type { TrialRecord } from '../components/trial-record.ts';
import { schemaIssues } from '../components/schema-issues.ts';

/** What is judged, by which checkers, and where they run. */
export type JudgingInput = {
  sample: Sample;
  played: TrialRecord;
  /** Ids, as a rule those that the sample lists. */
  checkers: readonly string[];
  session: SandboxSession;
  paths?: ComponentPaths | undefined;
  /** What its worlds are made of, when that is large. */
  base?: JsonObject | undefined;
};

/** Verdicts in the order `expect`, then as the checkers are listed. */
export async function checkTrace(judging: JudgingInput, signal: AbortSignal): Promise<Verdict[]> {
  return [judgeExpectation(judging.sample, judging.played), ...(await runCheckers(judging, signal))];
}

/** A checker that fails, or that does not answer the same twice, is `broken` and has not passed anything. */
export async function runCheckers(
  { sample, played, checkers, session, paths, base }: JudgingInput,
  signal: AbortSignal,
): Promise<Verdict[]> {
  if (checkers.length === 0) return [];
  const modules = checkers.map((checker) => pathOf(paths, 'checkers', checker));
  const args = [checkerInput(sample, played)];
  const shared = ['before', 'after'].flatMap((key) => (base === undefined ? [] : [{ at: ['0', key], base }]));
  const inquiry = { modules, name: 'check', args: shared.length === 0 ? args : { args, shared }, times: 2 };
  const answers = await session.askAll(inquiry, CALL_TIMEOUT_MS, signal);
  return checkers.map((checker, index) => verdictOf(checker, answers[index] ?? []));
}

function verdictOf(checker: string, [first, second]: readonly SandboxOutcome[]): Verdict {
  const broken = (reason: string): Verdict => ({ checker, pass: false, reason, evidence: [], broken: true });
  if (first?.ok !== true) return broken(first === undefined ? 'it did not answer' : `${first.kind}: ${first.message}`);
  const parsed = CheckerAnswer.safeParse(first.value);
  if (!parsed.success) return broken(`its answer does not fit: ${schemaIssues(parsed.error).join('; ')}`);
  const isSame = second?.ok === true && sameJson(first.value, second.value);
  return isSame ? { checker, ...parsed.data } : broken('it did not answer the same when asked again');
}
