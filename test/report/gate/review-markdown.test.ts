import { describe, expect, it } from 'vitest';
import { ReviewPack } from '../../../src/gate/rules/review-pack.ts';
import { renderReviewMarkdown } from '../../../src/report/gate/review-markdown.ts';
import { HOSTILE, infected } from '../hostile.ts';
import { reviewPack } from '../review-pack.ts';

describe('renderReviewMarkdown', () => {
  it('tells the same facts and how to answer with the digest of what was shown', () => {
    const page = renderReviewMarkdown(reviewPack({ simulated: true }));
    expect(page).toContain('**SIMULATED**');
    expect(page).toContain('- ~ **R4** Way of the refund (changed)');
    expect(page).toContain('- **FAILED**: every rule has a sample, R11 has none yet\n- ok: schema');
    expect(page).toContain('tandem gates approve 20261120-0714-k3f9 --gate HITL-1.r2 --digest c83d1e5520ab66f0');
    expect(page).toContain('```diff\n--- a/business_rules.yaml');
  });

  it('names the sections of the sources that are in no rule', () => {
    const page = renderReviewMarkdown(reviewPack());
    expect(page).toContain('## Sources\n\n1 of 2 sections of the sources has no rule.');
    expect(page).toContain('- `policies/gift-cards.md:9` 2\\. Lost cards');
    const [source] = reviewPack().sources ?? [];
    const all = reviewPack({ sources: [{ file: 'a.md', sections: source?.sections.slice(0, 1) ?? [] }] });
    expect(renderReviewMarkdown(all)).toContain('Every section of the sources has a rule.\n');
    expect(renderReviewMarkdown(reviewPack({ sources: [] }))).not.toContain('## Sources');
  });

  it.each(HOSTILE)('keeps its headings, lists and folds when every text is %j', (text) => {
    const shape = (page: string) =>
      page.split('\n').flatMap((line) => /^(#+ |<\/?details|- |\d\. |`{3,})/.exec(line)?.[1] ?? []);
    const pack = infected(reviewPack(), () => text);
    pack.since.diff = '';
    const plain = infected(reviewPack(), () => 'word');
    plain.since.diff = '';
    expect(shape(renderReviewMarkdown(pack)).map((mark) => mark.replace(/`+/, '```'))).toEqual(
      shape(renderReviewMarkdown(plain)),
    );
  });

  it('cannot be left through the diff', () => {
    const pack = reviewPack();
    pack.since.diff = '+```\n+</details>\n```\n# owned';
    expect(renderReviewMarkdown(pack)).toContain('````diff\n+```\n+</details>\n```\n# owned\n````');
  });

  it('stays under the size of a GitHub comment with a huge diff', () => {
    const pack = reviewPack();
    pack.since.diff = '+x\n'.repeat(100_000);
    expect(renderReviewMarkdown(pack).length).toBeLessThan(65_536);
  });
});

describe('the fixture', () => {
  it('is a pack that the schema accepts, also with the mark of a simulated run', () => {
    expect(ReviewPack.parse(reviewPack({ simulated: true })).simulated).toBe(true);
  });
});
