/** The journal port: the events of one run, append-only, hash-chained. */
import type { EventBody, RunEvent } from '../run/event.ts';

export interface Journal {
  /**
   * Contract: in order and whole; `data_corrupt` names the file when an event is unreadable or the chain is broken. With
   * `after`, the last event that the caller has read, only what follows it; `data_corrupt` when it is no longer there.
   */
  read(after?: RunEvent): Promise<readonly RunEvent[]>;
  /** True when an event of that number is there: cheap, for those who wait for the next one. */
  holds(seq: number): Promise<boolean>;
  /**
   * Contract: appends as number `expectedLength`, or throws `journal_conflict` and writes nothing. The event is durable
   * when the promise resolves.
   */
  append(body: EventBody, actor: string, expectedLength: number): Promise<RunEvent>;
}
