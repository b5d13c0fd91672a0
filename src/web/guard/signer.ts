/** What the page signs: every purpose has a key of its own, so that nothing signed for one passes for another. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export type Signer = {
  sign: (purpose: string, text: string) => string;
  /** Contract: takes the same time whether the mark is nearly right or not at all. */
  holds: (purpose: string, text: string, mark: string) => boolean;
};

export function createSigner(secret: string): Signer {
  const sign = (purpose: string, text: string): string =>
    createHmac('sha256', createHmac('sha256', secret).update(purpose).digest()).update(text).digest('base64url');
  return { sign, holds: (purpose, text, mark) => isSameSecret(sign(purpose, text), mark) };
}

/** Compares digests, so that neither content nor length shows in the time it takes. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
