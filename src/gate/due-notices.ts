/** Notices about a run's gates that should have been sent by now. */
import { gateId } from './rules/gate.ts';
import type { ReviewPack } from './rules/review-pack.ts';
import type { Notice } from '../ports/notices.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { RunEvent } from '../run/event.ts';
import type { RunSnapshot } from '../run/snapshot.ts';
import type { RunState } from '../run/state.ts';

export type DueNotice = Omit<Notice, 'url' | 'recipients'>;

function digestAt({ designs }: RunState, gate: string): string {
  return designs.find(({ round }) => gateId(round) === gate)?.digest ?? '';
}

/** Older answers are not announced. */
const NEWS_MS = 24 * 60 * 60 * 1000;

export type NoticeInput = {
  run: Pick<RunFolder, 'id' | 'scenario'>;
  snapshot: RunSnapshot;
  packOf: (gate: string) => ReviewPack | undefined;
  nowMs: number;
};

/** Of the gate that waits: that it does, and the newest reminder. Of those that were answered lately: how. */
export function dueNotices({ run, snapshot, packOf, nowMs }: NoticeInput): DueNotice[] {
  const { state, events } = snapshot;
  const late = events.filter(({ ts }) => nowMs - Date.parse(ts) <= NEWS_MS);
  const why = state.status === 'awaiting_approval' ? packOf(state.gate.id)?.why.text : undefined;
  return [
    ...openNotices(state, { scenario: run.scenario, why, nowMs }),
    ...late.flatMap((one) => newsOf(one, run, state)),
  ].map(({ mark, ...notice }) => ({
    ...{ id: `${run.id}.${notice.gate}.${mark}`, run: run.id, scenario: run.scenario, ...notice },
    title: packOf(notice.gate)?.title ?? run.scenario,
  }));
}

/** `mark` makes the notice's id: the same happening is never announced twice. */
type GateNotice = Pick<DueNotice, 'kind' | 'gate' | 'digest' | 'text'> & { mark: string };

function openNotices(
  state: RunState,
  { scenario, why = '', nowMs }: { scenario: string; why: string | undefined; nowMs: number },
): GateNotice[] {
  if (state.status !== 'awaiting_approval') return [];
  const { id: gate, digest, openedAt, reminders } = state.gate;
  const text = `${gate} of ${scenario} waits for a decision. ${why}`.trim();
  const opened: GateNotice = { kind: 'opened', gate, digest, mark: 'opened', text };
  if (reminders === 0) return [opened];
  const hours = Math.floor((nowMs - Date.parse(openedAt)) / 3_600_000);
  const waited = `${gate} of ${scenario} has waited for ${hours} hours.`;
  return [opened, { kind: 'reminded', gate, digest, mark: `reminded.${reminders}`, text: waited }];
}

function newsOf({ seq, actor, body }: RunEvent, run: NoticeInput['run'], state: RunState): GateNotice[] {
  if (body.type === 'gate.expired') {
    const text = `${body.gate} of ${run.scenario} expired without a decision; the run has ended.`;
    return [{ kind: 'expired', gate: body.gate, digest: '', mark: 'expired', text }];
  }
  if (body.type !== 'gate.decided' && body.type !== 'gate.undone') return [];
  const { gate } = body;
  const words = body.comment.trim() === '' ? '' : ` "${body.comment}"`;
  if (body.type === 'gate.decided') {
    const text = `${actor}: ${body.decision.replace('_', ' ')} at ${gate}.${words}`;
    return [{ kind: 'decided', gate, digest: body.digest, mark: `decided.${seq}`, text }];
  }
  const text = `${actor} took a decision at ${gate} back: it waits again.${words}`;
  return [{ kind: 'undone', gate, digest: digestAt(state, gate), mark: `undone.${seq}`, text }];
}
