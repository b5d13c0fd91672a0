/** The notice when a run pays for an answer that was not received. */
import { usd } from './number-format.ts';

export function writtenOffText(amount: number): string {
  return `A question before this one was cut off in mid-call: up to ${usd(amount)} may have been paid for it, and they count.`;
}
