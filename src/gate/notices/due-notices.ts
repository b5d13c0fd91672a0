/** Notices about a run and its gates that should have been sent by now. */
import { gateId } from '../rules/gate.ts';
import { HOUR_MS, waitedMs } from '../rules/deadlines.ts';
import type { ReviewPack } from '../rules/review-pack.ts';
import type { Notice, NoticeKind } from '../../ports/notices.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { count } from '../../report/text/number-format.ts';
import type { EventBody, RunEvent } from '../../run/event.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import type { RunState } from '../../run/state.ts';
import { percent } from '../../scenario/percent.ts';

export type DueNotice = Omit<Notice, 'url' | 'kind'> & {
  kind: NoticeKind;
  /** When it happened. */
  at: string;
  /** It still waits for somebody: no matter when it happened, it is news to a new channel. */
  waits: boolean;
};

function digestAt({ designs }: RunState, gate: string): string {
  return designs.find(({ round }) => gateId(round) === gate)?.digest ?? '';
}

export type NoticeInput = {
  run: Pick<RunFolder, 'id' | 'scenario'>;
  snapshot: RunSnapshot;
  packOf: (gate: string) => ReviewPack | undefined;
  nowMs: number;
  /** A run of a batch: its end is reported with the batch. */
  inBatch?: boolean | undefined;
};

/** Of the gate that waits: that it does, and the newest reminder. Of what happened before: how each was answered, and its end. */
export function dueNotices({ run, snapshot, packOf, nowMs, inBatch = false }: NoticeInput): DueNotice[] {
  const { state, events } = snapshot;
  const why = state.status === 'awaiting_approval' ? packOf(state.gate.id)?.why.text : undefined;
  return [
    ...openNotices(state, { scenario: run.scenario, why, nowMs }),
    ...events.flatMap((one) => newsOf(one, run, state)),
    ...restOf(state, run, events).filter(({ kind }) => kind !== 'ended' || !inBatch),
  ].map(({ mark, ...notice }) => ({
    ...{ id: `${run.id}.${notice.gate === undefined ? '' : `${notice.gate}.`}${mark}`, run: run.id },
    ...{ scenario: run.scenario, ...notice },
    title: (notice.gate === undefined ? undefined : packOf(notice.gate)?.title) ?? run.scenario,
  }));
}

/** `mark` makes the notice's id: the same happening is never announced twice. */
type Marked = Pick<DueNotice, 'kind' | 'gate' | 'digest' | 'text' | 'at' | 'waits'> & { mark: string };

function openNotices(
  state: RunState,
  { scenario, why = '', nowMs }: { scenario: string; why: string | undefined; nowMs: number },
): Marked[] {
  if (state.status !== 'awaiting_approval') return [];
  const { id: gate, digest, openedAt: at, reminders } = state.gate;
  const text = `${gate} of ${scenario} waits for a decision. ${why}`.trim();
  const opened: Marked = { kind: 'opened', gate, digest, mark: 'opened', text, at, waits: true };
  if (reminders === 0) return [opened];
  const hours = Math.floor(waitedMs(state.gate, nowMs) / HOUR_MS);
  const waited = `${gate} of ${scenario} has waited for ${count(hours, 'hour')}.`;
  return [opened, { ...opened, kind: 'reminded', mark: `reminded.${reminders}`, text: waited }];
}

function newsOf({ seq, actor, body, ts: at }: RunEvent, run: NoticeInput['run'], state: RunState): Marked[] {
  if (body.type === 'gate.expired') {
    const text = `${body.gate} of ${run.scenario} expired without a decision; the run has ended.`;
    return [{ kind: 'expired', gate: body.gate, digest: '', mark: 'expired', text, at, waits: false }];
  }
  if (body.type !== 'gate.decided' && body.type !== 'gate.undone') return [];
  const { gate } = body;
  const words = body.comment.trim() === '' ? '' : ` "${body.comment}"`;
  if (body.type === 'gate.decided') {
    const text = `${actor}: ${body.decision.replace('_', ' ')} at ${gate}.${words}`;
    return [{ kind: 'decided', gate, digest: body.digest, mark: `decided.${seq}`, text, at, waits: false }];
  }
  const text = `${actor} took a decision at ${gate} back: it waits again.${words}`;
  return [{ kind: 'undone', gate, digest: digestAt(state, gate), mark: `undone.${seq}`, text, at, waits: false }];
}

/** Where the run rests now: a failure that was retried since is no news. A pause that a person made is none either. */
function restOf(state: RunState, { scenario }: NoticeInput['run'], events: readonly RunEvent[]): Marked[] {
  const last = (type: EventBody['type']) => events.findLast(({ body }) => body.type === type);
  if (state.status === 'errored') {
    const { step, code, message, at } = state.failure;
    const text = `${scenario} stopped at ${step} (${code}): ${brief(message)} Then: tandem resume.`;
    return [{ kind: 'errored', mark: `errored.${last('step.failed')?.seq ?? 0}`, text, at, waits: false }];
  }
  if (state.status === 'paused' && state.pause.reason !== 'user') {
    const { reason, detail, at } = state.pause;
    const text = `${scenario} is paused (${reason === 'budget' ? 'money' : reason}): ${brief(detail)}`;
    return [{ kind: 'paused', mark: `paused.${last('run.paused')?.seq ?? 0}`, text, at, waits: false }];
  }
  if (state.status !== 'succeeded' && state.status !== 'failed' && state.status !== 'cancelled') return [];
  const newest = state.iterations.at(-1);
  const endedAt = events.findLast(({ body }) => body.type !== 'chat.exchanged')?.ts ?? '';
  const reached = newest === undefined || newest.total === 0 ? '' : ` at ${percent(newest.successRate)}`;
  const text = `${scenario} has ended: ${OUTCOMES[state.status]}${reached}.`;
  return [{ kind: 'ended', mark: 'ended', text, at: endedAt, waits: false }];
}

const OUTCOMES = { succeeded: 'the target is met', failed: 'the target is not met', cancelled: 'cancelled' } as const;

/** Errors of providers and programs can be long. */
function brief(text: string): string {
  return text.length <= 400 ? text : `${text.slice(0, 399)}…`;
}
