/** Questions of reviewers about a run's designs, with the answers, and comments at its gates: read from the journal, no part of the state. */
import type { EventBody, RunEvent } from './event.ts';

export type Exchange = Omit<Extract<EventBody, { type: 'chat.exchanged' }>, 'type'> & {
  /** Of the event: names the exchange within the run. */
  seq: number;
  actor: string;
  at: string;
};

/** Oldest first; all gates when none is named. */
export function exchangesOf(events: readonly RunEvent[], gate?: string): Exchange[] {
  return events.flatMap(({ seq, actor, ts, body }) => {
    if (body.type !== 'chat.exchanged' || (gate !== undefined && body.gate !== gate)) return [];
    const { type: _type, ...exchange } = body;
    return [{ ...exchange, seq, actor, at: ts }];
  });
}

/** Said at a gate, and no answer to it. */
export type GateComment = { gate: string; actor: string; at: string; comment: string; seq: number };

/** Oldest first. */
export function commentsAt(events: readonly RunEvent[], gate: string): GateComment[] {
  return events.flatMap(({ seq, actor, ts, body }) =>
    body.type === 'gate.commented' && body.gate === gate ? [{ gate, actor, at: ts, comment: body.comment, seq }] : [],
  );
}
