/** Times and names as a reviewer reads them. */
import type { Handover } from '../../run/exchanges.ts';
import { formatDuration } from '../../report/text/number-format.ts';

/** `2 h 05 min`, `3 days`; minutes are precise enough for waiting times. */
export function waitText(ms: number): string {
  if (ms < 60_000) return '<1 min';
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  const days = Math.floor(ms / 86_400_000);
  return days >= 2 ? `${days} days` : formatDuration(ms);
}

/** `20 Nov 2026, 18:15 UTC`. */
export function momentText(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  return `${day}, ${at.toISOString().slice(11, 16)} UTC`;
}

/** `ada`, `policy demo`: the actor without the machine's punctuation. */
export function personText(actor: string): string {
  return actor.startsWith('user:') ? actor.slice(5) : actor.replace(':', ' ');
}

/** `ada handed it to bob 20 min ago`. */
export function handoverText({ by, to, at }: Handover, now: Date): string {
  return `${personText(by)} handed it to ${to} ${waitText(now.getTime() - Date.parse(at))} ago`;
}

export const DECIDED: Readonly<Record<string, string>> = {
  approve: 'approved',
  edit_approve: 'approved with edits',
  request_changes: 'asked for changes',
  reject: 'rejected',
};
