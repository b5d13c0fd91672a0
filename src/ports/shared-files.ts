/** The shared-files port: small files that the processes of a project, a run or a session leave for each other. */

/** Paths are relative, with `/`. Contract: a file appears whole or not at all, and others see it when the promise resolves. */
export interface SharedFiles {
  /** Every file below a folder, by its path in there; empty when there is no such folder. */
  list(folder: string): Promise<ReadonlyMap<string, string>>;
  /** Undefined when there is none. */
  read(path: string): Promise<string | undefined>;
  write(path: string, text: string): Promise<void>;
  /** Contract: false, and nothing is written, when it is there; of several at once one gets true. */
  create(path: string, text: string): Promise<boolean>;
  /** Contract: false, and it stays, when it holds something else than `seen`; of several at once one gets true. */
  take(path: string, seen: string): Promise<boolean>;
  /** A file, or a folder with all that is in it. */
  remove(path: string): Promise<void>;
}
