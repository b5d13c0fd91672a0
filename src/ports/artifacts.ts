/** The artifacts port: folders that are made in `wip/`, then committed once and never changed. */
import type { Manifest } from '../scenario/design.ts';

/** A live try at one step. Every write goes by path, so that a takeover (a rename) fences the slow worker. */
export interface Attempt {
  /** `design.r1`, `execute.i3`. */
  readonly step: string;
  /** Absolute; `wip/<step>@<worker>`. */
  readonly dir: string;
  /** Absolute; becomes the committed folder. Fresh at every begin: seeded, never carried over from a dead attempt. */
  readonly out: string;
  /** The committed target, relative to the run folder: `design/r1`. */
  readonly target: string;
  /** False once another worker took the attempt over, which renames its folder. */
  exists(): Promise<boolean>;
  /** Writes a file of `out`, by its relative path. */
  write(path: string, content: string): Promise<void>;
  /** Contract: undefined when nothing was remembered under this name; `data_corrupt` when the file is unreadable. */
  recall(name: string): Promise<unknown>;
  /** Contract: durable when resolved; `attempt_lost` when the attempt was taken over. */
  remember(name: string, value: unknown): Promise<void>;
  /** The same for workers that do so at the same time: the first value counts, and any other is dropped. */
  rememberFirst(name: string, value: unknown): Promise<void>;
  /** What was remembered as `<lane>/<name>` by `rememberFirst`, of whoever. Contract: `attempt_lost` after a takeover. */
  remembered(lane: string): Promise<string[]>;
  /** Drops all of a lane. */
  forget(lane: string): Promise<void>;
  /** Contract: when it resolves, workers elsewhere can read `out` as it is now (`Artifacts.join`). */
  share(): Promise<void>;
}

export type Committed = { dir: string; digest: string; manifest: Manifest };

export interface Artifacts {
  /** A committed folder by its run-relative target, its manifest checked against the files when `verify` is set. */
  committed(target: string, verify?: boolean): Promise<Committed | undefined>;
  /**
   * Takes over the dead attempt of this step if there is one (with its `turns/`), else makes a new one.
   * `seed` is a list of run-relative files or folders that are copied into `out` first (`{from, to}`).
   */
  begin(step: string, target: string, seed: readonly { from: string; to: string }[]): Promise<Attempt>;
  /** The attempt that another worker of this run holds, by the name of its folder in `wip/`; nothing is looked up. */
  attemptAt(folder: string, target: string): Attempt;
  /** The same with what its holder has shared; undefined when the attempt is over. */
  join(folder: string, target: string): Promise<Attempt | undefined>;
  /** Contract: manifest, fsync, rename. When another worker committed first, its folder is returned and ours is dropped. */
  commit(attempt: Attempt): Promise<Committed>;
  /** The folders in `wip/` of the attempts that are not over, with what they remember in them. */
  live(): Promise<string[]>;
  /** Removes what a finished step left in `wip/`. */
  discard(step: string): Promise<void>;
}
