/** Each number with its name, its target and whether it is met; and all of them as a table. */
import type { Numbers } from './measure.ts';

/** `most` holds for the number itself, `ratio` for now against the baseline. */
type Target = { most: number } | { ratio: number };
type Metric = { key: string; what: string; unit?: string; target?: Target };

const METRICS: readonly Metric[] = [
  { key: 'journalReads', what: 'a run: reads of the whole journal', target: { most: 1 } },
  { key: 'eventReads', what: 'a run: reads of a file per event', target: { most: 1 } },
  { key: 'checks', what: 'a run: chain checks of the event that had most', target: { most: 1 } },
  { key: 'folds', what: 'a run: folds of the journal' },
  { key: 'folded', what: 'a run: events folded' },
  { key: 'walks', what: 'a run: walks over all scenarios' },
  { key: 'lists', what: 'a run: listings of a folder' },
  { key: 'projections', what: 'a compaction: projections', target: { most: 2 } },
  { key: 'facts', what: 'a compaction: carried facts collected' },
  { key: 'ledgers', what: 'a compaction: ledgers of tool calls built' },
  { key: 'spending', what: 'a model call: steps of the spending ledger' },
  { key: 'spendingGrowth', what: 'the same, whole run ÷ first design', target: { most: 1.5 } },
  { key: 'spendingCopied', what: 'a model call: elements that the spending ledger copies' },
  { key: 'pageReads', what: 'an approval on the page: reads of the whole journal', target: { most: 2 } },
  { key: 'pageWalks', what: 'an approval on the page: walks over all scenarios' },
  { key: 'terminalReads', what: 'an approval on the terminal: reads of the whole journal', target: { most: 2 } },
  { key: 'files', what: 'a run: source files executed', target: { most: 350 } },
  { key: 'allFiles', what: 'source files in all' },
  { key: 'functions', what: 'a run: functions executed' },
  { key: 'cpu', what: 'a run: processor time, no simulator, no sandbox', unit: ' ms', target: { ratio: 0.7 } },
  {
    key: 'cpuSameWork',
    what: 'the same, without strength of proofs, second judgements and recorded calls, which the baseline does not have',
    unit: ' ms',
    target: { ratio: 0.7 },
  },
];

export type Row = ReturnType<typeof rowsOf>[number];

export function rowsOf(baseline: Numbers, now: Numbers) {
  return METRICS.map(({ key, what, unit = '', target }) => {
    const [before, after] = [finite(baseline[key]), finite(now[key])];
    const ratio = before === undefined || after === undefined || before === 0 ? undefined : after / before;
    return { what, baseline: before, now: after, ratio, ...judged(target, after, ratio), unit };
  });
}

/** What could not be counted has met nothing. */
function judged(target: Target | undefined, now: number | undefined, ratio: number | undefined) {
  if (target === undefined) return { target: '', met: undefined };
  if ('most' in target) return { target: `≤ ${target.most}`, met: now !== undefined && now <= target.most };
  return { target: `≤ ${target.ratio} × baseline`, met: ratio !== undefined && ratio <= target.ratio };
}

const finite = (value: number | undefined) => (Number.isFinite(value) ? value : undefined);

export function tableOf(rows: readonly Row[]): string {
  const shown = (value: number | undefined, unit = '') =>
    value === undefined ? '?' : `${Number(value.toFixed(value < 100 ? 2 : 0))}${unit}`;
  const verdict = (met: boolean | undefined) => (met === undefined ? '' : met ? 'met' : '**missed**');
  const lines = rows.map(
    ({ what, baseline, now, ratio, target, met, unit }) =>
      `| ${what} | ${shown(baseline, unit)} | ${shown(now, unit)} | ${ratio === undefined ? '' : shown(ratio)} | ${target} | ${verdict(met)} |`,
  );
  return ['| what | baseline | now | ratio | target | |', '|---|--:|--:|--:|---|---|', ...lines].join('\n');
}
