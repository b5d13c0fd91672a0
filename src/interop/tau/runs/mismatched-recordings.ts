/** Detects recordings that were judged against another task, or another version of the design, than the row states. */
import { canonicalJson, sha256 } from '../../../disk/sha256.ts';
import { isJsonObject, sameJson, type JsonObject } from '../../../scenario/json/json-value.ts';
import { isReadingTool, type GoldCall, type RecordedRun, type RecordedTask } from './recorded-run.ts';

export type Doubt = {
  code: 'other-task' | 'other-design' | 'incoherent';
  at: string;
  message: string;
};

/** Doubts that one row raises by itself: each is a contradiction within the row, not merely an oddity. */
export function findDoubts(run: RecordedRun): Doubt[] {
  const { task, at } = run;
  const within = [unexplainedChange, orphanAnswer].map((find) => ({ code: 'incoherent' as const, message: find(run) }));
  const foreign = TASK_DOUBTS.map(([code, find]) => ({ code, message: task && find(run, task) }));
  return [...within, ...foreign].flatMap(({ code, message }) => (message === undefined ? [] : [{ code, at, message }]));
}

const TASK_DOUBTS: readonly [Doubt['code'], (run: RecordedRun, task: RecordedTask) => string | undefined][] = [
  ['other-task', foreignChecks],
  ['other-task', foreignConversation],
  ['other-design', foreignBreakdown],
  ['other-design', foreignAssertions],
  ['other-design', foreignStart],
];

function unexplainedChange({ messages, finalDiff = [] }: RecordedRun): string | undefined {
  const [change] = finalDiff;
  const calls = messages.flatMap((message) => message.calls);
  if (change === undefined || !calls.every(({ tool }) => isReadingTool(tool))) return undefined;
  const made = calls.length === 0 ? 'no tool was called' : 'every tool that was called only reads';
  return `the world has changed at ${change.path}, and ${made}: calls are missing from the row`;
}

function orphanAnswer({ messages }: RecordedRun): string | undefined {
  const calls = new Set(messages.flatMap((message) => message.calls.map(({ id }) => id)));
  const answers = messages.flatMap(({ role, answers: id = '' }) => (role === 'tool' && id !== '' ? [id] : []));
  const orphan = answers.find((id) => !calls.has(id));
  return orphan === undefined
    ? undefined
    : `a tool answers the call ${orphan}, which nobody made: calls are missing from the row`;
}

function foreignChecks({ judgedAgainst, taskId }: RecordedRun, { gold = [] }: RecordedTask): string | undefined {
  if (judgedAgainst === undefined || judgedAgainst.length === 0) return undefined;
  if (sameJson(judgedAgainst.map(pickEssentials), gold.map(pickEssentials))) return undefined;
  return `it was judged against other gold calls than those of task "${taskId}": the task id is wrong, or the tasks are of another version`;
}

function pickEssentials({ tool, args, by }: GoldCall): JsonObject {
  return { tool, args, by };
}

const IDENTIFIER = /(^|_)(id|ids|number|email)$/;

/** Doubts a row whose gold calls concern other objects of the same kinds than the conversation. */
function foreignConversation(run: RecordedRun, { gold = [] }: RecordedTask): string | undefined {
  const wanted = gold.flatMap(({ args }) => identifiersIn(args));
  if (wanted.length === 0) return undefined;
  const messages = run.messages.filter(({ role }) => role !== 'system');
  const text = messages.map((message) => message.text + JSON.stringify(message.calls)).join('\n');
  if (wanted.some(({ value }) => text.includes(value))) return undefined;
  const names = new Map(wanted.map(({ name, value }) => [name, value]));
  const used = messages.flatMap(({ calls }) => calls.flatMap(({ args }) => identifiersIn(args)));
  const other = used.find(({ name }) => names.has(name));
  if (other === undefined) return undefined;
  return `the conversation is about ${other.name} ${other.value}, the gold calls of task "${run.taskId}" about ${names.get(other.name)}: the task id is wrong`;
}

function identifiersIn(args: JsonObject): { name: string; value: string }[] {
  return Object.entries(args).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.flatMap((one: unknown) => {
      if (typeof one === 'string') return IDENTIFIER.test(name) && one.length >= 4 ? [{ name, value: one }] : [];
      return isJsonObject(one) ? identifiersIn(one) : [];
    });
  });
}

