/** The hidden field of every form: it proves that this page was ours, for whom it was made, and when it was shown. */
import type { Signer } from './signer.ts';

type SignedAt = { signer: Signer; nowMs: number };

const HOLDS_MS = 24 * 60 * 60 * 1000;

export function formToken(session: string, signer: Signer, nowMs: number): string {
  const shownAt = nowMs.toString(36);
  return `${shownAt}.${signer.sign('form', `${session} ${shownAt}`)}`;
}

/** How long ago the form was shown, in milliseconds; undefined when it is not ours, or older than a day. */
export function formAge(token: string, session: string, { signer, nowMs }: SignedAt): number | undefined {
  const [shownAt = '', mark = '', ...rest] = token.split('.');
  if (rest.length > 0 || !/^[0-9a-z]{1,12}$/.test(shownAt)) return undefined;
  if (!signer.holds('form', `${session} ${shownAt}`, mark)) return undefined;
  const age = nowMs - Number.parseInt(shownAt, 36);
  return age >= 0 && age <= HOLDS_MS ? age : undefined;
}
