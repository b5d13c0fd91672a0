/** The look of an outcome, and of a table cell: its colour, its sign, and the text for readers who see neither. */
import { formatCount } from '../../../report/text/number-format.ts';
import { LAYERS } from '../../../report/run/layers.ts';
import { isFlaky, type MatrixCell } from '../../read/results/matrix.ts';
import type { Outcome } from '../../../scenario/result.ts';

export function describeCell(cell: MatrixCell): readonly [tone: string, sign: string, words: string] {
  const { outcome, layer, loss, passed, trials, disputed } = cell;
  const doubt = disputed === true ? ', and the verdict is in doubt' : '';
  const tally = `${trials > 1 ? `, ${passed} of ${formatCount(trials, 'trial')} passed` : ''}${doubt}`;
  const flaky = isFlaky(cell) ? '~' : '';
  if (outcome === 'pass') return disputed === true ? ['warn', '✓?', `passed${tally}`] : ['good', '✓', `passed${tally}`];
  if (outcome === 'unscored') return ['plain', '?', `unscored${loss === undefined ? '' : `: ${loss}`}${tally}`];
  const name = nameLayer(layer);
  const by = layer === undefined ? '' : `, cause: ${name} (layer ${layer})`;
  return ['bad', `${flaky}${name}${disputed === true ? '?' : ''}`, `failed${by}${tally}`];
}

/** Names the cause of a failure in a word; `failed` where nobody knows it yet. */
export function nameLayer(layer: string | undefined): string {
  return LAYERS.find(({ key }) => key === layer)?.name ?? (layer === undefined ? 'failed' : 'sample or subject');
}

export function outcomeTone(outcome: Outcome): 'good' | 'bad' | 'plain' {
  return outcome === 'pass' ? 'good' : outcome === 'fail' ? 'bad' : 'plain';
}