function foreignBreakdown(run: RecordedRun, { basis, gold, assertions }: RecordedTask): string | undefined {
  const parts = Object.keys(run.recorded.components);
  // A file with the raw checks names more parts than the reward was made of.
  if (parts.length === 0 || run.dialect === 'tau1' || run.judgedAgainst !== undefined) return undefined;
  const noWorlds = (gold === undefined && assertions === undefined) || run.goldErrors.some(({ writes }) => writes);
  const missing = basis.filter((name) => !parts.includes(name) && !(noWorlds && name !== 'ACTION'));
  const extra = parts.filter((name) => !basis.some((known) => known === name));
  if (missing.length + extra.length === 0) return undefined;
  return `the recorded reward is made of ${parts.join(', ')}, the task asks for ${basis.join(', ')}: the task is of another version`;
}

function foreignAssertions(
  { assertionResults = [], termination }: RecordedRun,
  task: RecordedTask,
): string | undefined {
  const { assertions = [], basis } = task;
  if (!basis.includes('ENV_ASSERTION') || !termination.endsWith('_stop')) return undefined;
  if (assertionResults.length === 0 || assertionResults.length === assertions.length) return undefined;
  return `${assertionResults.length} predicates were checked, the task has ${assertions.length}: the task is of another version`;
}

function foreignStart({ finalDiff = [] }: RecordedRun, { goldDiff = [], gold }: RecordedTask): string | undefined {
  if (gold?.length === 0 && goldDiff.length > 0)
    return `the task has no gold calls, yet the wanted end differs from the start at ${goldDiff[0]?.path}: it is of another version`;
  // A path that one diff adds and the other replaces or removes existed at only one of the two starts.
  const adds = new Map(goldDiff.map(({ op, path }) => [path, op === 'add']));
  const clash = finalDiff.find(({ op, path }) => adds.has(path) && adds.get(path) !== (op === 'add'));
  if (clash === undefined) return undefined;
  return `${clash.path} is there at the start of one diff and not of the other: they were taken from different data`;
}

/** Finds rows whose version of a task differs from that of most rows with the same id. */
export function mixedDesigns(runs: readonly RecordedRun[]): Doubt[] {
  return [...Map.groupBy(runs, ({ taskId }) => taskId)].flatMap(([taskId, own]) => {
    const versions = [...Map.groupBy(own, taskDigest)].toSorted(([, a], [, b]) => b.length - a.length);
    const [main, ...others] = versions;
    return others.flatMap(([digest, rows]) => {
      const message = `task "${taskId}" has version ${digest} here and ${main?.[0]} in ${main?.[1].length} other rows: results of two designs are not mixed`;
      return rows.map(({ at }): Doubt => ({ code: 'other-design', at, message }));
    });
  });
}

/** Twelve digits that change with any part of the task that affects a verdict; the order of keys does not matter. */
function taskDigest({ task }: RecordedRun): string {
  return sha256(canonicalJson(task ?? null)).slice(0, 12);
}

/** Files with different tasks under one id, whose rates must not be compared. */
type DifferingTasks = { domain: string; files: [string, string]; tasks: string[] };

type JudgedFile = { file: string; rows: readonly { run: RecordedRun }[] };

/** Lists pairs of files of one domain and one benchmark whose tasks differ under the same id. */
export function differingTasks(sets: readonly JudgedFile[]): DifferingTasks[] {
  const designs = sets.map(({ file, rows }) => ({
    file,
    domain: rows[0]?.run.domain ?? '',
    dialect: rows[0]?.run.dialect,
    digests: new Map(rows.map(({ run }) => [run.taskId, taskDigest(run)])),
  }));
  return designs.flatMap((one, index) =>
    designs.slice(index + 1).flatMap((other) => {
      if (one.domain === '' || one.domain !== other.domain || one.dialect !== other.dialect) return [];
      const tasks = [...one.digests].flatMap(([id, digest]) =>
        other.digests.has(id) && other.digests.get(id) !== digest ? [id] : [],
      );
      const files: [string, string] = [one.file, other.file];
      return tasks.length === 0 ? [] : [{ domain: one.domain, files, tasks }];
    }),
  );
}
