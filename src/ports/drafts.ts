/** The drafts port: what a reviewer wrote at the gates of a run and has not sent; theirs alone, and no part of the run's record. */

export type StoredDraft = {
  gate: string;
  /** Of the design that it was written about. */
  digest: string;
  /** The field of the decision form. */
  field: string;
  text: string;
};

export interface Drafts {
  /** Oldest first, at all gates. Contract: what cannot be read is as if nothing were there; no draft stops a decision. */
  of(runDir: string, who: string): Promise<readonly StoredDraft[]>;
  /**
   * Contract: of changes asked for at once each sees what the one before has left; durable when resolved; `next` answers
   * undefined to leave everything as it is.
   */
  change(
    runDir: string,
    who: string,
    next: (now: readonly StoredDraft[]) => Promise<readonly StoredDraft[] | undefined>,
  ): Promise<void>;
}
