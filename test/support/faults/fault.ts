/** The kinds of faults: an error instead of an answer, changed content, or bytes damaged on their way. */
import type { AnswerEvents, JsonRecord } from './events.ts';

/** The reply that is sent instead: the server behind the relay is not called, and bills nothing. */
export type FaultReply = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** Text, or an object that is sent as JSON. */
  body: string | JsonRecord;
};

/** The way in which the bytes of a streamed answer arrive. */
export type BrokenStream = {
  frames: string[];
  /** `end`: a proper end. `drop`: the socket closes. `silence`: no more bytes, and no end. `pings`: only pings, for ever. */
  after: 'end' | 'drop' | 'silence' | 'pings';
  /** The delay before the first byte. */
  waitMs?: number;
  /** Sends one byte at a time. */
  inBytes?: boolean;
};

export type Fault = {
  /** Describes the fault for people, as the client sees it. */
  says: string;
} & (
  | { instead: FaultReply }
  /** No answer at all: the socket closes, or stays silent. */
  | { lost: 'drop' | 'silence' }
  /** The Models endpoint answers this; calls are answered as usual. */
  | { models: FaultReply }
  /** Replaces the server's answer; the events may be changed in place. */
  | { answer: (events: AnswerEvents, request: JsonRecord) => AnswerEvents }
  | { broken: (events: AnswerEvents) => BrokenStream }
);

/** An error in the API's own shape. */
export function apiError(status: number, type: string, message: string): FaultReply {
  return { status, body: { type: 'error', error: { type, message }, request_id: 'req_fault' } };
}
