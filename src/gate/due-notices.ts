/** What people should have been told about a run's gates by now. */
import { gateId } from './rules/gate.ts';
import type { ReviewPack } from './rules/review-pack.ts';
import type { Notice } from '../ports/notices.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { RunEvent } from '../run/event.ts';
import type { RunState } from '../run/state.ts';

export type DueNotice = Omit<Notice, 'url' | 'recipients'>;

function digestAt({ designs }: RunState, gate: string): string {
  return designs.find(({ round }) => gateId(round) === gate)?.digest ?? '';
}

/** Older answers are no news any more. */
const NEWS_MS = 24 * 60 * 60 * 1000;

/** Of the gate that waits: that it does, and the newest reminder. Of those that were answered lately: how. */
export function dueNotices(
  run: Pick<RunFolder, 'id' | 'scenario'>,
  state: RunState,
  events: readonly RunEvent[],
  packOf: (gate: string) => ReviewPack | undefined,
  nowMs: number,
): DueNotice[] {
  const told = (gate: string, digest: string, kind: DueNotice['kind'], mark: string, text: string): DueNotice => ({
    ...{ id: `${run.id}.${gate}.${mark}`, kind, run: run.id, scenario: run.scenario, gate, digest, text },
    title: packOf(gate)?.title ?? run.scenario,
  });
  const due: DueNotice[] = [];
  if (state.status === 'awaiting_approval') {
    const { id, digest, openedAt, reminders } = state.gate;
    due.push(
      told(
        id,
        digest,
        'opened',
        'opened',
        `${id} of ${run.scenario} waits for a decision. ${packOf(id)?.why.text ?? ''}`.trim(),
      ),
    );
    const hours = Math.floor((nowMs - Date.parse(openedAt)) / 3_600_000);
    if (reminders > 0) {
      due.push(
        told(
          id,
          digest,
          'reminded',
          `reminded.${reminders}`,
          `${id} of ${run.scenario} has waited for ${hours} hours.`,
        ),
      );
    }
  }
  for (const { seq, ts, actor, body } of events) {
    if (nowMs - Date.parse(ts) > NEWS_MS) continue;
    if (body.type === 'gate.decided') {
      const words = body.comment.trim() === '' ? '' : ` "${body.comment}"`;
      due.push(
        told(
          body.gate,
          body.digest,
          'decided',
          `decided.${seq}`,
          `${actor}: ${body.decision.replace('_', ' ')} at ${body.gate}.${words}`,
        ),
      );
    }
    if (body.type === 'gate.undone') {
      const words = body.comment.trim() === '' ? '' : ` "${body.comment}"`;
      const text = `${actor} took a decision at ${body.gate} back: it waits again.${words}`;
      due.push(told(body.gate, digestAt(state, body.gate), 'undone', `undone.${seq}`, text));
    }
    if (body.type === 'gate.expired') {
      due.push(
        told(
          body.gate,
          '',
          'expired',
          'expired',
          `${body.gate} of ${run.scenario} expired without a decision; the run has ended.`,
        ),
      );
    }
  }
  return due;
}
