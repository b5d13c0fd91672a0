/** Finds the calls of a gold path with which the evidence of its failure begins: refused ones, and those that wrote where the end is wrong. */
import { arePointersNested } from '../../scenario/attribution/deciding-moment.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import type { StateDifference } from '../../scenario/result.ts';
import { getComponentPath, type ComponentPaths } from '../components/components.ts';
import type { TrialCall, TrialRecord } from '../components/trial-record.ts';
import { describeCall } from '../judge/judge-expectation.ts';

const MOST_CALLS = 2;
const MAX_ANSWER = 200;

/** True for a call that its tool answered with a refusal, as tools do: `{ok: false, error: …}`. */
export function isRefused({ output, is_error, error }: TrialCall): boolean {
  return error === undefined && (is_error || (isJsonObject(output) && output['ok'] === false));
}

/** `step 2: switch_lamp {"id":"hall"} answered {"ok":false}` */
export function describeAnswer(call: TrialCall): string {
  const answer = JSON.stringify(call.output) ?? 'nothing';
  return `${describeCall(call)} answered ${answer.length > MAX_ANSWER ? `${answer.slice(0, MAX_ANSWER - 1)}…` : answer}`;
}

/** Describes these calls with their files, to stand before what they led to; empty where no call decides. */
export function describeDecisiveCalls(
  { calls }: TrialRecord,
  differences: readonly StateDifference[],
  paths: ComponentPaths | undefined,
): string {
  const writers = differences.map(({ path: wrong }) =>
    calls.findLast(({ change }) => change.some(({ path }) => arePointersNested(path, wrong))),
  );
  const found = new Set([...calls.filter(isRefused), ...writers].filter((call) => call !== undefined));
  return [...found]
    .slice(0, MOST_CALLS)
    .map((call) => `${getComponentPath(paths, 'tools', call.tool)}: ${describeAnswer(call)}; `)
    .join('');
}
