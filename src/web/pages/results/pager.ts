/** The pages of a long list: the rows of one, and the links to the others. */
import { html, type Html } from '../../../report/html/html.ts';

/** Rows of one page. */
const ROWS = 100;

type PageAt = { page: number; pages: number };

/** Returns the rows of a page; a page that is not there is the last one. */
export function selectPage<Row>(all: readonly Row[], wanted: number): PageAt & { rows: Row[] } {
  const pages = Math.max(1, Math.ceil(all.length / ROWS));
  const page = Math.min(wanted, pages);
  return { rows: all.slice((page - 1) * ROWS, page * ROWS), page, pages };
}

export function renderPager({ page, pages }: PageAt, href: (page: number) => string): Html | undefined {
  if (pages === 1) return undefined;
  return html`<nav class="pages" aria-label="Pages">
    ${page > 1 ? html`<a id="previous" rel="prev" href="${href(page - 1)}">‹ previous</a>` : undefined}
    <span class="soft">page ${page} of ${pages}</span>
    ${page < pages ? html`<a id="next" rel="next" href="${href(page + 1)}">next ›</a>` : undefined}
  </nav>`;
}
