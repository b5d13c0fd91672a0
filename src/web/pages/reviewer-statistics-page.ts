/** Statistics of reviewers' decisions, which show when approving has become a habit; they do not rank people. */
import { formatDuration } from '../../report/text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { html, type Html, renderTiles, type Tile, renderDataTable } from '../../report/html/html.ts';
import type { ReviewStats, ReviewerStats } from '../read/reviewer-statistics.ts';
import { personText, waitText } from './time-texts.ts';

const HEAD = ['who', 'decisions', 'approved', 'time on the page', 'under 5 s', 'came back', 'gates waited'];

export function reviewerStatsPage({ people, each: rows }: ReviewStats): Html {
  return html`<header>
      <p class="brand">HITL-1</p>
      <h1>How decisions are made here</h1>
      <p class="soft">
        Three numbers show when approving has become a habit: no time on the page, approvals faster than anybody reads,
        and approved designs that come back.
      </p>
    </header>
    ${people.decisions === 0 ? undefined : renderReviewerTiles(people)}
    <section class="card">
      ${
        rows.length === 0
          ? html`<p>Nothing was decided yet.</p>`
          : renderDataTable({ label: 'Decisions by person', kind: '' }, HEAD, rows.map(renderReviewerRow))
      }
      <p class="small soft">
        Time on the page is the median from showing the page to the answer, where a page was used. Came back: of the
        approved designs, those that Execute returned because of a problem in the design itself.
      </p>
    </section>`;
}

function renderReviewerTiles({ medianMs, approvals, hasty, cameBack, decisions, medianWaitMs }: ReviewerStats): Html {
  const share = (part: number) => (approvals === 0 ? '–' : formatPercent(part / approvals));
  const list: readonly Tile[] = [
    ['Time on the page', medianMs === undefined ? '–' : formatDuration(medianMs), 'half took longer'],
    ['Under 5 s', share(hasty), `${hasty} of ${approvals} approvals`],
    ['Came back', share(cameBack), `${cameBack} of ${approvals} approved designs`],
    ['Gates waited', medianWaitMs === undefined ? '–' : waitText(medianWaitMs), `half of ${decisions} took longer`],
  ];
  return renderTiles(list, 'four');
}

function renderReviewerRow({
  actor,
  decisions,
  approvals,
  medianMs,
  hasty,
  cameBack,
  medianWaitMs,
}: ReviewerStats): Html {
  const share = (part: number) => (approvals === 0 ? '–' : `${part} (${formatPercent(part / approvals)})`);
  return html`<tr>
    <th scope="row">
      ${personText(actor)}${actor.startsWith('policy:') ? html` <span class="pill loud">NO PERSON</span>` : undefined}
    </th>
    <td>${decisions}</td>
    <td>${approvals}</td>
    <td>${medianMs === undefined ? '–' : formatDuration(medianMs)}</td>
    <td>${share(hasty)}</td>
    <td>${share(cameBack)}</td>
    <td>${medianWaitMs === undefined ? '–' : waitText(medianWaitMs)}</td>
  </tr>`;
}
