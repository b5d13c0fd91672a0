/** Reads people's messages to working agents, and where each was read, from the journal and not the state. */
import type { EventBody, RunEvent } from './event.ts';
import type { RunState } from './state.ts';
import { formatStepName } from './undo.ts';

export type Steering = Omit<Extract<EventBody, { type: 'agent.steered' }>, 'type'> & {
  /** The event's number, which identifies the message within the run. */
  seq: number;
  actor: string;
  at: string;
  /** The newest entry at which an agent read it; absent when none has. */
  heard?: { step: string; entry: string };
};

export type ChangedFile = NonNullable<Steering['files']>[number];

/** Names the step that an agent works on or will resume; undefined at a gate and outside the steps. */
export function stepAtWork(state: RunState): string | undefined {
  const { status } = state.status === 'paused' || state.status === 'errored' ? state.prev : state;
  return status === 'designing' || status === 'executing' ? formatStepName({ ...state, status }) : undefined;
}

/** Lists the messages, oldest first. */
export function listSteering(events: readonly RunEvent[]): Steering[] {
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
