/** Judges a recorded run by the rules of its benchmark, from the recording alone: no model, no environment. */
import { sameJson, type JsonObject } from '../../../scenario/json/json-value.ts';
import type { PatchOperation } from '../../../scenario/sample.ts';
import type { RewardComponent, GoldCall, RecordedToolCall, RecordedRun, RecordedTask } from './recorded-run.ts';

type JudgedComponent = {
  value: number;
  /** `recorded` when the recording lacks the data for a verdict, so that its own verdict is used. */
  by: 'judged' | 'recorded';
  why: string[];
};

export type RecordedVerdict =
  | {
      ok: true;
      reward: number;
      pass: boolean;
      ended: boolean;
      components: Partial<Record<RewardComponent, JudgedComponent>>;
    }
  /** The run could not be judged; `why` names the missing data. */
  | { ok: false; why: string };

const ENDED: Record<RecordedRun['dialect'], readonly string[]> = {
  tau1: ['stop', 'transfer'],
  tau2: ['user_stop', 'agent_stop'],
};

export function judgeRecorded(run: RecordedRun): RecordedVerdict {
  const ended = ENDED[run.dialect].includes(run.termination);
  if (!ended) return { ok: true, reward: 0, pass: false, ended, components: {} };
  if (run.task === undefined) return { ok: true, reward: 1, pass: true, ended, components: {} };
  const components: Partial<Record<RewardComponent, JudgedComponent>> = {};
  let missing: string | undefined;
  for (const name of run.task.basis) {
    const judged = JUDGES[name](run, run.task) ?? takeOverRecorded(run, name);
    if (judged === undefined) missing ??= `its ${name} cannot be judged: ${NEEDS[name]}`;
    else components[name] = judged;
  }
  const reward = Object.values(components).reduce((product, { value }) => product * value, 1);
  // A product that is zero already stays zero, whatever the value of the missing part.
  if (missing !== undefined && reward > 0) return { ok: false, why: missing };
  return { ok: true, reward, pass: reward === 1, ended, components };
}

const NEEDS: Partial<Record<RewardComponent, string>> = {
  DB: 'final_db_diff or gold_db_diff is missing',
  ENV_ASSERTION: 'env_assertion_results is missing or not as long as env_assertions',
  NL_ASSERTION: 'its statements need a model, and the recording holds no verdict on them',
};

type JudgeComponent = (run: RecordedRun, task: RecordedTask) => JudgedComponent | undefined;

const JUDGES: Record<RewardComponent, JudgeComponent> = {
  DB: (run, task) => {
    if (hasNothingToReach(run, task)) return toJudged([]);
    if (task.goldDiff === undefined || run.finalDiff === undefined) return undefined;
    return toJudged(endDifferences(task.goldDiff, run.finalDiff));
  },
  ENV_ASSERTION: ({ assertionResults }, { assertions = [] }) => {
    if (assertions.length === 0) return toJudged([]);
    if (assertionResults?.length !== assertions.length) return undefined;
    return toJudged(
      assertions.filter((_, index) => assertionResults[index] !== true).map((name) => `${name} is not met`),
    );
  },
  COMMUNICATE: (run, { mustSay }) => {
    const texts = listSpokenTexts(run).map((text) => text.toLowerCase().replaceAll(',', ''));
    const silent = mustSay.filter((words) => !texts.some((text) => text.includes(words.toLowerCase())));
    return toJudged(silent.map((words) => `never said: ${JSON.stringify(words)}`));
  },
  ACTION: (run, { gold = [] }) => {
    const calls = run.messages.flatMap((message) => message.calls);
    const absent = gold.filter((wanted) => !calls.some((call) => isSameCall(wanted, call)));
    return toJudged(absent.map(({ tool, args }) => `never called: ${tool} ${JSON.stringify(args)}`));
  },
  NL_ASSERTION: (_, { nlAssertions }) => (nlAssertions === 0 ? toJudged([]) : undefined),
};

function toJudged(faults: readonly string[]): JudgedComponent {
  return { value: faults.length === 0 ? 1 : 0, by: 'judged', why: [...faults] };
}

function takeOverRecorded(run: RecordedRun, name: RewardComponent): JudgedComponent | undefined {
  // Messages contain words and calls, but whole result files lack worlds and predicates.
  const mayBe = name === 'NL_ASSERTION' || run.withoutWorlds;
  const value = mayBe ? run.recorded.components[name] : undefined;
  return value === undefined ? undefined : { value, by: 'recorded', why: value === 1 ? [] : [`${name} failed there`] };
}

/** tau2 does not compare worlds for a task without a list of actions and without a list of assertions. */
function hasNothingToReach({ dialect }: RecordedRun, { gold, assertions }: RecordedTask): boolean {
  return dialect === 'tau2' && gold === undefined && assertions === undefined;
}

/** tau1 counts a message with a call as an action, whose text the user never saw. */
function listSpokenTexts({ dialect, messages }: RecordedRun): string[] {
  return messages
    .filter(({ role, calls }) => role === 'assistant' && (dialect === 'tau2' || calls.length === 0))
    .map(({ text }) => text);
}

/** Without a list of arguments those of the recorded call are compared, so it may name fewer of them. */
function isSameCall(wanted: GoldCall, call: RecordedToolCall): boolean {
  if (wanted.tool !== call.tool) return false;
  const names = wanted.compare ?? Object.keys(call.args);
  return sameJson(pickArguments(wanted.args, names), pickArguments(call.args, names));
}

function pickArguments(args: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name)));
}

/**
 * Returns one line for each place in which the ends differ. Both diffs begin at one start, so the same end means the
 * same operations; only the order among different places is free, and the order inside a list counts.
 */
function endDifferences(wanted: readonly PatchOperation[], got: readonly PatchOperation[]): string[] {
  const pathOf = ({ path }: PatchOperation): string => path;
  const [one, other] = [Map.groupBy(wanted, pathOf), Map.groupBy(got, pathOf)];
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((path) => !sameJson(one.get(path), other.get(path)))
    .map((path) => `${path}: expected ${changeText(one.get(path))}, got ${changeText(other.get(path))}`);
}

function changeText(operations: readonly PatchOperation[] | undefined): string {
  if (operations === undefined) return 'no change';
  const text = operations.map((one) => (one.op === 'remove' ? 'removed' : JSON.stringify(one.value))).join(', then ');
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
