/** Reads reviewers' questions with answers, and gate comments, from the journal; the state holds none of them. */
import { omitUndefined } from '../omit-undefined.ts';
import type { EventBody, RunEvent } from './event.ts';

export type Exchange = Omit<Extract<EventBody, { type: 'chat.exchanged' }>, 'type'> & {
  /** The event's number, which identifies the exchange within the run. */
  seq: number;
  actor: string;
  at: string;
};

/** Lists exchanges, oldest first; without `gate` those of all gates. */
export function listExchanges(events: readonly RunEvent[], gate?: string): Exchange[] {
  return events.flatMap(({ seq, actor, ts, body }) => {
    if (body.type !== 'chat.exchanged' || (gate !== undefined && body.gate !== gate)) return [];
    const { type: _type, ...exchange } = body;
    return [{ ...exchange, seq, actor, at: ts }];
  });
}

/** A comment at a gate that does not answer it. */
export type GateComment = { gate: string; actor: string; at: string; comment: string; seq: number; to?: string };

/** Lists the comments at a gate, oldest first. */
export function listGateComments(events: readonly RunEvent[], gate: string): GateComment[] {
  return events.flatMap(({ seq, actor, ts, body }) =>
    body.type === 'gate.commented' && body.gate === gate
      ? [omitUndefined({ gate, actor, at: ts, comment: body.comment, seq, to: body.to })]
      : [],
  );
}

/** The last hand-over of the gate: to whom, by whom and since when; undefined while nobody was. */
export type Handover = { to: string; by: string; at: string };

export function findHandover(events: readonly RunEvent[], gate: string): Handover | undefined {
  const last = listGateComments(events, gate).findLast(({ to }) => to !== undefined);
  return last?.to === undefined ? undefined : { to: last.to, by: last.actor, at: last.at };
}
