/** Judges a played trial: the sample's own expectation, then every listed checker, each called twice. */
import { CheckerAnswer, type CheckerInput, type TraceEvent, type TracedCall } from '../../scenario/component.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import type { Verdict } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { SandboxOutcome } from '../../ports/sandbox.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Stage } from '../components/call-tool.ts';
import { CALL_TIMEOUT_MS, getComponentPath } from '../components/components.ts';
import { judgeExpectation } from './judge-expectation.ts';
import type { TrialRecord, TrialCall } from '../components/trial-record.ts';
import { schemaIssues } from '../components/schema-issues.ts';

/** The trial to judge, its checkers, and the session that runs them. */
export type JudgingInput = Pick<Stage, 'session' | 'paths' | 'base'> & {
  sample: Sample;
  played: TrialRecord;
  /** Default: those that the sample lists. */
  checkers?: readonly string[];
};

/** Verdicts in the order `expect`, then as the checkers are listed. */
export async function checkTrace(judging: JudgingInput, signal: AbortSignal): Promise<Verdict[]> {
  return [judgeExpectation(judging.sample, judging.played), ...(await runCheckers(judging, signal))];
}

/** The beginning of the reason of a verdict that no checker gave, because the trial is too large to be judged. */
export const OVER_LIMIT = 'over_limit: ';

/** A checker that fails, or that does not answer the same twice, is `broken` and has not passed anything. */
export async function runCheckers(
  { sample, played, checkers = sample.checkers, session, paths, base }: JudgingInput,
  signal: AbortSignal,
): Promise<Verdict[]> {
  if (checkers.length === 0) return [];
  const modules = checkers.map((checker) => getComponentPath(paths, 'checkers', checker));
  const args = [checkerInput(sample, played)];
  const shared = ['before', 'after'].flatMap((key) => (base === undefined ? [] : [{ at: ['0', key], base }]));
  const given = shared.length === 0 ? args : { args, shared };
  const inquiry = { modules, name: 'check', args: given, times: 2, timeoutMs: CALL_TIMEOUT_MS };
  const answers = await session.askAll(inquiry, signal);
  return checkers.map((checker, index) => toVerdict(checker, answers[index] ?? []));
}

function toVerdict(checker: string, [first, second]: readonly SandboxOutcome[]): Verdict {
  const broken = (reason: string): Verdict => ({ checker, pass: false, reason, evidence: [], broken: true });
  if (first?.ok !== true) return broken(first === undefined ? 'it did not answer' : `${first.kind}: ${first.message}`);
  const parsed = CheckerAnswer.safeParse(first.value);
  if (!parsed.success) return broken(`its answer does not fit: ${schemaIssues(parsed.error).join('; ')}`);
  const isSame = second?.ok === true && sameJson(first.value, second.value);
  return isSame ? { checker, ...parsed.data } : broken('its second answer differs from the first');
}

/** The argument of a checker: the worlds, all words and all calls. */
export function checkerInput(sample: Sample, played: TrialRecord): CheckerInput {
  const { before, after, calls, says } = played;
  const trace = { calls: calls.map(toTracedCall), says, events: toTraceEvents(sample, played) };
  return { sample, before, after, trace, final: says.at(-1) ?? '' };
}

/** Returns the events; a listed path has no recorded order, so the user comes first, then calls, then final words. */
function toTraceEvents({ user }: Sample, { calls, says, events }: TrialRecord): TraceEvent[] {
  if (events !== undefined)
    return events.map((event) => {
      if (event.type === 'call') return { type: 'call', ...toTracedCall(event) };
      return { type: event.type, step: event.step, text: event.text };
    });
  const last = (calls.at(-1)?.step ?? 0) + 1;
  return [
    { type: 'user', step: 0, text: user.says_first },
    ...calls.map((call) => ({ type: 'call' as const, ...toTracedCall(call) })),
    ...says.map((text, index): TraceEvent => ({ type: 'says', step: last + index, text })),
  ];
}

/** Leaves out world changes and error kinds: a checker judges only what subject and user could see. */
function toTracedCall({ step, tool, input, output, is_error, by }: TrialCall): TracedCall {
  return { step, tool, input, output, is_error, ...omitUndefined({ by }) };
}
