/** Reads designs of runs for review, comparison and checks, with the reviewers' drafts, on the page and in the terminal. */
import { checkEdit } from '../../gate/commit-edit.ts';
import { compareDesigns, readDesignContent } from '../../gate/compare-designs.ts';
import type { Designs } from '../../ports/decisions.ts';

export { openFileDrafts } from '../../adapters/files/file-drafts.ts';

export const designs: Designs = {
  read: readDesignContent,
  compare: async (run, from, to) =>
    compareDesigns(await readDesignContent(run, from), await readDesignContent(run, to)),
  check: checkEdit,
};
