/** Deadlines of a waiting gate: when to send a reminder and when to expire; time never approves. */
import type { OpenGate } from './gate.ts';

export type GateTimes = { remindAfterHours: readonly number[]; expireAfterHours?: number | undefined };

export const HOUR_MS = 3_600_000;

/** `reminders` is how many there should have been by now, when that is more than there were. */
export type Due = { kind: 'expire' } | { kind: 'remind'; reminders: number };

/** Without the time for which it was answered, before the answer was taken back. */
export function waitedMs({ openedAt, heldMs = 0 }: Pick<OpenGate, 'openedAt' | 'heldMs'>, nowMs: number): number {
  return nowMs - Date.parse(openedAt) - heldMs;
}

/** Uses the current times: a change of the configuration applies to gates that already wait. */
export function dueOf(
  gate: Pick<OpenGate, 'openedAt' | 'reminders' | 'heldMs'>,
  times: GateTimes,
  nowMs: number,
): Due | undefined {
  const waited = waitedMs(gate, nowMs);
  const { remindAfterHours, expireAfterHours } = times;
  if (expireAfterHours !== undefined && waited >= expireAfterHours * HOUR_MS) return { kind: 'expire' };
  const reminders = remindAfterHours.filter((hours) => waited >= hours * HOUR_MS).length;
  return reminders > gate.reminders ? { kind: 'remind', reminders } : undefined;
}
