/** One list of findings, three faces: terminal, Markdown and HTML of one run and of one evaluation say the same; the page of results is in test/web/evaluations.test.ts. */
import { expect, test } from 'vitest';
import type { Results } from '../../src/scenario/result.ts';
import { renderRunHtml } from '../../src/report/html/run-html.ts';
import { renderIterationMarkdown } from '../../src/report/run/iteration-markdown.ts';
import { renderRunMarkdown } from '../../src/report/run/run-markdown.ts';
import {
  describeAgainst,
  listReportNotes,
  listResultNotes,
  type ReportNote,
} from '../../src/report/run/run-outcome.ts';
import { renderEvaluation, renderStatus } from '../../src/report/run/status.ts';
import { noteList } from '../../src/report/html/note-list.ts';
import { getMarkup, html } from '../../src/report/html/html.ts';
import { failing, results, sample, trial, unscored } from './makers.ts';
import { refundDesk } from './refund-desk.ts';

const doubtful = sample('doubtful', {
  trials: [trial({ trace: 'traces/doubtful.1.jsonl', disputed: [{ by: 'statement', text: 'said more', line: 7 }] })],
});
const share = (caught: number, total: number) => ({ caught, total });
const STRENGTH = {
  version: 1,
  all: share(3, 10),
  mutants: share(1, 4),
  sabotage: share(1, 3),
  fair: share(1, 3),
  rules: {},
  tools: {},
  survivors: [],
  survived: 0,
  findings: [],
  untried: 2,
  unmeasured: [],
};

function makeResults(samples: Results['samples']): Results {
  const words = [{ rule: 'R3', proven: false, why: 'no path says no' }];
  const verification = { ok: true, problems: [], proofs: [], coverage: {}, words, strength: STRENGTH };
  return results(samples, {
    ...{ verification: verification as unknown as Results['verification'], sandboxGaps: ['no limit of memory'] },
    ...{ successRate: 0.9, target: 0.85, interval: [0.6, 0.97] },
  });
}
const CASES = {
  'small, weak, not proven': makeResults([sample('a'), failing('b', 4, {}), doubtful]),
  incomplete: makeResults([sample('a'), unscored]),
};

type Found = { title: string; text: string; items: string[] };
const wanted = (notes: readonly ReportNote[]): Found[] =>
  notes.map(({ title, text, items = [] }) => ({ title, text, items: items.map((item) => item.text) }));

const plain = (text: string) =>
  text
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(
      /&(?:#39|amp|lt|gt|quot);/g,
      (entity) => ({ '&#39;': "'", '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' })[entity] ?? '',
    )
    .replaceAll(/\s+/g, ' ')
    .trim();

function inHtml(page: string): Found[] {
  return [...page.matchAll(/<div class="note [\s\S]*?<\/div>/g)].map(([note]) => ({
    title: plain(/<strong>([\s\S]*?)<\/strong>/.exec(note)?.[1] ?? ''),
    text: plain(/<span>([\s\S]*?)<\/span>/.exec(note)?.[1] ?? ''),
    items: [...note.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item]) =>
      plain(item ?? '').replace(/ \(line \d+\)$/, ''),
    ),
  }));
}

function inMarkdown(page: string): Found[] {
  const lines = page.split('\n').filter((line) => line.startsWith('> '));
  return collect(
    lines.map((line) => line.replaceAll('\\', '').slice(2)),
    /^\*\*([A-Z -]+)\.\*\* (.*)$/,
    /^- (.*) \(\[trace/,
  );
}

const inTerminal = (lines: readonly string[]): Found[] =>
  collect(lines, /^([A-Z][A-Z -]+[A-Z]): (.*)$/, /^(?:- | {2})(.*) \([^ ]*traces\/[^ ]*\)$/);

function collect(lines: readonly string[], note: RegExp, item: RegExp): Found[] {
  const found: Found[] = [];
  for (const line of lines) {
    const [, title, text] = note.exec(line) ?? [];
    if (title !== undefined && text !== undefined) found.push({ title, text, items: [] });
    else found.at(-1)?.items.push(...(item.exec(line)?.slice(1) ?? []));
  }
  return found;
}

test.each(Object.entries(CASES))('a run: %s', (_name, made) => {
  const summary = refundDesk();
  const last = summary.iterations.at(-1);
  if (last === undefined) throw new Error('no iteration');
  const run = { ...summary, iterations: [...summary.iterations.slice(0, -1), { ...last, results: made }] };
  const notes = listReportNotes(run);
  expect(notes.map(({ title }) => title)).toEqual(expect.arrayContaining(['SIMULATED', 'NOT PROVEN', 'WEAK PROOF']));
  const terminal = renderStatus(run, { columns: 2000, color: false });
  const [markdown, page] = [renderRunMarkdown(run), renderRunHtml(run, '')];
  expect(inTerminal(terminal)).toEqual(wanted(notes));
  expect(inMarkdown(markdown)).toEqual(wanted(notes));
  expect(inHtml(page)).toEqual(wanted(notes));
  for (const face of [terminal.join('\n'), markdown, plain(page)]) expect(face).toContain(describeAgainst(notes));
  expect(plain(page)).toContain('Strength of the proof 30 %');
  expect(plain(page)).toContain('2 changes could not be tried in the time');
});

test.each(Object.entries(CASES))('an evaluation: %s', (_name, made) => {
  const notes = listResultNotes(made);
  const terminal = renderEvaluation(
    made,
    { target: 0.85, gate: 'rate' },
    { verdict: 'met', judged: 'met', place: 'there' },
  );
  const markdown = renderIterationMarkdown(made, undefined, { folder: 'there' });
  expect(inTerminal(terminal)).toEqual(wanted(notes));
  expect(inMarkdown(markdown)).toEqual(wanted(notes));
  expect(inHtml(getMarkup(html`${noteList(notes, ({ text }) => html`${text}`)}`))).toEqual(wanted(notes));
  for (const face of [terminal.join('\n'), markdown]) expect(face).toContain(describeAgainst(notes));
});
