/** What a fault is: an error instead of an answer, an answer changed in what it says, or bytes broken on their way. */
import type { AnswerEvents, Json } from './events.ts';

/** The reply that is sent instead: the server behind the relay is not called, and bills nothing. */
export type FaultReply = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** Text, or an object that is sent as JSON. */
  body: string | Json;
};

/** How the bytes of a streamed answer come. */
export type Broken = {
  frames: string[];
  /** `end`: as it should be. `drop`: the socket closes. `silence`: nothing more, and no end. `pings`: nothing else, for ever. */
  after: 'end' | 'drop' | 'silence' | 'pings';
  /** Before the first byte. */
  waitMs?: number;
  /** One byte at a time. */
  inBytes?: boolean;
};

export type Fault = {
  /** What the client sees, for people. */
  says: string;
} & (
  | { instead: FaultReply }
  /** No answer at all: the socket closes, or stays silent. */
  | { lost: 'drop' | 'silence' }
  /** The Models endpoint answers this; calls are answered as usual. */
  | { models: FaultReply }
  /** Another answer than the server gave; the events may be changed in place. */
  | { answer: (events: AnswerEvents, request: Json) => AnswerEvents }
  | { broken: (events: AnswerEvents) => Broken }
);

/** An error in the API's own shape. */
export function apiError(status: number, type: string, message: string): FaultReply {
  return { status, body: { type: 'error', error: { type, message }, request_id: 'req_fault' } };
}
