import { describe, expect, it } from 'vitest';
import { ReviewPack } from '../../../src/gate/rules/review-pack.ts';
import { renderReviewMarkdown } from '../../../src/report/gate/review-markdown.ts';
import { renderReviewTerminal } from '../../../src/report/gate/review-terminal.ts';
import { HOSTILE, infected } from '../hostile.ts';
import { reviewPack } from '../review-pack.ts';

/** Headings, folds and fences, without what stands in a fence. */
function shapeOf(page: string): string[] {
  let fence: string | undefined;
  return page.split('\n').flatMap((line) => {
    if (fence !== undefined) {
      if (line === fence) fence = undefined;
      return [];
    }
    fence = /^`{3,}/.exec(line)?.[0];
    return fence === undefined ? (/^(#+ |<\/?details)/.exec(line)?.[1] ?? []) : ['fence'];
  });
}

describe('renderReviewMarkdown', () => {
  it('is the screen of a terminal, and says how to answer with the digest of what was shown', () => {
    const page = renderReviewMarkdown(reviewPack({ simulated: true }));
    expect(page).toContain('SIMULATED');
    for (const line of renderReviewTerminal(reviewPack(), { columns: 100, color: false }, { keys: [] }).slice(1))
      expect(page).toContain(line);
    expect(page).toContain('tandem gates approve 20261120-0714-k3f9 --gate HITL-1.r2 --digest c83d1e5520ab66f0');
    expect(page).toContain('```diff\n--- a/business_rules.yaml');
    expect(page).toMatch(/<summary>All \d+ rules<\/summary>/);
  });

  it('a gate that was answered has no commands', () => {
    const page = renderReviewMarkdown(reviewPack(), { closed: 'approve by user:ada.' });
    expect(page).toContain('approve by user:ada.');
    expect(page).not.toContain('## Answer');
  });

  it.each(HOSTILE)('keeps its headings, fences and folds when every text is %j', (text) => {
    const pack = infected(reviewPack(), () => text);
    pack.since.diff = '';
    const plain = infected(reviewPack(), () => 'word');
    plain.since.diff = '';
    expect(shapeOf(renderReviewMarkdown(pack))).toEqual(shapeOf(renderReviewMarkdown(plain)));
  });

  it('cannot be left through the diff', () => {
    const pack = reviewPack();
    pack.since.diff = '+```\n+</details>\n```\n# owned';
    expect(renderReviewMarkdown(pack)).toContain('````diff\n+```\n+</details>\n```\n# owned\n````');
  });

  it('stays under the size of a GitHub comment with a huge diff', () => {
    const pack = reviewPack();
    pack.since.diff = '+x\n'.repeat(100_000);
    pack.prompt = 'Be kind. '.repeat(10_000);
    pack.summary = 'Be kind. '.repeat(10_000);
    expect(renderReviewMarkdown(pack).length).toBeLessThan(65_536);
  });
});

describe('the fixture', () => {
  it('is a pack that the schema accepts, also with the mark of a simulated run', () => {
    expect(ReviewPack.parse(reviewPack({ simulated: true })).simulated).toBe(true);
  });
});
