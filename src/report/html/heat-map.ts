/** Renders rules against samples: which sample tested which rule, and where it failed. */
import type { Results, SampleResult } from '../../scenario/result.ts';
import { failsOnRule } from '../run/failure-causes.ts';
import { html, type Html } from './html.ts';

/** `other`: the sample failed, but no checker of this rule failed it. */
type CellState = 'pass' | 'fail' | 'other' | 'unscored' | 'none';

const CELL_LOOKS: Readonly<Record<CellState, readonly [className: string, sign: string, words: string]>> = {
  pass: ['good', '✓', 'passed'],
  fail: ['bad', '✕', 'failed on this rule'],
  other: ['warn', '·', 'failed, but not on this rule'],
  unscored: ['plain', '?', 'unscored'],
  none: ['none', '–', 'does not test this rule'],
};

/** More columns would be unreadable; the failing samples come first. */
const MAX_COLUMNS = 80;

export function heatMap(results: Results): Html {
  const ordered = [
    ...results.samples.filter(({ outcome }) => outcome !== 'pass'),
    ...results.samples.filter(({ outcome }) => outcome === 'pass'),
  ];
  const samples = ordered.length > MAX_COLUMNS ? ordered.slice(0, MAX_COLUMNS) : results.samples;
  const left = results.samples.length - samples.length;
  const rules = listRules(results);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Rules against samples">
      <table class="heat">
        <thead>
          <tr>
            <th scope="col"><div class="sr">rule</div></th>
            ${samples.map(({ id }) => html`<th scope="col"><span title="${id}">${id}</span></th>`)}
            <th scope="col"><div class="sr">passed</div></th>
          </tr>
        </thead>
        <tbody>
          ${rules.map((rule) => renderRuleRow(rule, samples, results))}
        </tbody>
      </table>
    </div>
    <ul class="legend">
      ${(['pass', 'fail', 'other', 'unscored'] as const).map((cell) => html`<li><span class="pill ${CELL_LOOKS[cell][0]}">${CELL_LOOKS[cell][1]}</span> ${CELL_LOOKS[cell][2]}</li>`)}
    </ul>
    ${left > 0 ? html`<p class="soft small">${left} more samples stand in results.json; the failing ones are shown first.</p>` : undefined}`;
}

function listRules({ byRule, samples }: Results): string[] {
  const rules = new Set([...Object.keys(byRule), ...samples.flatMap(({ covers }) => covers)]);
  return [...rules].sort((one, two) => one.localeCompare(two, 'en', { numeric: true }));
}

function renderRuleRow(rule: string, samples: readonly SampleResult[], results: Results): Html {
  const tally = results.byRule[rule];
  const cells = samples.map((sample) => {
    const [className, sign, words] = CELL_LOOKS[getCellState(rule, sample, results)];
    return html`<td class="${className}" title="${rule} · ${sample.id}: ${words}">${sign}</td>`;
  });
  return html`<tr>
    <th scope="row">${rule}</th>
    ${cells}
    <td class="tally">${tally === undefined ? '' : `${tally.passed}/${tally.total}`}</td>
  </tr>`;
}

function getCellState(rule: string, sample: SampleResult, results: Results): CellState {
  if (!sample.covers.includes(rule)) return 'none';
  if (sample.outcome !== 'fail') return sample.outcome;
  return failsOnRule(rule, sample, results) ? 'fail' : 'other';
}
