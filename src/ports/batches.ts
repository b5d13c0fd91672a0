/** The batches port: the data of a batch in addition to its runs, and where these are. */
import type { Spending } from './run-store.ts';

export interface BatchStore {
  /** In the order of their names, which begin with the time. */
  ids(): Promise<string[]>;
  /** Undefined when there is no such batch. */
  read(id: string): Promise<string | undefined>;
  write(id: string, text: string): Promise<void>;
  /** Its runs, if there are any, stay. */
  remove(id: string): Promise<void>;
  /** The money that its runs share. Contract: read only once. */
  spending(id: string): Promise<Spending>;
  /** The folder of one of its runs on this machine, there or not: the run store opens it. */
  dirOf(run: { run: string; scenario: string; dir: string }): Promise<string>;
}
