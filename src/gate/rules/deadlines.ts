/** Deadlines of a waiting gate: when to send a reminder and when to expire; time never approves. */
import type { OpenGate } from './gate.ts';

export type GateTimes = { remindAfterHours: readonly number[]; expireAfterHours?: number | undefined };

export const HOUR_MS = 3_600_000;

/** The action that is due; `reminders` is how many should have been sent by now, if more than were sent. */
export type DueAction = { kind: 'expire' } | { kind: 'remind'; reminders: number };

/** Returns the waiting time without the time during which an undone answer stood. */
export function waitedMs({ openedAt, heldMs = 0 }: Pick<OpenGate, 'openedAt' | 'heldMs'>, nowMs: number): number {
  return nowMs - Date.parse(openedAt) - heldMs;
}

/** Finds the due action by the current configuration, so that a change applies to gates that already wait. */
export function findDueAction(
  gate: Pick<OpenGate, 'openedAt' | 'reminders' | 'heldMs'>,
  times: GateTimes,
  nowMs: number,
): DueAction | undefined {
  const waited = waitedMs(gate, nowMs);
  const { remindAfterHours, expireAfterHours } = times;
  if (expireAfterHours !== undefined && waited >= expireAfterHours * HOUR_MS) return { kind: 'expire' };
  const reminders = remindAfterHours.filter((hours) => waited >= hours * HOUR_MS).length;
  return reminders > gate.reminders ? { kind: 'remind', reminders } : undefined;
}
