/** Makes the mark of a rule that a reader has reviewed; it changes whenever the displayed rule changes. */
import { sha256 } from '../disk/sha256.ts';
import type { ReviewPack } from './rules/review-pack.ts';

export function createReviewMark(id: string, { rules, cases }: Pick<ReviewPack, 'rules' | 'cases'>): string {
  const rule = rules.find((one) => one.id === id);
  const table = cases?.rules.find((one) => one.id === id);
  return `${id}:${sha256(JSON.stringify([rule, table])).slice(0, 16)}`;
}
