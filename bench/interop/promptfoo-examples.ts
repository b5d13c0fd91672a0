/** Imports every suite of promptfoo's public examples, and writes what came of it into docs/internals/interop.md. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSuiteFolder } from '../../src/cli/interop/import.ts';
import { parseYaml } from '../../src/config/yaml-file.ts';
import { describeError } from '../../src/errors.ts';
import { importPromptfoo } from '../../src/interop/promptfoo/import-suite.ts';
import { promptfooConfig } from '../../src/interop/promptfoo/shapes.ts';

const DOC = 'docs/internals/interop.md';
const [BEGIN, END] = ['<!-- promptfoo:begin -->', '<!-- promptfoo:end -->'];
const SUITE = /^(prompts|providers|targets|tests|scenarios|redteam):/m;
const MOST_TYPES = 14;

type Outcome = { file: string; gaps: string[] } | { file: string; refused: string };

/** What no import of a suite of texts can carry over: the first kind that fits a suite counts it. */
const NOT_IMPORTABLE: readonly [kind: string, shape: RegExp][] = [
  [
    'tests or verdicts that models of promptfoo make (red teams, generated tests)',
    /promptfoo:redteam:|it has no tests/,
  ],
  ['tests from a script, an address, a data set, or a file that is not there', /expected a (?:list of tests|test);/],
  ['an image, audio, a PDF or a program as a variable', /a variable is a file that is no text/],
  [
    'a metric of a model of its own, or one that compares several answers',
    /\((?:not-)?(?:moderation|classifier|context-\w+|answer-relevance|conversation-relevance|select-best|max-score)\)/,
  ],
  ['calls, traces or the reason of an end instead of text', /\((?:is-valid-[\w-]+-call|trace-[\w-]+|finish-reason)\)/],
  ['a type of assertion that promptfoo does not have', /\((?:not-empty|m(?:ax|in)-length|json-schema-valid)\)/],
  ['an answer of one test in another', /storeOutputAs|USES_CONVERSATION/],
  ['a package of Python', /its code imports/],
];

function findKind(outcome: Outcome): string | undefined {
  const text = 'gaps' in outcome ? outcome.gaps.join('\n') : outcome.refused;
  return text === '' ? undefined : NOT_IMPORTABLE.find(([, shape]) => shape.test(text))?.[0];
}

function tryOut(folder: string, file: string): Outcome[] {
  const text = readFileSync(join(folder, file), 'utf8');
  if (!SUITE.test(text)) return [];
  try {
    const schema = promptfooConfig(openSuiteFolder(dirname(join(folder, file))));
    const { gaps } = importPromptfoo(parseYaml(text, schema, 's.yaml'), 's.yaml');
    const own = gaps.filter((gap) => gap.startsWith('s.yaml'));
    // A conversation is a gap of the template, which does not name it.
    const isTold =
      own.some((gap) => gap.includes('template code')) && readBeside(folder, file).includes('_conversation');
    return [{ file, gaps: isTold ? [...own, 'USES_CONVERSATION'] : own }];
  } catch (error) {
    return [{ file, refused: describeError(error) }];
  }
}

function readBeside(folder: string, file: string): string {
  const names = globSync('*.{yaml,yml,json,txt}', { cwd: join(folder, dirname(file)) });
  return names.map((name) => readFileSync(join(folder, dirname(file), name), 'utf8')).join('\n');
}

/** A gap without what is particular to its suite. */
function kindOf(gap: string): string {
  return gap
    .replace(/^s\.yaml: test "[\s\S]*?": /, '')
    .replace(/^assertion \d+ \([^)]*\): /, 'assertion: ')
    .replace(/the file \S+?:? /, 'a file ')
    .replace(/file:\/\/\S+/, 'a file')
    .replace(/threshold [\d.]+/, 'threshold')
    .replace(/\d+ (prompts|tests)/, 'several $1')
    .replace(/; the first.*/, '');
}

function reasonOf(message: string): string {
  const [first = ''] = message.split('\n');
  return first
    .replace(/^.*?s\.yaml:(?:\d+:)? ?/, '')
    .replace(/^tests\.\d+/, 'tests')
    .replace(/^tests: /, '');
}

function tally(items: readonly string[]): [string, number][] {
  return [...Map.groupBy(items, (one) => one)]
    .map(([key, own]): [string, number] => [key, own.length])
    .toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function render(outcomes: readonly Outcome[]): string {
  const read = outcomes.flatMap((one) => ('gaps' in one ? [one] : []));
  const refused = outcomes.flatMap((one) => ('refused' in one ? [one] : []));
  const whole = read.filter(({ gaps }) => gaps.length === 0).length;
  const kinds = tally(
    read.flatMap(({ gaps }) => [...new Set(gaps.filter((gap) => gap.startsWith('s.yaml')).map(kindOf))]),
  );
  const barred = tally(outcomes.flatMap((one) => findKind(one) ?? []));
  const importable = outcomes.length - barred.reduce((sum, [, count]) => sum + count, 0);
  const lost = read.flatMap(({ gaps }) => [
    ...new Set(
      gaps
        .flatMap((gap) => /assertion \d+ \(([^)]*)\): it cannot be checked/.exec(gap)?.[1] ?? [])
        .map((type) => (type.startsWith('promptfoo:redteam') ? 'promptfoo:redteam:*' : type)),
    ),
  ]);
  const types = tally(lost);
  const row = ([key, count]: [string, number]) => `| ${key.replaceAll('|', '\\|')} | ${count} |`;
  return [
    `| of ${outcomes.length} suites | |\n|---|---|`,
    `| imported whole | ${whole} |\n| imported, with named gaps | ${read.length - whole} |\n| refused with a reason | ${refused.length} |`,
    `\n${whole} of the ${importable} importable suites are whole (${Math.round((100 * whole) / importable)} %). Not importable are suites that need`,
    `\n| what no import can bring | suites |\n|---|---|\n${barred.map(row).join('\n')}`,
    `\n| why refused | suites |\n|---|---|\n${tally(refused.map((one) => reasonOf(one.refused)))
      .map(row)
      .join('\n')}`,
    `\n| kind of gap | suites |\n|---|---|\n${kinds.map(row).join('\n')}`,
    `\nAssertions that were left out, by suites: ${types
      .slice(0, MOST_TYPES)
      .map(([type, count]) => `\`${type}\` ${count}`)
      .join(', ')}${types.length > MOST_TYPES ? `, and ${types.length - MOST_TYPES} more` : ''}.`,
  ].join('\n');
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder: npx node bench/interop/promptfoo-examples.ts <examples>');
const files = globSync('**/*.{yaml,yml}', { cwd: folder }).toSorted();
const outcomes = files.flatMap((file) => tryOut(folder, file));
const page = readFileSync(DOC, 'utf8');
const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
writeFileSync(DOC, `${page.slice(0, from)}\n${render(outcomes)}\n${page.slice(to)}`);
for (const one of outcomes)
  if ('gaps' in one && one.gaps.length > 0 && findKind(one) === undefined) console.log(`${one.file}: ${one.gaps[0]}`);
for (const one of outcomes) if ('refused' in one) console.log(`${one.file}: ${reasonOf(one.refused)}`);
