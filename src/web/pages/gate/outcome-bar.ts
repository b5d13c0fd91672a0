/** The outcome of the newest iteration as one bar: the passed part, and the failed parts by layer. */
import { formatCount } from '../../../report/text/number-format.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { listFailedLayers } from '../../../report/run/layers.ts';
import type { LayerCounts } from '../../../scenario/result.ts';

export type OutcomeBarInput = {
  iteration: number;
  passed: number;
  total: number;
  layers: LayerCounts;
};

const [WIDTH, HEIGHT, GAP] = [640, 14, 2];

/** Returns undefined when nothing was scored. */
export function outcomeBar({ iteration, passed, total, layers }: OutcomeBarInput): Html | undefined {
  if (total === 0) return undefined;
  const failed = listFailedLayers(layers).map(({ key, name, failed: of }) => ({ key, name, of }));
  const words = [`${passed} passed`, ...failed.map(({ name, of }) => `${of} failed by ${name}`)];
  let x = 0;
  const part = (mark: string, of: number): Html => {
    const width = (of / total) * WIDTH;
    const box = html`<rect
      class="${mark}"
      x="${roundToTenth(x)}"
      y="0"
      width="${roundToTenth(Math.max(1, width - GAP))}"
      height="${HEIGHT}"
      rx="3"
    />`;
    x += width;
    return box;
  };
  return html`<figure class="outcome">
    <svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="Iteration ${iteration}, ${formatCount(total, 'sample')}: ${words.join(', ')}"
    >
      ${passed === 0 ? undefined : part('passed', passed)}${failed.map(({ key, of }) => part(`l${key}`, of))}
    </svg>
    <figcaption>
      iteration ${iteration}: <span class="key passed">${passed} passed</span>
      ${failed.map(({ key, name, of }) => html`<span class="key l${key}-key">${of} failed by ${name}</span>`)}
    </figcaption>
  </figure>`;
}

const roundToTenth = (value: number): number => Math.round(value * 10) / 10;
