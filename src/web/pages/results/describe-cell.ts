/** The look of a table cell: its colour, its sign, and the text for readers who see neither. */
import { formatCount } from '../../../report/text/number-format.ts';
import { LAYERS } from '../../../report/run/layers.ts';
import { isFlaky, type Cell } from '../../read/results/matrix.ts';

export function describeCell(cell: Cell): readonly [tone: string, sign: string, words: string] {
  const { outcome, layer, passed, trials } = cell;
  const tally = trials > 1 ? `, ${passed} of ${formatCount(trials, 'trial')} passed` : '';
  const flaky = isFlaky(cell) ? '~' : '';
  if (outcome === 'pass') return ['good', '✓', `passed${tally}`];
  if (outcome === 'unscored') return ['plain', '?', `unscored${tally}`];
  const name = LAYERS.find(({ key }) => key === layer)?.name;
  const by = layer === undefined ? '' : `, layer ${layer}${name === undefined ? '' : ` ${name}`}`;
  return ['bad', `${flaky}${layer ?? '✕'}`, `failed${by}${tally}`];
}
