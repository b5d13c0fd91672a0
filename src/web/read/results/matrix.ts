/** The results of a run as a table, with a row per sample and a cell per iteration, and the filters on it. */
import type { MetricReport } from '../../../scenario/metric.ts';
import type { ReportNote } from '../../../report/run/run-outcome.ts';
import type { Outcome } from '../../../scenario/result.ts';

export type MatrixCell = {
  outcome: Outcome;
  /** The layer of a failure: `1`, `2`, `3`, `4a`, `4b`, or `4` where results do not say which. */
  layer?: string;
  /** Why it is unscored, in a few words. */
  loss?: string;
  /** Number of judged trials that passed. */
  passed: number;
  trials: number;
  /** Set when the outcome rests on a doubtful verdict. */
  disputed?: true;
  /** Checkers and graders that rejected one of the trials, including `expect`. */
  rejectedBy: readonly string[];
  /** One cell for each trial, where there are several. */
  each?: readonly (MatrixCell & { trial: number })[];
};

/** The name of the column of an evaluation of one subject. */
export const ONLY_COLUMN = 'result';

/** The time and the money that one trial took. */
export type MatrixTrial = { sample: string; trial: number; outcome: Outcome; ms: number; usd: number };

export type Column = {
  iteration: number;
  /** The name at the column's head. */
  short: string;
  round: number;
  outputDir: string;
  rate: number;
  passed: number;
  total: number;
  /** Whether the target is met, as a sentence. */
  verdict: string;
  usd: number;
  /** The passed samples with every doubtful verdict against the subject, and for it. */
  passedRange?: { low: number; high: number };
  /** What speaks against the rate. */
  notes: readonly ReportNote[];
  /** Metrics of the column's checkers and graders. */
  metrics: readonly MetricReport[];
  played: readonly MatrixTrial[];
};

export type Row = {
  id: string;
  title: string;
  category: string;
  rules: readonly string[];
  /** In the order of the columns; undefined where the iteration has no such sample. */
  cells: readonly (MatrixCell | undefined)[];
};

/** `hasGraders`: a model gave some verdict. `side`: columns are subjects, and none is newer than another. */
export type Matrix = { columns: readonly Column[]; rows: readonly Row[]; hasGraders: boolean; side?: true };

const SHOWS = ['failing', 'flaky', 'changed', 'unscored'] as const;
export type ShowOption = (typeof SHOWS)[number];
/** The filter in the address of a page; unknown words are ignored. */
export type Filter = {
  show?: ShowOption;
  rule?: string;
  category?: string;
  layer?: string;
  checker?: string;
  /** Part of an id or a title. */
  find?: string;
  /** The number of the column whose trials are shown separately. */
  trials?: string;
};
const KEYS = ['show', 'rule', 'category', 'layer', 'checker', 'find', 'trials'] as const;
const MOST_CHARS = 100;

export function parseFilter(query: (name: string) => string | undefined): Filter {
  const given = KEYS.flatMap((key): [string, string][] => {
    const text = (query(key) ?? '').trim().slice(0, MOST_CHARS);
    const known = key !== 'show' || SHOWS.some((show) => show === text);
    return text === '' || !known ? [] : [[key, text]];
  });
  return Object.fromEntries(given);
}

/** For example `?show=failing&rule=R7`; empty without a filter. */
export function formatFilterQuery(filter: Filter, page = 1): string {
  // Names that agents give to rules and checkers may contain text that an address cannot hold.
  const given = KEYS.flatMap((key) => {
    const value = filter[key];
    return value === undefined ? [] : [`${key}=${encodeURIComponent(value.toWellFormed())}`];
  });
  const all = page === 1 ? given : [...given, `page=${page}`];
  return all.length === 0 ? '' : `?${all.join('&')}`;
}

/** Returns the column whose trials are shown separately, if the filter names one with several trials. */
export function trialColumn({ columns, rows }: Matrix, { trials }: Filter): Column | undefined {
  const index = columns.findIndex(({ iteration }) => String(iteration) === trials);
  return rows.some(({ cells }) => cells[index]?.each !== undefined) ? columns[index] : undefined;
}

/** Returns the same results as if this were the only column. */
export function columnAlone({ columns, rows, hasGraders }: Matrix, column: Column): Matrix {
  const index = columns.indexOf(column);
  const own = rows.flatMap((row) => (row.cells[index] === undefined ? [] : [{ ...row, cells: [row.cells[index]] }]));
  return { columns: [column], rows: own, hasGraders };
}

