/** Time and money of each trial as a picture without a script: a mark for each, which leads to its page. */
import { formatCount, formatDuration, formatUsd } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { ONLY_COLUMN, type Column, type MatrixTrial } from '../../read/results/matrix.ts';
import { trialHref } from '../page-links.ts';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [900, 260, 74, 60, 16, 34];
/** More marks would hide each other; the slowest stay. */
const MOST_MARKS = 600;

/** Returns undefined for fewer than two trials, whose numbers stand on their pages. */
export function trialChart(key: string, { played, short: name, iteration }: Column): Html | undefined {
  if (played.length < 2) return undefined;
  const short = name === ONLY_COLUMN ? '' : `, ${name}`;
  const [slowest, dearest] = [findMost(played, 'ms'), findMost(played, 'usd')];
  const x = (ms: number) => scale(ms / Math.max(slowest.ms, 1), LEFT, WIDTH - RIGHT);
  const y = (usd: number) => scale(usd / Math.max(dearest.usd, Number.MIN_VALUE), HEIGHT - BOTTOM, TOP);
  const marks = played.toSorted((one, other) => other.ms - one.ms).slice(0, MOST_MARKS);
  const middle = (of: 'ms' | 'usd') => played.map((one) => one[of]).toSorted((a, b) => a - b)[played.length >> 1] ?? 0;
  const words = `Half of ${formatCount(played.length, 'trial')} took at most ${formatDuration(middle('ms'))} and ${formatUsd(middle('usd'))}. The slowest is ${nameTrial(slowest)}, with ${formatDuration(slowest.ms)}; the dearest ${nameTrial(dearest)}, with ${formatUsd(dearest.usd)}.`;
  return html`<section class="card" aria-label="Time and money${short}">
    <h2>Time and money of each trial${short}</h2>
    <p>${words}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="A mark for each trial${short}">
      <svg class="trials" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="${words}">
        ${[0, 0.5, 1].map((share) => html`<line class="grid-line" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(dearest.usd * share)}" y2="${y(dearest.usd * share)}" /><text x="${LEFT - 8}" y="${y(dearest.usd * share) + 4}" text-anchor="end">${formatUsd(dearest.usd * share)}</text><text x="${x(slowest.ms * share)}" y="${HEIGHT - 10}" text-anchor="middle">${formatDuration(slowest.ms * share)}</text>`)}
        ${marks.map((one) => {
          const title = `${nameTrial(one)}: ${one.outcome}, ${formatDuration(one.ms)}, ${formatUsd(one.usd)}`;
          return html`<a href="${trialHref(key, iteration, one)}" aria-label="${title}"
            ><title>${title}</title>
            <circle class="reach" cx="${x(one.ms)}" cy="${y(one.usd)}" r="12" />
            ${renderMark(one, x(one.ms), y(one.usd))}</a
          >`;
        })}
      </svg>
    </div>
    <p class="small soft">A ring passed, a cross did not. To the right it took longer, further up it cost more.</p>
  </section>`;
}

/** The shape says the outcome, so that no colour has to. */
function renderMark({ outcome }: MatrixTrial, x: number, y: number): Html {
  return outcome === 'pass'
    ? html`<circle class="passed" cx="${x}" cy="${y}" r="5" />`
    : html`<path class="${outcome === 'fail' ? 'failed' : 'unscored'}" d="M${x - 5} ${y - 5}l10 10m0 -10l-10 10" />`;
}

const nameTrial = ({ sample, trial }: MatrixTrial): string => `${sample}, trial ${trial}`;

function findMost(played: readonly MatrixTrial[], by: 'ms' | 'usd'): MatrixTrial {
  return played.reduce((most, one) => (one[by] > most[by] ? one : most));
}

function scale(share: number, from: number, to: number): number {
  return Math.round((from + share * (to - from)) * 10) / 10;
}
