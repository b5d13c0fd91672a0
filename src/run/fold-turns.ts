/** The journal of a session becomes its state: what was said, what is shown to the model, what is still to be answered. */
import { HarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { SessionBody, SessionEvent } from './session-event.ts';

type Body<Type extends SessionBody['type']> = Extract<SessionBody, { type: Type }>;
export type SessionMessage = Omit<Body<'session.said'>, 'type'> & { actor: string; ts: string };
export type Turn = SessionMessage & { end?: Omit<Body<'session.answered'>, 'type' | 'turn'> };

export type SessionNow = Omit<Body<'session.started'>, 'type' | 'machineVersion'> & {
  startedBy: string;
  startedAt: string;
  lastAt: string;
  /** Events so far. */
  length: number;
  model?: string;
  policy?: string;
  /** Who chose the model, and when. */
  modelChosen?: { actor: string; at: string };
  /** The conversation that goes on, and its newest entry; empty where nothing is said in it yet. */
  lane: string;
  head: string;
  /** In the order in which they were begun; those that were taken back have left. */
  turns: Turn[];
  /** How many were begun in all. */
  begun: number;
  /** The turn that has no end yet: its process died, or is at work. */
  open?: Turn;
};

/** Contract: `event_refused` for an event that does not fit, `data_corrupt` when there is none. */
export function foldTurns(events: readonly SessionEvent[]): SessionNow {
  let now: SessionNow | undefined;
  for (const event of events) now = afterEvent(now, event);
  if (now === undefined) throw new HarnessError('data_corrupt', 'The journal of this session is empty.');
  return now;
}

export function afterEvent(
  now: SessionNow | undefined,
  { body, actor, ts }: Pick<SessionEvent, 'body' | 'actor' | 'ts'>,
): SessionNow {
  if (now === undefined) {
    if (body.type !== 'session.started') throw refused(body, 'the session has not begun');
    const { type: _type, machineVersion: _version, ...started } = body;
    const times = { startedBy: actor, startedAt: ts, lastAt: ts };
    return { ...started, ...times, length: 1, lane: 'main', head: '', turns: [], begun: 0 };
  }
  return { ...now, ...changed(now, { body, actor, ts }), lastAt: ts, length: now.length + 1 };
}

function changed(
  now: SessionNow,
  { body, actor, ts }: Pick<SessionEvent, 'body' | 'actor' | 'ts'>,
): Partial<SessionNow> {
  if (body.type === 'session.started') throw refused(body, 'it has begun already');
  if (body.type === 'session.set') {
    const { type: _type, ...set } = body;
    return omitUndefined({ ...set, modelChosen: set.model === undefined ? undefined : { actor, at: ts } });
  }
  if (body.type === 'session.answered') return answered(now, body);
  if (now.open !== undefined) throw refused(body, `turn ${now.open.turn} has no end yet`);
  if (body.type === 'session.cleared') return { lane: `main-${Number(/\d+$/.exec(now.lane)?.[0] ?? 1) + 1}`, head: '' };
  if (body.type === 'session.undone') {
    const place = now.turns.findIndex(({ turn }) => turn === body.turn);
    const back = now.turns[place];
    if (back === undefined) throw refused(body, `there is no turn ${body.turn} to take back`);
    return { turns: now.turns.slice(0, place), lane: back.lane, head: back.after };
  }
  if (body.turn !== now.begun + 1) throw refused(body, `the next turn is ${now.begun + 1}`);
  const { type: _type, ...said } = body;
  const turn = { ...said, actor, ts };
  return { turns: [...now.turns, turn], begun: body.turn, open: turn };
}

function answered(now: SessionNow, { type, turn, ...end }: Body<'session.answered'>): Partial<SessionNow> {
  if (now.open?.turn !== turn) throw refused({ type }, `turn ${turn} is not the one that waits for its end`);
  const turns = now.turns.map((one) => (one.turn === turn ? { ...one, end } : one));
  return { turns, open: undefined as never, head: end.entries?.last ?? now.head };
}

function refused({ type }: { type: string }, why: string): HarnessError {
  return new HarnessError('event_refused', `${type} does not fit the session: ${why}.`);
}
