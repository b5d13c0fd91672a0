/** Folds the journal of a session into its turns: what was said, what the model sees, and which turn is open. */
import { HarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { SessionBody, SessionEvent } from './session-event.ts';

type Body<Type extends SessionBody['type']> = Extract<SessionBody, { type: Type }>;
export type SessionMessage = Omit<Body<'session.said'>, 'type'> & { actor: string; ts: string };
export type Turn = SessionMessage & { end?: Omit<Body<'session.answered'>, 'type' | 'turn'> };

export type SessionTurns = Omit<Body<'session.started'>, 'type' | 'machineVersion'> & {
  startedBy: string;
  startedAt: string;
  lastAt: string;
  /** The number of events so far. */
  length: number;
  model?: string;
  policy?: string;
  /** The person who chose the model, and the time. */
  modelChosen?: { actor: string; at: string };
  /** The lane that continues, and its newest entry; `head` is empty before the first message. */
  lane: string;
  head: string;
  /** The turns in order of their beginning, without those that were undone. */
  turns: Turn[];
  /** The number of all turns ever begun. */
  begun: number;
  /** The turn without an end: it is being answered, or its process died. */
  open?: Turn;
};

/** Folds the events; throws `event_refused` for one that does not fit, and `data_corrupt` when there is none. */
export function foldTurns(events: readonly SessionEvent[]): SessionTurns {
  let now: SessionTurns | undefined;
  for (const event of events) now = applySessionEvent(now, event);
  if (now === undefined) throw new HarnessError('data_corrupt', 'The journal of this session is empty.');
  return now;
}

export function applySessionEvent(
  now: SessionTurns | undefined,
  { body, actor, ts }: Pick<SessionEvent, 'body' | 'actor' | 'ts'>,
): SessionTurns {
  if (now === undefined) {
    if (body.type !== 'session.started') throw refusedEventError(body, 'the session has not begun');
    const { type: _type, machineVersion: _version, ...started } = body;
    const times = { startedBy: actor, startedAt: ts, lastAt: ts };
    return { ...started, ...times, length: 1, lane: 'main', head: '', turns: [], begun: 0 };
  }
  return { ...now, ...computeChange(now, { body, actor, ts }), lastAt: ts, length: now.length + 1 };
}

function computeChange(
  now: SessionTurns,
  { body, actor, ts }: Pick<SessionEvent, 'body' | 'actor' | 'ts'>,
): Partial<SessionTurns> {
  if (body.type === 'session.started') throw refusedEventError(body, 'it has begun already');
  if (body.type === 'session.set') {
    const { type: _type, ...set } = body;
    return omitUndefined({ ...set, modelChosen: set.model === undefined ? undefined : { actor, at: ts } });
  }
  if (body.type === 'session.answered') return endTurn(now, body);
  if (now.open !== undefined) throw refusedEventError(body, `turn ${now.open.turn} has no end yet`);
  if (body.type === 'session.cleared') return { lane: `main-${Number(/\d+$/.exec(now.lane)?.[0] ?? 1) + 1}`, head: '' };
  if (body.type === 'session.undone') {
    const place = now.turns.findIndex(({ turn }) => turn === body.turn);
    const back = now.turns[place];
    if (back === undefined) throw refusedEventError(body, `there is no turn ${body.turn} to take back`);
    return { turns: now.turns.slice(0, place), lane: back.lane, head: back.after };
  }
  if (body.turn !== now.begun + 1) throw refusedEventError(body, `the next turn is ${now.begun + 1}`);
  const { type: _type, ...said } = body;
  const turn = { ...said, actor, ts };
  return { turns: [...now.turns, turn], begun: body.turn, open: turn };
}

function endTurn(now: SessionTurns, { type, turn, ...end }: Body<'session.answered'>): Partial<SessionTurns> {
  if (now.open?.turn !== turn) throw refusedEventError({ type }, `turn ${turn} is not the one that waits for its end`);
  const turns = now.turns.map((one) => (one.turn === turn ? { ...one, end } : one));
  return { turns, open: undefined as never, head: end.entries?.last ?? now.head };
}

function refusedEventError({ type }: { type: string }, why: string): HarnessError {
  return new HarnessError('event_refused', `${type} does not fit the session: ${why}.`);
}
