/** Every batch of the project, newest first. */
import { formatCount } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import type { ListedBatch } from '../../web-deps.ts';
import { renderQueue } from '../layout.ts';
import { batchHref } from '../page-links.ts';
import { momentText, personText } from '../time-texts.ts';

const MOST = 200;

export function batchesPage(batches: readonly ListedBatch[]): Html {
  const left = batches.length - MOST;
  return html`<header>
      <p class="brand">All scenarios</p>
      <h1>${batches.length === 0 ? 'No batches yet' : 'Batches'}</h1>
      ${batches.length === 0 ? html`<p class="soft"><code>tandem batch 'scenarios/*' --runs 5</code> starts one.</p>` : undefined}
    </header>
    ${renderQueue('Batches', batches.slice(0, MOST).map(batchItem))}
    ${left > 0 ? html`<p class="soft">${left} older batches are not listed; they are in batches/.</p>` : undefined}`;
}

function batchItem({ id, createdAt, actor, runs }: ListedBatch): Html {
  const what = createdAt === '' ? 'cannot be read' : `started ${momentText(createdAt)} by ${personText(actor)}`;
  return html`<li>
    <a class="item" href="${batchHref(id)}" data-row>
      <span class="name">${id}</span><span class="wait">${formatCount(runs.length, 'run')}</span>
      <span class="what">${what}</span>
    </a>
  </li>`;
}