/** Failures come first, then unscored and flaky samples; within each group the order of the samples is kept. */
export function selectRows(matrix: Matrix, filter: Filter): Row[] {
  const left = matrix.rows.filter((row) => isSelected(row, matrix, filter));
  return left.toSorted((one, other) => rankRow(one, matrix) - rankRow(other, matrix));
}

function rankRow(row: Row, matrix: Matrix): number {
  const outcomes = shownCells(row, matrix).map(({ outcome }) => outcome);
  if (outcomes.includes('fail')) return 0;
  if (outcomes.includes('unscored')) return 1;
  return isFlakyRow(row) ? 2 : 3;
}

/** Returns the cells that stand for a row: its newest iteration, or every subject. */
export function shownCells(row: Row, { side }: Pick<Matrix, 'side'>): MatrixCell[] {
  return side === true ? row.cells.filter((cell) => cell !== undefined) : [newestCell(row) ?? []].flat();
}

function isSelected(row: Row, matrix: Matrix, { show, rule, category, layer, checker, find }: Filter): boolean {
  const cells = shownCells(row, matrix);
  return (
    (show === undefined || isShown(row, matrix, show)) &&
    (rule === undefined || row.rules.includes(rule)) &&
    (category === undefined || row.category === category) &&
    (layer === undefined || cells.some((cell) => cell.layer === layer)) &&
    (checker === undefined || cells.some(({ rejectedBy }) => rejectedBy.includes(checker))) &&
    (find === undefined || `${row.id}\n${row.title}`.toLowerCase().includes(find.toLowerCase()))
  );
}

function isShown(row: Row, matrix: Matrix, show: ShowOption): boolean {
  if (show === 'flaky') return isFlakyRow(row);
  const cells = shownCells(row, matrix);
  if (show === 'failing') return cells.some(({ outcome }) => outcome === 'fail');
  if (show === 'unscored') return cells.some(({ outcome }) => outcome === 'unscored');
  if (matrix.side === true) return new Set(cells.map(({ passed, trials }) => passed / trials)).size > 1;
  const [before, now] = row.cells.slice(-2);
  return row.cells.length > 1 && before?.outcome !== now?.outcome;
}

/** Returns the cell of the last iteration that has the sample. */
export function newestCell({ cells }: Row): MatrixCell | undefined {
  return cells.findLast((cell) => cell !== undefined);
}

/** Flaky means that a sample passes in one trial and fails in another of the same iteration. */
export function isFlaky({ passed, trials }: MatrixCell): boolean {
  return passed > 0 && passed < trials;
}

function isFlakyRow({ cells }: Row): boolean {
  return cells.some((cell) => cell !== undefined && isFlaky(cell));
}

export type Choice = { value: string; samples: number };
export type Choices = Readonly<Record<'rule' | 'category' | 'layer' | 'checker', readonly Choice[]>>;

/** Returns the possible filter values, each with the number of samples that it leaves. */
export function listChoices(matrix: Matrix): Choices {
  const count = (valuesOf: (row: Row) => readonly string[]): Choice[] => {
    const values = matrix.rows.flatMap((row) => [...new Set(valuesOf(row))]);
    return [...Map.groupBy(values, (value) => value)]
      .map(([value, { length: samples }]) => ({ value, samples }))
      .sort((one, other) => one.value.localeCompare(other.value, 'en', { numeric: true }));
  };
  return {
    rule: count(({ rules }) => rules),
    category: count(({ category }) => [category]),
    layer: count((row) => shownCells(row, matrix).flatMap((cell) => cell.layer ?? [])),
    checker: count((row) => shownCells(row, matrix).flatMap(({ rejectedBy }) => rejectedBy)),
  };
}

export type Neighbours = { previous: string | undefined; next: string | undefined; at: number; of: number };

/** Returns the samples before and after this one, among the iteration's samples that match the filter. */
export function findNeighbours(matrix: Matrix, filter: Filter, at: { iteration: number; sample: string }): Neighbours {
  const column = matrix.columns.findIndex(({ iteration }) => iteration === at.iteration);
  const ids = selectRows(matrix, filter).flatMap(({ id, cells }) => (cells[column] === undefined ? [] : [id]));
  const place = ids.indexOf(at.sample);
  if (place < 0) return { previous: undefined, next: ids[0], at: 0, of: ids.length };
  return { previous: ids[place - 1], next: ids[place + 1], at: place + 1, of: ids.length };
}
