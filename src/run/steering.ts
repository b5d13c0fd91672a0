/** What people have said to agents at work, and where each of them read it: from the journal, no part of the state. */
import type { EventBody, RunEvent } from './event.ts';
import type { RunState } from './state.ts';
import { stepOf } from './undo.ts';

export type Steering = Omit<Extract<EventBody, { type: 'agent.steered' }>, 'type'> & {
  /** Of the event: names these words within the run. */
  seq: number;
  actor: string;
  at: string;
  /** The newest place; absent: no agent has read it yet. */
  heard?: { step: string; entry: string };
};

export type ChangedFile = NonNullable<Steering['files']>[number];

/** The step that an agent works on, or goes on with when the run does; undefined at a gate, before the first, and after the last. */
export function stepAtWork(state: RunState): string | undefined {
  const { status } = state.status === 'paused' || state.status === 'errored' ? state.prev : state;
  return status === 'designing' || status === 'executing' ? stepOf({ ...state, status }) : undefined;
}

/** Oldest first. */
export function steeringOf(events: readonly RunEvent[]): Steering[] {
  const heard = new Map(
    events.flatMap(({ body }) =>
      body.type === 'agent.heard' ? [[body.said, { step: body.step, entry: body.entry }] as const] : [],
    ),
  );
  return events.flatMap(({ seq, actor, ts, body }) => {
    if (body.type !== 'agent.steered') return [];
    const { type: _type, ...words } = body;
    const place = heard.get(seq);
    return [{ ...words, seq, actor, at: ts, ...(place && { heard: place }) }];
  });
}
