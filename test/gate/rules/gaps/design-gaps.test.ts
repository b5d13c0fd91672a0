/** Gaps that a reader would see, in designs with a hole each; `docs/internals/gaps.md` tells how many were shown at first sight. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { listSections, sectionsWithoutRule } from '../../../../src/gate/rules/source-sections.ts';
import { designChecks } from '../../../../src/gate/open-gate.ts';
import { caseChecks, packCases } from '../../../../src/gate/rules/pack-cases.ts';
import type { SourceText } from '../../../../src/gate/rules/find-quote.ts';
import { gapChecks } from '../../../../src/gate/rules/gaps/design-gaps.ts';
import { BusinessRules, FormatSpec } from '../../../../src/scenario/design.ts';
import { briefOf } from '../../../support/designs.ts';
import { readPlantedDesigns } from '../../../support/planted-holes.ts';

const DESIGNS = readPlantedDesigns();
/**
 * Known not to be shown: values that the source names by other stems, a kind that the brief and the policy call by different words,
 * a story that has no word of the policy, a consent that only the brief demands, and a limit whose unit stands before the number, or in
 * another clause.
 */
const HIDDEN = [
  ...[
    'chorraum',
    'climbing-hall',
    'gravestones',
    'kimono-rental',
    'photographer',
    'physio',
    'piano-tuner',
    'pool-care',
  ],
  ...['print-centre', 'tailor'],
];

function listMarks(design: Parameters<typeof gapChecks>[0], sources: Parameters<typeof gapChecks>[1]): string[] {
  return gapChecks(design, sources).flatMap(({ ok, detail }) => (ok ? [] : [detail]));
}

/** What the gate shows beside the checks: a brief that stands alone is a source, whose sections need a rule. */
const listBareSections = ({ rules: { rules } }: Parameters<typeof gapChecks>[0], sources: readonly SourceText[]) =>
  sources.length > 1 ? [] : sectionsWithoutRule(listSections(rules, sources));

test('shows the hole of every design, none of which the table alone shows', () => {
  expect(DESIGNS.length).toBe(93);
  const missed = DESIGNS.filter(
    ({ holed, sources, names }) =>
      ![...listMarks(holed, sources), ...listBareSections(holed, sources)].some((detail) =>
        detail.toLowerCase().includes(names.toLowerCase()),
      ),
  );
  const known = DESIGNS.filter(({ holed }) => caseChecks(packCases(holed.rules, holed.format)).some(({ ok }) => !ok));
  expect(known.map(({ name }) => name)).toEqual([]);
  expect(missed.map(({ name }) => name)).toEqual(HIDDEN);
});

/** Marked although it is sound: its unit stands before the number, in a language whose words for "each" no rule knows. */
const MARKED = ['hausarzt: R1 '];

test('marks nothing in the sound designs but one', () => {
  const marked = DESIGNS.flatMap(({ name, sound, sources }) =>
    [...listMarks(sound, sources), ...listBareSections(sound, sources)].map((detail) => `${name}: ${detail}`),
  );
  expect(marked.filter((mark) => !MARKED.some((known) => mark.startsWith(known)))).toEqual([]);
});

const SHIPPED = ['refund-desk', 'tariff-desk', 'clinic-booking'];

function readShipped(name: string) {
  const folder = new URL(`../../../../scenarios/${name}/`, import.meta.url);
  const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');
  const paths = ['brief.md', ...readdirSync(new URL('policies/', folder)).map((file) => `policies/${file}`)];
  const design = {
    rules: BusinessRules.parse(parse(read('simulation/files/r1/business_rules.yaml'))),
    format: FormatSpec.parse(parse(read('simulation/files/r1/format_spec.yaml'))),
  };
  return { design, sources: paths.map((path) => ({ path, text: read(path) })) };
}

test.for(SHIPPED)('marks nothing in the first design of %s', (name) => {
  const { design, sources } = readShipped(name);
  expect(listMarks(design, sources)).toEqual([]);
});

const TRANSFERS = 'It changes roaming, takes cancellations, and transfers numbers from other networks.';

function listMarksBeside(name: string, said: string): string {
  const { design, sources } = readShipped(name);
  const told = sources.map(({ path, text }) => ({ path, text: path === 'brief.md' ? `${text}\n\n${said}\n` : text }));
  return listMarks(design, told).join(' ').toLowerCase();
}

/** A large design has nearly every word somewhere, so a kind is compared with one rule, value or tool at a time. */
test.for([
  [
    'refund-desk',
    'They want a refund, an exchange, a warranty extension or have lost a gift card.',
    'warranty extension',
  ],
  [
    'clinic-booking',
    'The practice has general practice, dermatology, cardiology, physiotherapy, dentistry.',
    'dentistry',
  ],
] as const)('shows a kind that the brief of %s names, and its large design has nowhere: %s', ([name, said, kind]) => {
  expect(listMarksBeside(name, said)).toContain(kind);
});

test('does not show a kind of five words that no policy tells; it once did, by the word "from" in an unrelated policy', () => {
  expect(listMarksBeside('tariff-desk', TRANSFERS)).toBe('');
});

test('takes the reason of Init for an answer, and still shows it', () => {
  const { holed, sources } = DESIGNS.find(({ name }) => name === 'gym') ?? { holed: undefined, sources: [] };
  if (holed === undefined) throw new Error('the design of the gym is gone');
  const leftOut = [{ what: 'Family memberships', why: 'they are sold from next year on' }];
  expect(gapChecks({ ...holed, leftOut }, sources)).toContainEqual({
    name: 'what the sources list is among the cases',
    ok: true,
    detail: 'Family: left out, because they are sold from next year on',
  });
});

test('is among the checks that Init and the reviewer are shown', () => {
  const brief = briefOf({ min: 1, categories: ['all'] });
  for (const { holed, sources, names } of DESIGNS.filter(({ name }) => !HIDDEN.includes(name))) {
    const failed = designChecks(holed, brief, sources).flatMap(({ ok, detail }) => (ok ? [] : [detail]));
    expect(
      [...failed, ...listBareSections(holed, sources)].some((text) => text.toLowerCase().includes(names.toLowerCase())),
      names,
    ).toBe(true);
  }
});
