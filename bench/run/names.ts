/** What the counted functions are called, today and in the trees to compare with: a new name is added, no old one removed. */

/** A function that any of `names` means, in a file whose path below `src/` matches. */
export type Named = { names: readonly string[]; file: RegExp };

export const FOLD: Named = { names: ['fold', 'foldEvents'], file: /^run\// };
export const FOLDED_EVENT: Named = { names: ['applyEvent', 'foldEvent'], file: /^run\// };
export const PROJECTION: Named = { names: ['createProjection', 'withCompaction'], file: /^context\// };
export const FACTS: Named = { names: ['carryFacts'], file: /^context\// };
export const LEDGER: Named = { names: ['findDone'], file: /^context\// };
/** All of the ledger behind the cap on money, and nothing that only sums it up. */
export const SPENDING_FILES = /(^|\/)(file-spending|spend-ledger|spending-ledger|spending)[^/]*\.ts$/;
