/** Tests of a promptfoo suite in CSV: a row is a test, a column a variable, and some columns have a meaning of their own. */
import { omitUndefined } from '../../omit-undefined.ts';
import { parseForeignCsv, refuse, type CsvRow } from '../foreign-text.ts';

/** Types of assertions that a cell may begin with; text before any other colon is part of the expected answer. */
const TYPES = new Set(
  [
    'agent-rubric answer-relevance bleu classifier contains contains-all contains-any contains-html contains-json contains-sql contains-xml',
    'context-faithfulness context-recall context-relevance conversation-relevance cost equals factuality finish-reason g-eval gleu guardrails',
    'icontains icontains-all icontains-any is-html is-json is-refusal is-sql is-valid-function-call is-valid-openai-function-call',
    'is-valid-openai-tools-call is-xml javascript latency levenshtein llm-rubric pi meteor model-graded-closedqa model-graded-factuality',
    'moderation perplexity perplexity-score python regex rouge-n ruby similar similar:cosine similar:dot similar:euclidean starts-with',
    'tool-call-f1 skill-used trajectory:goal-success trajectory:tool-args-match trajectory:step-count trajectory:tool-sequence',
    'trajectory:tool-used trace-error-spans trace-span-count trace-span-duration search-rubric webhook word-count',
  ].flatMap((line) => line.split(' ')),
);

/** Prefixes of an `__expected` cell that promptfoo abbreviates. */
const ALIASES: Readonly<Record<string, string>> = { fn: 'javascript', eval: 'javascript', grade: 'llm-rubric' };

export function testsInCsv(text: string, shown: string): { line: number; test: Record<string, unknown> }[] {
  const [head, ...rows] = parseForeignCsv(text, shown);
  if (head === undefined) return [];
  const names = head.cells.map((name) => name.trim());
  return rows.map((row) => ({ line: row.line, test: toTest(names, row, shown) }));
}

function toTest(names: readonly string[], { line, cells }: CsvRow, shown: string): Record<string, unknown> {
  const test: Record<string, unknown> = {};
  const vars: Record<string, unknown> = {};
  const options: Record<string, unknown> = {};
  const metadata: Record<string, unknown> = {};
  const asserts: Record<string, unknown>[] = [];
  const thresholds: [place: number, value: string][] = [];
  for (const [index, name] of names.entries()) {
    const cell = cells[index] ?? '';
    const own =
      /^__(?:(prefix|suffix)|(description|providerOutput)|metadata:(.+)|config:__expected(\d*):threshold)$/.exec(name);
    const [, affix, text, key, place] = own ?? [];
    if (name.startsWith('__expected')) {
      if (cell.trim() !== '') asserts.push(toAssert(cell.trim()));
    } else if (name === '__threshold') Object.assign(test, omitUndefined({ threshold: toNumber(cell) }));
    else if (affix !== undefined) options[affix] = cell;
    else if (text !== undefined) Object.assign(test, cell === '' ? {} : { [text]: cell });
    else if (key !== undefined) Object.assign(metadata, cell.trim() === '' ? {} : { [key]: cell });
    else if (place !== undefined) thresholds.push([Number(place || '1') - 1, cell]);
    else if (name !== '__metric' && name !== '__metadata') vars[name] = cell;
  }
  for (const [place, value] of thresholds) {
    const threshold = toNumber(value);
    if (threshold === undefined) throw refuse(shown, line, 'a threshold in a column __config is no number');
    Object.assign(asserts[place] ?? {}, { threshold });
  }
  const filled = Object.entries({ options, metadata }).filter(([, own]) => Object.keys(own).length > 0);
  return { ...test, vars, assert: asserts, ...Object.fromEntries(filled) };
}

const toNumber = (text: string): number | undefined =>
  text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);

/** `contains: Paris`, `similar(0.8): Paris`, `is-json`; a cell without a type is the exact expected answer. */
function toAssert(cell: string): Record<string, unknown> {
  const script = /^file:\/\/.*\.(?:([cm]?[jt]s)|py)(?::\w+)?$/.exec(cell);
  if (script !== null) return { type: script[1] === undefined ? 'python' : 'javascript', value: cell };
  const short = /^(fn|eval|grade|javascript|python|llm-rubric):([\s\S]*)$/.exec(cell);
  if (short !== null) return { type: ALIASES[short[1] ?? ''] ?? short[1], value: (short[2] ?? '').trim() };
  const found = /^((?:not-)?)([a-z][\w-]*(?::[a-z][\w-]*)?)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?$/.exec(cell);
  const [, not = '', whole = '', threshold, value] = found ?? [];
  // A type may hold a colon itself; otherwise the colon ends it.
  const type = TYPES.has(whole) ? whole : (whole.split(':')[0] ?? '');
  if (!TYPES.has(type)) return { type: 'equals', value: cell };
  const rest = type === whole ? value : cell.slice(not.length + type.length + 1);
  return {
    type: `${not}${type}`,
    ...omitUndefined({ value: rest?.trim(), threshold: threshold === undefined ? undefined : Number(threshold) }),
  };
}
