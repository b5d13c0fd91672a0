/** The notice that a run counts the cost of an answer it did not receive. */
import { formatUsd } from './number-format.ts';

export function writtenOffText(amount: number): string {
  return `A question before this one was cut off in mid-call: up to ${formatUsd(amount)} may have been paid for it, and they count.`;
}
