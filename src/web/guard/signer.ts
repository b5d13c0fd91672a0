/** Signs the page's texts. Every purpose has its own key, so that a text signed for one is invalid for another. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export type Signer = {
  sign: (purpose: string, text: string) => string;
  /** Contract: the time taken does not depend on how much of the mark is right. */
  holds: (purpose: string, text: string, mark: string) => boolean;
};

export function createSigner(secret: string): Signer {
  const sign = (purpose: string, text: string): string =>
    createHmac('sha256', createHmac('sha256', secret).update(purpose).digest()).update(text).digest('base64url');
  return { sign, holds: (purpose, text, mark) => isSameSecret(sign(purpose, text), mark) };
}

/** Compares digests, so that the time taken reveals neither content nor length. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
