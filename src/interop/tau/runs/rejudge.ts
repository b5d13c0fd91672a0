/** Judges recorded runs again, file by file, and compares the results with the recorded rewards. */
import { passTable } from '../../../scenario/statistics/pass-k.ts';
import type { Layer } from '../../../scenario/result.ts';
import { findDoubts, mixedDesigns, type Doubt } from './mismatched-recordings.ts';
import { judgeRecorded, type RecordedVerdict } from './judge-recorded.ts';
import type { RecordedFile } from './read-recorded.ts';
import type { RecordedRun, RecordedMessage } from './recorded-run.ts';

export type RefusedRow = { at: string; code: Doubt['code'] | 'unreadable' | 'incomplete'; message: string };

export type RejudgedTauRow = {
  run: RecordedRun;
  reward: number;
  pass: boolean;
  agrees: boolean;
  /** Components of the reward that have another value in the recording. */
  partsThatDiffer: string[];
  /** Components taken over from the recording, because it lacks their data. */
  carried: string[];
  toolFault: string | undefined;
  layer?: Layer;
  why: string[];
};

export type RejudgedTauSet = {
  file: string;
  /** The number of rows in the file, refused ones included. */
  n: number;
  agreed: number;
  rows: RejudgedTauRow[];
  refused: RefusedRow[];
  /** pass^1, pass^2, … of the judged rows, as far as every task has trials. */
  passK: number[];
};

/** Rewards that differ by less are equal, since two programs wrote them. */
const EPSILON = 1e-6;

export function rejudge(file: string, { runs, faults }: RecordedFile): RejudgedTauSet {
  const mixed = mixedDesigns(runs);
  const rows: RejudgedTauRow[] = [];
  const refused: RefusedRow[] = faults.map(({ at, message }) => ({ at, code: 'unreadable', message }));
  for (const run of runs) {
    const [doubt] = [...findDoubts(run), ...mixed.filter(({ at }) => at === run.at)];
    const judged = judgeRecorded(run);
    if (doubt !== undefined) refused.push(doubt);
    else if (!judged.ok) refused.push({ at: run.at, code: 'incomplete', message: judged.why });
    else rows.push(toRejudgedRow(run, judged));
  }
  const tasks = [...Map.groupBy(rows, ({ run }) => run.taskId).values()];
  const tallies = tasks.map((own) => ({ passed: own.filter(({ pass }) => pass).length, total: own.length }));
  const agreed = rows.filter(({ agrees }) => agrees).length;
  return { file, n: runs.length + faults.length, agreed, rows, refused, passK: passTable(tallies) };
}

function toRejudgedRow(run: RecordedRun, judged: ReturnType<typeof judgeRecorded> & { ok: true }): RejudgedTauRow {
  const { recorded } = run;
  // Rewards of tau-bench may be shaped (a part of 1 for a pass), so only whether the run passed is compared.
  const agrees =
    run.dialect === 'tau1' ? judged.pass === recorded.pass : Math.abs(judged.reward - recorded.reward) < EPSILON;
  const parts = Object.entries(judged.components);
  const there = new Map(Object.entries(recorded.components));
  const blame = judged.pass ? { why: [] } : attributeRecorded(run, judged);
  return {
    run,
    reward: judged.reward,
    pass: judged.pass,
    agrees,
    partsThatDiffer: parts.flatMap(([name, { value }]) => {
      const before = there.get(name);
      return before === undefined || Math.abs(before - value) < EPSILON ? [] : [name];
    }),
    carried: parts.flatMap(([name, { by }]) => (by === 'recorded' ? [name] : [])),
    toolFault: toolFaultIn(run),
    ...blame,
  };
}

/** Answers that no input of the subject can cause: the tool, or its service, was not available. */
const UNAVAILABLE_TOOL = [
  /^(error\b[:\s]*)?(http\s*)?(status\s*)?(code\s*)?(5\d\d|429)\b/i,
  /\b(service unavailable|internal server error|bad gateway|gateway time-?out|too many requests)\b/i,
  /\b(connection (refused|reset|aborted)|ECONN[A-Z]+|ETIMEDOUT|(request|call|connection|tool) timed out)\b/,
  /^(error\b[:\s]*)?Traceback \(most recent call last\)/,
];

/** The first tool answer that shows a fault of the tool, as `message 7: search_flights -> Error: 503 …`. */
export function toolFaultIn({ messages }: RecordedRun): string | undefined {
  const index = messages.findIndex(isToolFault);
  const message = messages[index];
  if (message === undefined) return undefined;
  const calls = messages.slice(0, index).flatMap((earlier) => earlier.calls);
  const tool = calls.findLast(({ id }) => id === message.answers)?.tool ?? 'a tool';
  return `message ${index + 1}: ${tool} -> ${message.text.slice(0, 120)}`;
}

function isToolFault({ role, text, isError }: RecordedMessage): boolean {
  if (role !== 'tool') return false;
  const start = text.trimStart().slice(0, 300);
  // A number such as 503.2 may be a right answer, and a document may mention timeouts, so only errors count.
  if (isError !== true && !/^error\b/i.test(start)) return false;
  return UNAVAILABLE_TOOL.some((sign) => sign.test(start));
}

/**
 * Follows docs/internals/attribution.md, "The evidence, in order", as far as a recording has the evidence: gold, tools, then the
 * subject. Never called for a pass.
 */
export function attributeRecorded(
  run: RecordedRun,
  judged: RecordedVerdict & { ok: true },
): { layer: Layer; why: string[] } {
  const facts = Object.values(judged.components).flatMap(({ value, why }) => (value === 1 ? [] : why));
  const seen = judged.ended ? facts : [`it did not end by itself: ${run.termination}`, ...facts];
  const gold = run.goldErrors.map(({ message }) => `a gold call raises: ${message}`);
  const isGoldBroken = run.goldErrors.some(({ writes }) => writes) && judged.components.DB?.value === 0;
  if (isGoldBroken) return { layer: 4, why: [...gold, ...seen] };
  const fault = toolFaultIn(run);
  if (fault !== undefined) return { layer: 2, why: [fault, ...seen, ...gold] };
  return { layer: 4, why: [...seen, ...gold] };
}
