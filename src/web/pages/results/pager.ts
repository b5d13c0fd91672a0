/** Links to the other pages of a long list. */
import { html, type Html } from '../../../report/html/html.ts';

export function renderPager(
  { page, pages }: { page: number; pages: number },
  href: (page: number) => string,
): Html | undefined {
  if (pages === 1) return undefined;
  return html`<nav class="pages" aria-label="Pages">
    ${page > 1 ? html`<a id="previous" rel="prev" href="${href(page - 1)}">‹ previous</a>` : undefined}
    <span class="soft">page ${page} of ${pages}</span>
    ${page < pages ? html`<a id="next" rel="next" href="${href(page + 1)}">next ›</a>` : undefined}
  </nav>`;
}
