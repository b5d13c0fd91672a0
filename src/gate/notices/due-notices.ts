/** Lists the notices about a run and its gates that should have been sent by now. */
import { gateId } from '../rules/gate.ts';
import { HOUR_MS, waitedMs } from '../rules/deadlines.ts';
import type { ReviewPack } from '../rules/review-pack.ts';
import type { Notice, NoticeKind } from '../../ports/notices.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { formatCount } from '../../report/text/number-format.ts';
import type { EventBody, RunEvent } from '../../run/event.ts';
import { listGateComments } from '../../run/exchanges.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import type { RunState } from '../../run/state.ts';
import { formatPercent } from '../../scenario/percent.ts';

export type DueNotice = Omit<Notice, 'url' | 'kind'> & {
  kind: NoticeKind;
  /** The time at which it happened. */
  at: string;
  /** True while it waits for a person; then it is news to a new channel, however old it is. */
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
  /** True for a run of a batch, whose end is reported with the batch. */
  inBatch?: boolean | undefined;
};

/** Announces the waiting gate with its newest reminder, each earlier answer at a gate, and the end of the run. */
export function dueNotices({ run, snapshot, packOf, nowMs, inBatch = false }: NoticeInput): DueNotice[] {
  const { state, events } = snapshot;
  const why = state.status === 'awaiting_approval' ? packOf(state.gate.id)?.why.text : undefined;
  return [
    ...listGateNotices(state, { scenario: run.scenario, why, nowMs }),
    ...listHandedNotices(snapshot, run.scenario),
    ...events.flatMap((one) => listEventNotices(one, run, state)),
    ...listStatusNotices(state, run, events).filter(({ kind }) => kind !== 'ended' || !inBatch),
  ].map(({ mark, ...notice }) => ({
    ...{ id: `${run.id}.${notice.gate === undefined ? '' : `${notice.gate}.`}${mark}`, run: run.id },
    ...{ scenario: run.scenario, ...notice },
    title: (notice.gate === undefined ? undefined : packOf(notice.gate)?.title) ?? run.scenario,
  }));
}

/** A notice with the `mark` that makes its id, so that one event is never announced twice. */
type MarkedNotice = Pick<DueNotice, 'kind' | 'gate' | 'digest' | 'to' | 'text' | 'at' | 'waits'> & { mark: string };

function listGateNotices(
  state: RunState,
  { scenario, why = '', nowMs }: { scenario: string; why: string | undefined; nowMs: number },
): MarkedNotice[] {
  if (state.status !== 'awaiting_approval') return [];
  const { id: gate, digest, openedAt: at, reminders } = state.gate;
  const text = `${gate} of ${scenario} waits for a decision. ${why}`.trim();
  const opened: MarkedNotice = { kind: 'opened', gate, digest, mark: 'opened', text, at, waits: true };
  if (reminders === 0) return [opened];
  const hours = Math.floor(waitedMs(state.gate, nowMs) / HOUR_MS);
  const waited = `${gate} of ${scenario} has waited for ${formatCount(hours, 'hour')}.`;
  return [opened, { ...opened, kind: 'reminded', mark: `reminded.${reminders}`, text: waited }];
}

/** Announces the last hand-over of the gate that waits; earlier ones and those of answered gates call nobody. */
function listHandedNotices({ state, events }: RunSnapshot, scenario: string): MarkedNotice[] {
  if (state.status !== 'awaiting_approval') return [];
  const { id: gate, digest } = state.gate;
  const last = listGateComments(events, gate).findLast(({ to }) => to !== undefined);
  if (last?.to === undefined) return [];
  const { seq, actor, to, at, comment } = last;
  const words = comment.trim() === '' ? '' : ` "${comment}"`;
  const text = `${actor} handed ${gate} of ${scenario} to user:${to}, who is asked to decide it.${words}`;
  return [{ kind: 'handed', gate, digest, to, mark: `handed.${seq}`, text, at, waits: true }];
}

function listEventNotices(
  { seq, actor, body, ts: at }: RunEvent,
  run: NoticeInput['run'],
  state: RunState,
): MarkedNotice[] {
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

/** Announces where the run has stopped; a failure that was retried and a pause by a person are not announced. */
function listStatusNotices(
  state: RunState,
  { scenario }: NoticeInput['run'],
  events: readonly RunEvent[],
): MarkedNotice[] {
  const last = (type: EventBody['type']) => events.findLast(({ body }) => body.type === type);
  if (state.status === 'errored') {
    const { step, code, message, at } = state.failure;
    const text = `${scenario} stopped at ${step} (${code}): ${shortenReason(message)} Then: tandem resume.`;
    return [{ kind: 'errored', mark: `errored.${last('step.failed')?.seq ?? 0}`, text, at, waits: false }];
  }
  if (state.status === 'paused' && state.pause.reason !== 'user') {
    const { reason, detail, at } = state.pause;
    const text = `${scenario} is paused (${reason === 'budget' ? 'money' : reason}): ${shortenReason(detail)}`;
    return [{ kind: 'paused', mark: `paused.${last('run.paused')?.seq ?? 0}`, text, at, waits: false }];
  }
  if (state.status !== 'succeeded' && state.status !== 'failed' && state.status !== 'cancelled') return [];
  const newest = state.iterations.at(-1);
  const endedAt = events.findLast(({ body }) => body.type !== 'chat.exchanged')?.ts ?? '';
  const reached = newest === undefined || newest.total === 0 ? '' : ` at ${formatPercent(newest.successRate)}`;
  const text = `${scenario} has ended: ${OUTCOMES[state.status]}${reached}.`;
  return [{ kind: 'ended', mark: 'ended', text, at: endedAt, waits: false }];
}

const OUTCOMES = { succeeded: 'the target is met', failed: 'the target is not met', cancelled: 'cancelled' } as const;

/** Shortens the error of a provider or a program, which can be long. */
function shortenReason(text: string): string {
  return text.length <= 400 ? text : `${text.slice(0, 399)}…`;
}
