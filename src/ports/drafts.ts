/** The drafts port: a reviewer's unsent answers and marks at the gates of a run; private, and not part of the run's record. */

export type StoredDraft = {
  gate: string;
  /** Digest of the design that the draft is about. */
  digest: string;
  /** The field of the decision form, or `file.<name>` for a design file that is being edited. */
  field: string;
  text: string;
};

export interface Drafts {
  /** Lists drafts of all gates, oldest first. Contract: an unreadable file counts as missing, and stops no decision. */
  of(runDir: string, who: string): Promise<readonly StoredDraft[]>;
  /**
   * Contract: concurrent changes run one after another, each on the result of the one before; durable when resolved;
   * `next` returns undefined to change nothing.
   */
  change(
    runDir: string,
    who: string,
    next: (now: readonly StoredDraft[]) => Promise<readonly StoredDraft[] | undefined>,
  ): Promise<void>;
  /** Lists what the person has marked as reviewed, at any gate; an answer does not remove it. Contract: as for `of`. */
  marks(runDir: string, who: string): Promise<readonly string[]>;
  /** Contract: as for `change`; above several thousand marks the oldest are removed. */
  mark(runDir: string, who: string, set: { mark: string; isSet: boolean }): Promise<void>;
}
