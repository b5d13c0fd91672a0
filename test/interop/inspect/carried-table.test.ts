/** The table of docs/import-from.md: each line is what is claimed of logs that are imported here. */
import { expect, test } from 'vitest';
import { importInspect } from '../../../src/interop/inspect/import.ts';
import { parseForeignJson } from '../../../src/interop/foreign-text.ts';
import type { Results } from '../../../src/scenario/result.ts';
import { expectTable } from '../page-table.ts';

/** `scores`: the JSON of the scores of a sample, and the verdicts that come of it. */
type Row = { there: string; here: string; scores: Readonly<Record<string, string>>; gap?: string; rest?: string };

const score = (value: string, name = 's'): string => `{"${name}": {"value": ${value}}}`;

const ROWS: readonly Row[] = [
  {
    there: 'C, I, true, false, yes, no',
    here: 'pass or fail',
    scores: {
      ...{ [score('"C"')]: 's pass', [score('"I"')]: 's fail', [score('true')]: 's pass', [score('false')]: 's fail' },
      ...{ [score('"yes"')]: 's pass', [score('"no"')]: 's fail' },
    },
  },
  {
    there: 'numbers from 1 on, and texts of them',
    here: 'pass, with a number as the score; a gap counts those above 1',
    scores: { [score('1')]: 's pass 1', [score('"1.0"')]: 's pass', [score('7.5')]: 's pass 7.5' },
    gap: '1 scores of s are neither 0 nor 1',
  },
  {
    there: 'P, numbers between 0 and 1, and texts of them',
    here: 'fail, with the number as the score; a gap counts them',
    scores: {
      ...{ [score('0.5')]: 's fail 0.5', [score('"P"')]: 's fail 0.5', [score('0')]: 's fail 0' },
      [score('"0.75"')]: 's fail 0.75',
    },
    gap: '3 scores of s are neither 0 nor 1',
  },
  {
    there: 'a scorer with several values',
    here: 'a verdict for each, such as `scorer.accuracy`',
    scores: {
      [score('{"accuracy": 1, "tone": "I"}')]: 's.accuracy pass 1, s.tone fail',
      [score('[1, "C"]')]: 's.1 pass 1, s.2 pass',
    },
  },
  {
    there: 'several scorers',
    here: 'a verdict for each, of which all must pass; `--scorer` names the only one that counts',
    scores: { '{"a": {"value": "C"}, "b": {"value": "I"}}': 'a pass, b fail' },
  },
  {
    there: 'NaN, null, other texts, no score',
    here: 'unscored; a gap counts them',
    scores: { [score('NaN')]: '', [score('null')]: '', [score('"maybe"')]: '', '{}': '' },
    gap: '4 runs have no usable score',
  },
  {
    there: 'such a value beside others that are scores',
    here: 'the others decide; a gap counts the runs',
    scores: { '{"a": {"value": {"x": 1, "y": "maybe"}}, "b": {"value": null}}': 'a.x pass 1' },
    gap: '1 runs have values that are no score',
  },
  {
    there: 'Infinity',
    here: 'pass, without a number',
    scores: { [score('Infinity')]: 's pass', [score('-Infinity')]: 's fail' },
  },
  {
    there: 'a sample with an error; a log that did not end',
    here: 'unscored; the status of the log is a gap',
    scores: { [`${score('"C"')}, "error": {"message": "gone"}`]: '' },
    rest: '"status": "error"',
    gap: 'ended with status "error"',
  },
  {
    there: 'epochs',
    here: 'trials of one sample',
    scores: { [`${score('"C"')}, "id": "same"`]: 's pass', [`${score('"I"')}, "id": "same", "epoch": 2`]: 's fail' },
  },
];

function importLog({ scores, rest = '"status": "success"' }: Row) {
  const samples = Object.keys(scores).map((own, index) => `{"id": "n${index}", "scores": ${own}}`);
  const log = `\uFEFF{"version": 2, ${rest}, "eval": {"task": "t"}, "samples": [${samples.join(',')}]}`;
  const { files, gaps } = importInspect(parseForeignJson(log, 'log.json'), 'log.json');
  const found = files.find(({ path }) => path === 'results.json');
  return { results: JSON.parse(found?.content ?? '') as Results, gaps: gaps.join('\n') };
}

test.each(ROWS)('$there: $here', (row) => {
  const { results, gaps } = importLog(row);
  const trials = results.samples.flatMap((sample) => sample.trials);
  const shown = trials.map(({ verdicts }) =>
    verdicts
      .map(({ checker, pass, score: own }) => `${checker} ${pass ? 'pass' : 'fail'} ${own ?? ''}`.trim())
      .join(', '),
  );
  expect(shown).toEqual(Object.values(row.scores));
  expect(trials.map(({ outcome }) => outcome)).toEqual(
    Object.values(row.scores).map((text) => (text === '' ? 'unscored' : /fail/.test(text) ? 'fail' : 'pass')),
  );
  expect(gaps).toContain(row.gap ?? '');
});

test('the table of the page is made of these lines', () => {
  expectTable('Inspect', ROWS);
});

test('an id and epoch that are there twice: the first one counts, and a gap names the other', () => {
  const sample = (value: string) => ({ id: 'a', epoch: 1, scores: { s: { value } } });
  const log = { version: 2, status: 'success', eval: { task: 't', model: null }, samples: [sample('C'), sample('I')] };
  const { files, gaps } = importInspect(log, 'log.json');
  expect(files.map(({ path }) => path)).toEqual(['results.json', 'traces/a.1.jsonl']);
  expect(gaps).toContain('log.json#samples/1 was left out: its id and epoch are there twice');
});
