/** The tables of a batch: results by scenario, waiting gates, results by run, failures by layer. */
import { formatPercent } from '../../scenario/percent.ts';
import { countFailed, layerColumns } from '../run/layers.ts';
import { getStatusTone } from '../run/run-outcome.ts';
import type { TableCell, ReportTable } from '../text/markdown.ts';
import { formatDuration, intervalText, paidCell, shortDigest } from '../text/number-format.ts';
import { formatRowStatus, type BatchGroup, type BatchRow } from './summary.ts';

const rangeText = ({ low, high }: { low: number; high: number }): string =>
  `${formatPercent(low)} to ${formatPercent(high)}`;
const rateCell = (rate: number): TableCell => ({ strong: formatPercent(rate) });

export function groupsTable(groups: readonly BatchGroup[]): ReportTable {
  return {
    label: 'By scenario',
    head: ['scenario', 'runs', 'met', '95 % interval', 'mean rate', '95 % interval', 'lowest to highest', 'cost'],
    rows: groups.map(({ mean, ...one }) => [
      ...[{ text: one.scenario }, one.runs, `${one.met} of ${one.judged}`],
      one.judged === 0 ? '' : intervalText(one.metInterval),
      ...(mean === undefined ? ['', '', ''] : [rateCell(mean.value), intervalText(mean.interval), rangeText(mean)]),
      paidCell(one),
    ]),
  };
}

export function gatesTable(rows: readonly BatchRow[]): ReportTable {
  return {
    label: 'Gates',
    head: ['run', 'gate', 'design', 'since'],
    rows: rows.flatMap(({ run, gate }) =>
      gate === undefined ? [] : [[{ code: run }, gate.id, { code: shortDigest(gate.digest) }, gate.openedAt]],
    ),
  };
}

export function runsTable(rows: readonly BatchRow[]): ReportTable {
  return {
    label: 'Runs',
    head: [
      ...['run', 'scenario', 'state', 'round', 'iteration', 'rate', '95 % interval', 'passed'],
      ...['cost', 'time', 'why'],
    ],
    rows: rows.map((one) => [
      ['not_started', 'unreadable', 'newer'].includes(one.status)
        ? { code: one.run }
        : { link: one.run, path: `../../${one.folder}/out/report.html` },
      ...[{ text: one.scenario }, { pill: formatRowStatus(one), tone: getStatusTone(one.status) }],
      ...[one.round === 0 ? '' : `r${one.round}`, one.iteration === 0 ? '' : one.iteration],
      ...(one.rate === undefined
        ? ['', '', '']
        : [rateCell(one.rate.value), intervalText(one.rate.interval), passedText(one.rate)]),
      ...[paidCell(one), formatDuration(one.durationMs), { text: describeWhy(one) }],
    ]),
  };
}

function describeWhy({ why, against }: BatchRow): string {
  return against === undefined ? why : `${why} ${against}.`;
}

function passedText({ passed, total, unscored }: NonNullable<BatchRow['rate']>): string {
  return `${passed} of ${total}${unscored > 0 ? `, ${unscored} unscored` : ''}`;
}

export function layersTable(groups: readonly BatchGroup[]): ReportTable {
  const columns = layerColumns(groups.map((one) => one.layers));
  return {
    label: 'Layers',
    head: ['scenario', ...columns.map(({ key, name }) => `${key} ${name}`)],
    rows: groups.map((one) => [{ text: one.scenario }, ...columns.map(({ key }) => countFailed(one.layers, key))]),
  };
}
