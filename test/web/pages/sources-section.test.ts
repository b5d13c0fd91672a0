import { expect, test } from 'vitest';
import { html, getMarkup } from '../../../src/report/html/html.ts';
import { sourcesSection } from '../../../src/web/pages/gate/sources-section.ts';
import { reviewPack } from '../../report/review-pack.ts';

const shown = (sources: NonNullable<ReturnType<typeof reviewPack>['sources']>) =>
  getMarkup(sourcesSection('run-1', reviewPack({ sources })) ?? html``);

test('sections without a rule lead to their lines', () => {
  const sections = [
    { line: 3, title: '1. Time', rules: ['R1'] },
    { line: 9, title: '<b>2. Lost</b>', rules: [] },
  ];
  const page = shown([{ file: 'policies/a b.md', sections }]);
  expect(page).toContain('1 of 2 sections of the sources has no rule.');
  expect(page).toContain('href="/runs/run-1/sources/policies/a%20b.md#L9">&lt;b&gt;2. Lost');
  expect(page).toContain('1 of 2 with a rule');
});

test('packs that did not look, and scenarios without sources, show nothing', () => {
  const { sources: _sources, ...old } = reviewPack();
  expect(sourcesSection('run-1', old)).toBeUndefined();
  expect(sourcesSection('run-1', reviewPack({ sources: [{ file: 'a.md', sections: [] }] }))).toBeUndefined();
});

test('what Init left out stands open, and what became of every other sentence is folded', () => {
  const accounts = [
    { place: '1', text: 'We sell lamps.', by: [], none: 'background' as const },
    { place: '2', text: 'Some want a repair.', by: [], none: 'left_out' as const, why: 'it is done by hand' },
  ];
  const [open = '', folded = ''] = getMarkup(sourcesSection('run-1', reviewPack({ accounts })) ?? html``).split(
    '<details>',
  );
  expect(open).toContain('“Some want a repair.” left out: it is done by hand');
  expect(open).not.toContain('lamps');
  expect(folded).toContain('“We sell lamps.” background');
});
