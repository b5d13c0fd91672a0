/** The layer that a failed recorded run points at, by evidence in the recording. */
import type { Layer } from '../../../scenario/result.ts';
import type { RecordedVerdict } from './judge-recorded.ts';
import type { RecordedMessage, RecordedRun } from './recorded-run.ts';

/** Answers that no input of the subject can have caused: the tool, or its service, was not available. */
const NOT_THERE = [
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
  // A number such as 503.2 may be a right answer, and a document may speak of timeouts: only errors count.
  if (isError !== true && !/^error\b/i.test(start)) return false;
  return NOT_THERE.some((sign) => sign.test(start));
}

/**
 * The order of docs/attribution.md, "Measured", with what a recording can show of it: gold, tools,
 * then the subject. Never for a pass.
 */
export function blameRecorded(
  run: RecordedRun,
  judged: RecordedVerdict & { ok: true },
): { layer: Layer; why: string[] } {
  const facts = Object.values(judged.components).flatMap(({ value, why }) => (value === 1 ? [] : why));
  const ending = judged.ended ? [] : [`it did not end by itself: ${run.termination}`];
  const gold = run.goldErrors.map(({ message }) => `a gold call raises: ${message}`);
  const writes = run.goldErrors.filter(({ writes }) => writes);
  const isGoldBroken = writes.length > 0 && judged.components.DB?.value === 0;
  if (isGoldBroken) return { layer: 4, why: [...gold, ...ending, ...facts] };
  const fault = toolFaultIn(run);
  if (fault !== undefined) return { layer: 2, why: [fault, ...ending, ...facts, ...gold] };
  return { layer: 4, why: [...ending, ...facts, ...gold] };
}
