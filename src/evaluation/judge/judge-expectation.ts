/** The built-in check of a sample's own `expect`: the end state, required words, forbidden calls. */
import type { JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch, diffJson, valueAt } from '../../scenario/json/patch.ts';
import type { StateDifference, Verdict } from '../../scenario/result.ts';
import type { PatchOperation, Sample } from '../../scenario/sample.ts';
import type { StopCause } from '../../scenario/trace.ts';
import { holdsPhrase } from './spellings.ts';
import type { TrialRecord, TrialCall } from '../components/trial-record.ts';

const MAX_EVIDENCE = 12;

const STOPPED: Record<StopCause, string | undefined> = {
  done: undefined,
  // The end state may be right already, so the user's silence alone does not fail the trial.
  user_silent: undefined,
  no_move: undefined,
  steps: 'the subject did not finish within its steps',
  seconds: 'the subject did not finish within its time',
  money: 'the subject did not finish within its money',
  refusal: 'the subject refused to go on',
  crashed: 'the subject broke off',
  cut: 'the last answer of the subject was cut off at its token limit',
  infrastructure: 'the model could not be reached',
};

/** True where the world may end in any way that the sample's checkers accept. */
export function isEndFree({ expect }: Sample): boolean {
  return expect.end_state === 'any';
}

/** Every end that the sample accepts; patches that do not apply become faults. None where the end is free. */
export function acceptedEnds(sample: Sample, before: JsonObject): { ends: JsonObject[]; faults: string[] } {
  const { end_state: wanted } = sample.expect;
  if (wanted === 'any') return { ends: [], faults: [] };
  const forms = typeof wanted === 'object' && 'any_of' in wanted ? wanted.any_of : [wanted];
  const ends: JsonObject[] = [];
  const faults: string[] = [];
  for (const form of forms) {
    const end = form === 'unchanged' ? { ok: true as const, world: before } : applyPatch(before, form.patch);
    if (end.ok) ends.push(end.world);
    else faults.push(`expect.end_state: ${end.fault}`);
  }
  return { ends, faults };
}

export function judgeExpectation(sample: Sample, played: TrialRecord): Verdict {
  const { ends, faults } = acceptedEnds(sample, played.before);
  const nearest = nearestDifference(ends, played.after);
  const isNowhere = ends.length === 0 && !isEndFree(sample);
  const differences = isNowhere ? ['no accepted end state can be built'] : nearest.map(describeDifference);
  const { must_say: wanted } = sample.expect;
  const silent = wanted.filter(
    ({ any }) => !any.some((phrase) => played.says.some((text) => holdsPhrase(text, phrase))),
  );
  const forbidden = played.calls.filter(({ tool }) => sample.expect.must_not_call.includes(tool));
  const stopped = STOPPED[played.stop];
  const reasons = [
    stopped,
    ...faults,
    differences.length > 0 && `the end state differs in ${formatCount(differences.length, 'place')}`,
    ...silent.map(describeUnsaid),
    forbidden.length > 0 && formatCount(forbidden.length, 'forbidden call'),
  ].filter((one) => typeof one === 'string');
  const evidence = [...differences, ...forbidden.map((call) => `must not be called: ${describeCall(call)}`)];
  const pass = reasons.length === 0;
  const reason = pass ? 'end state, words and calls are as expected' : reasons.join('; ');
  return { checker: 'expect', pass, reason, evidence: evidence.slice(0, MAX_EVIDENCE) };
}

function describeUnsaid({ any }: Sample['expect']['must_say'][number]): string {
  return `never said: ${any.map((phrase) => JSON.stringify(phrase)).join(' or ')}`;
}

/** `step 3: issue_refund {"amount":120}` */
export function describeCall({ step, tool, input }: TrialCall): string {
  return `step ${step}: ${tool} ${formatValue(input)}`;
}

/** Returns the places where the end differs from the nearest accepted one. */
export function stateDifference(sample: Sample, played: Pick<TrialRecord, 'before' | 'after'>): StateDifference[] {
  return nearestDifference(acceptedEnds(sample, played.before).ends, played.after);
}

function nearestDifference(ends: readonly JsonObject[], after: JsonObject): StateDifference[] {
  const options = ends.map((end) => diffJson(end, after).map((operation) => toDifference(operation, end)));
  return options.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

function toDifference(operation: PatchOperation, end: JsonObject): StateDifference {
  const { path } = operation;
  return {
    path,
    ...(operation.op === 'add' ? {} : { expected: valueAt(end, path) }),
    ...(operation.op === 'remove' ? {} : { got: operation.value }),
  };
}

/** Describes a difference; a missing side is shown as "nothing", because JSON has no text for it. */
function describeDifference({ path, expected, got }: StateDifference): string {
  return `${path}: expected ${formatValue(expected)}, got ${formatValue(got)}`;
}

function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
