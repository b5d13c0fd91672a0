/** Words that stand in receipts and are looked for again later. */

/** `receipt.reason` of a compaction that no model wrote, although one was asked, begins with this. */
export const FALLBACK = 'fallback:';
