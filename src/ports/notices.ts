/** The notices port: telling people that a gate waits, was answered, or expired. Nothing comes back through it. */

export type Notice = {
  /** The same for the same happening, so that a receiver can drop repeats: `run-1.HITL-1.r2.opened`. */
  id: string;
  kind: 'opened' | 'reminded' | 'decided' | 'undone' | 'expired';
  run: string;
  scenario: string;
  gate: string;
  digest: string;
  title: string;
  /** One sentence. */
  text: string;
  /** Where to read and answer, after signing in. */
  url: string;
  /** People with personal links, which open this gate and this design only. */
  recipients: readonly { name: string; email: string; url: string }[];
};

export interface NoticeChannel {
  readonly name: string;
  /** Contract: resolves when it was taken; sending the same notice again is harmless. Rejects after its own tries. */
  send(notice: Notice, signal: AbortSignal): Promise<void>;
}
