/** Judges what was played: the sample's own expectation, then every listed checker, each asked twice. */
import { CheckerAnswer, type CheckerInput } from '../scenario/component.ts';
import { sameJson } from '../scenario/json-value.ts';
import type { Verdict } from '../scenario/result.ts';
import type { Sample } from '../scenario/sample.ts';
import type { SandboxSession } from '../ports/sandbox.ts';
import { CALL_TIMEOUT_MS, pathOf, type ComponentPaths } from './components.ts';
import { judgeExpectation } from './judge-expectation.ts';
import type { Played } from './played.ts';
import { schemaIssues } from './schema-issues.ts';

/** What is judged, by which checkers, and where they run. */
export type Judging = {
  sample: Sample;
  played: Played;
  /** Ids, as a rule those that the sample lists. */
  checkers: readonly string[];
  session: SandboxSession;
  paths?: ComponentPaths | undefined;
};

/** Verdicts in the order `expect`, then as the checkers are listed. */
export async function checkTrace(judging: Judging, signal: AbortSignal): Promise<Verdict[]> {
  const verdicts = [judgeExpectation(judging.sample, judging.played)];
  for (const checker of judging.checkers) verdicts.push(await askChecker(checker, judging, signal));
  return verdicts;
}

/** A checker that fails, or that does not answer the same twice, is `broken` and has not passed anything. */
export async function askChecker(
  checker: string,
  { sample, played, session, paths }: Omit<Judging, 'checkers'>,
  signal: AbortSignal,
): Promise<Verdict> {
  const module = pathOf(paths, 'checkers', checker);
  const ask = () => session.call(module, 'check', [inputOf(sample, played)], CALL_TIMEOUT_MS, signal);
  const broken = (reason: string): Verdict => ({ checker, pass: false, reason, evidence: [], broken: true });
  const first = await ask();
  if (!first.ok) return broken(`${first.kind}: ${first.message}`);
  const parsed = CheckerAnswer.safeParse(first.value);
  if (!parsed.success) return broken(`its answer does not fit: ${schemaIssues(parsed.error).join('; ')}`);
  const second = await ask();
  if (!second.ok || !sameJson(first.value, second.value)) return broken('it did not answer the same when asked again');
  return { checker, ...parsed.data };
}

function inputOf(sample: Sample, { before, after, calls, says }: Played): CheckerInput {
  const traced = calls.map(({ step, tool, input, output, is_error, by }) => ({
    ...{ step, tool, input, output, is_error },
    ...(by === undefined ? {} : { by }),
  }));
  return { sample, before, after, trace: { calls: traced, says }, final: says.at(-1) ?? '' };
}
