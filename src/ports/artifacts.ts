/** The artifacts port: folders that are made in `wip/`, then committed once and never changed. */
import type { Manifest } from '../scenario/design.ts';

/** A live try at one step. Every write goes by path, so that a takeover (a rename) stops the slow worker. */
export interface Attempt {
  /** Name such as `design.r1` or `execute.i3`. */
  readonly step: string;
  /** Absolute path of `wip/<step>@<worker>`. */
  readonly dir: string;
  /** Absolute path of the folder to commit. Each attempt begins with the seed, never with a dead attempt's files. */
  readonly out: string;
  /** Path of the committed folder, relative to the run folder: `design/r1`. */
  readonly target: string;
  /** False once another worker has taken the attempt over by renaming its folder. */
  exists(): Promise<boolean>;
  /** Writes a file of `out`, by its relative path. */
  write(path: string, content: string): Promise<void>;
  /** Contract: undefined when nothing was remembered under this name; `data_corrupt` when the file is unreadable. */
  recall(name: string): Promise<unknown>;
  /** Contract: durable when resolved; `attempt_lost` when the attempt was taken over. */
  remember(name: string, value: unknown): Promise<void>;
  /** Remembers for several workers at once: the first value counts, and any other is dropped. */
  rememberFirst(name: string, value: unknown): Promise<void>;
  /** Lists names that any worker's `rememberFirst` stored in a lane. Contract: `attempt_lost` after a takeover. */
  remembered(lane: string): Promise<string[]>;
  /** Drops everything remembered in a lane. */
  forget(lane: string): Promise<void>;
  /** Contract: when it resolves, workers elsewhere can read `out` as it is now (`Artifacts.join`). */
  share(): Promise<void>;
}

export type CommittedFolder = { dir: string; digest: string; manifest: Manifest };

export interface Artifacts {
  /** Returns a committed folder by its run-relative target; with `verify` its manifest is checked against the files. */
  committed(target: string, verify?: boolean): Promise<CommittedFolder | undefined>;
  /**
   * Takes over the dead attempt of this step if there is one (with its `turns/`), else makes a new one.
   * `seed` is a list of run-relative files or folders that are copied into `out` first (`{from, to}`).
   */
  begin(step: string, target: string, seed: readonly { from: string; to: string }[]): Promise<Attempt>;
  /** Returns the attempt that another worker of this run holds, by its folder name in `wip/`, without any look-up. */
  attemptAt(folder: string, target: string): Attempt;
  /** As `attemptAt`, with what the holder has shared; undefined when the attempt is over. */
  join(folder: string, target: string): Promise<Attempt | undefined>;
  /** Contract: manifest, fsync, rename. When another worker committed first, its folder is returned and ours is dropped. */
  commit(attempt: Attempt): Promise<CommittedFolder>;
  /** Lists the folders in `wip/` of the attempts that are not over, with what they remember in them. */
  live(): Promise<string[]>;
  /** Removes what a finished step left in `wip/`. */
  discard(step: string): Promise<void>;
}
