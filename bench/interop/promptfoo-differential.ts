/** Judges generated answers with promptfoo itself and with the imported checker, and counts where they differ. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseYaml } from '../../src/config/yaml-file.ts';
import { importPromptfoo } from '../../src/interop/promptfoo/import-suite.ts';
import { promptfooConfig } from '../../src/interop/promptfoo/shapes.ts';

type Assertion = Record<string, unknown>;
type Judge = (id: string, answer: string) => boolean;
type Promptfoo = {
  default: {
    assertions: {
      runAssertions: (input: object) => Promise<{ pass: boolean }>;
    };
  };
};

const WORDS = [
  'Paris',
  'paris',
  'sorry',
  'a',
  'b',
  'x y',
  '"q"',
  '42',
  '',
  '{"a":1}',
  'null',
  'true',
  '[1]',
  'o(',
  'a,b',
];
const ANSWERS = [
  ...WORDS,
  ...[
    'Sorry…',
    'Paris, a and b',
    '{"b":[1,2],"a":"x"}',
    '{"a":"x","b":[1,2]}',
    'so: {"a":1} and {"b":{"c":2}}.',
    '[{"a":1},{"b":2}]',
  ],
  ...[
    "here {a: 1, 'b': [1, 2,],} ok",
    '{"a":1,}',
    '{"a": {"b": 1}',
    '{name}',
    '{a:1}',
    '{ "a": "}" }',
    '{"total":42}',
    '```json\n{"a": 1}\n```',
  ],
  ...[
    '{a: b: c}',
    '{"a":1 // why\n}',
    '{"items":[{"sku":"A"}]}',
    '{"items":[]}',
    'x'.repeat(30),
    '-1',
    '0',
    '0.5',
    'say "a,b" now',
  ],
];
const PLAIN = ['equals', 'contains', 'icontains', 'starts-with', 'regex'];
const LISTS = ['contains-any', 'contains-all', 'icontains-any', 'icontains-all'];
const VALUES: unknown[] = [...WORDS, '^P', '[', 'x*', 42, true, null, { a: 1 }, { b: [1, 2], a: 'x' }, [1], '{"a":1}'];
const LIST_VALUES: unknown[] = [
  ['a', 'b'],
  ['Paris'],
  [42, 'x'],
  'a, b',
  '"a,b", Paris',
  '"say ""q""", a',
  '"a',
  '',
  'a,,b',
  [],
  '"a"b',
];
const SCHEMAS: unknown[] = [
  undefined,
  { type: 'object' },
  { required: ['a'] },
  { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  'required: [b]',
  '',
];
const CODE = [
  ...[
    'output === "Paris"',
    'output.length > 3',
    'output.length / 10',
    'JSON.parse(output).total === 42',
    'JSON.parse(output).items[0].sku === "A"',
  ],
  ...[
    'output',
    'undefined',
    '({ pass: true, score: 1, reason: "r" })',
    '({ pass: true, score: 1 })',
    '({ pass: output === "a", score: 0.5, reason: "r" })',
  ],
  ...[
    'const n = output.length; n > 3',
    'const s = output; s === "a;b"',
    'let o = JSON.parse(output); o.a === 1;',
    'NaN',
    'null',
    'output.a.b',
  ],
  ...[
    'return output.length > 3',
    '(output) => output.length > 3',
    'const n = output.length;\nreturn n > 3',
    'output.length > 3 &&\n  output.length < 9',
    'context.vars.n > 3',
    'if (output) { true }',
  ],
];
const TRANSFORMS = [
  ...Array<undefined>(6),
  'output.trim()',
  'JSON.parse(output)',
  'JSON.parse(output).a',
  'output.toUpperCase()',
  'null',
  'output.length',
];

/** The same numbers in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = createRandom(Number(process.argv[3] ?? 35));
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

function makeAssertion(): Assertion {
  const kind = random();
  const type =
    kind < 0.35
      ? pick(PLAIN)
      : kind < 0.55
        ? pick(LISTS)
        : kind < 0.75
          ? pick(['is-json', 'contains-json'])
          : 'javascript';
  const values =
    type === 'javascript' ? CODE : LISTS.includes(type) ? LIST_VALUES : PLAIN.includes(type) ? VALUES : SCHEMAS;
  return prune({
    type: random() < 0.35 ? `not-${type}` : type,
    value: pick<unknown>(values),
    transform: pick(TRANSFORMS),
    weight: random() < 0.15 ? pick([0, 2, 0.5]) : undefined,
    threshold: type === 'javascript' && random() < 0.3 ? 0.5 : undefined,
  });
}

const prune = (value: Assertion): Assertion => JSON.parse(JSON.stringify(value)) as Assertion;

function makeTest(index: number): Assertion {
  const list = Array.from({ length: pick([1, 1, 1, 2, 3]) }, makeAssertion);
  const set = {
    type: 'assert-set',
    assert: list,
    threshold: random() < 0.5 ? 0.5 : undefined,
    weight: pick([undefined, 2]),
  };
  const assert = random() < 0.12 ? [set, makeAssertion()] : list;
  return prune({
    description: `t${index}`,
    vars: { n: index % 7 },
    assert,
    threshold: random() < 0.15 ? pick([0.3, 0.5, 1, 0]) : undefined,
  });
}

async function openImported(tests: readonly Assertion[]): Promise<{ judge: Judge; gaps: string[] }> {
  const { files, gaps } = importPromptfoo(
    parseYaml(JSON.stringify({ prompts: ['p'], tests }), promptfooConfig(), 's'),
    's',
  );
  const path = join(mkdtempSync(join(tmpdir(), 'differential-')), 'asserts.mjs');
  writeFileSync(path, files.find((one) => one.path === 'checkers/asserts.mjs')?.content ?? '');
  const { check } = (await import(pathToFileURL(path).href)) as { check: (input: object) => { pass: boolean } };
  return { judge: (id, final) => check({ sample: { id }, final }).pass, gaps };
}

/** A gap that says only how to prove the sample does not excuse another verdict. */
const NO_EXCUSE = /write gold_says|see whether wrong_says/;

const [folder] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('Name the package: npx node bench/interop/promptfoo-differential.ts <node_modules/promptfoo> [seed]');
const entry = pathToFileURL(join(folder, 'dist/src/index.js')).href;
const { default: promptfoo } = (await import(entry)) as Promptfoo;
const tests = Array.from({ length: 600 }, (_, index) => makeTest(index));
const { judge, gaps } = await openImported(tests);
const counts = { pairs: 0, same: 0, differentWithGap: 0, different: 0 };
const shown: string[] = [];
for (const test of tests) {
  const id = String(test['description']);
  const own = gaps.filter((gap) => gap.includes(`test "${id}"`) && !NO_EXCUSE.test(gap));
  for (const answer of new Set(ANSWERS)) {
    const there = await promptfoo.assertions.runAssertions({ test, providerResponse: { output: answer } }).then(
      ({ pass }) => pass,
      () => false,
    );
    const here = judge(id, answer);
    counts.pairs += 1;
    if (here === there) counts.same += 1;
    else if (own.length > 0) counts.differentWithGap += 1;
    else {
      counts.different += 1;
      shown.push(`${JSON.stringify(answer)} there ${there}, here ${here}: ${JSON.stringify(test)}`);
    }
  }
}
console.log(JSON.stringify(counts));
for (const line of shown.slice(0, 25)) console.log(line);
process.exit(counts.different === 0 ? 0 : 1);
