/** Judges generated answers with promptfoo itself and with the imported checker, and counts where they differ. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseYaml } from '../../src/config/yaml-file.ts';
import { importPromptfoo } from '../../src/interop/promptfoo/import-suite.ts';
import { promptfooConfig } from '../../src/interop/promptfoo/shapes.ts';

type Assertion = Record<string, unknown>;
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
const PLAIN = ['equals', 'contains', 'icontains', 'starts-with', 'regex', 'levenshtein', 'word-count'];
const LISTS = ['contains-any', 'contains-all', 'icontains-any', 'icontains-all'];
const VALUES: unknown[] = [
  { min: 1 },
  { min: 1, max: 2 },
  '2',
  ...WORDS,
  '^P',
  '[',
  'x*',
  42,
  true,
  null,
  { a: 1 },
  { b: [1, 2], a: 'x' },
  [1],
  '{"a":1}',
];
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
/** Files of code, beside the suite. */
const FILES: Readonly<Record<string, string>> = {
  'plain.js': 'module.exports = (output, context) => output.length > context.vars.n;',
  'named.cjs': `module.exports = { long: (output) => output.length > 3, thrown: (output) => JSON.parse(output).a === 1 };`,
  'module.mjs': `export const scored = async (output) => ({ pass: output.length > 3, score: output.length / 10, reason: 'r' });`,
  'both.mjs': `export const named = () => true;\nexport default function judge(output) { return output.length / 10; }`,
  'odd.js': `module.exports = (output) => ({ Paris: 'text', a: null, b: { pass: true }, 42: NaN })[output];`,
  'judge.py': `import re


def get_assert(output, context):
    return {"pass_": len(output) > context["vars"]["n"], "score": min(len(output) / 10, 1), "reason": "r"}


def thrown(output, context):
    return json.loads(output)["a"] == 1


async def later(output, context):
    return re.search("a", output) is not None
`,
};
const CODE_FILES = [
  'plain.js',
  'named.cjs:long',
  'named.cjs:thrown',
  'module.mjs:scored',
  'both.mjs',
  'both.mjs:named',
  'odd.js',
  'named.cjs',
];
const PYTHON = [
  ...['len(output) > 3', 'len(output) / 10', 'json.loads(output)["total"] == 42', 'output', 'None', 'float("nan")'],
  ...[
    '{"pass": True, "score": 0.4, "reason": "r"}',
    '{"pass": True, "score": 1}',
    'output.(',
    '"true" if output else "False"',
  ],
  ...[
    '[True]',
    '"0.6x"',
    'json.dumps({"pass": output == "a", "score": 0.5, "reason": "r"})',
    'context["vars"]["n"] > 3',
  ],
  ...['{"pass": True, "score": 1, "reason": "r", "componentResults": None}', 'if output:\n    return True\nreturn 0'],
  ...['file://judge.py', 'file://judge.py:thrown', 'file://judge.py:later', 'file://judge.py:gone'],
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

function makePython(): Assertion {
  return prune({
    type: random() < 0.3 ? 'not-python' : 'python',
    value: pick(PYTHON),
    weight: random() < 0.15 ? pick([0, 2, 0.5]) : undefined,
    threshold: random() < 0.3 ? 0.5 : undefined,
  });
}

function makeAssertion(): Assertion {
  const kind = random();
  if (kind < 0.08)
    return prune({
      type: random() < 0.3 ? 'not-javascript' : 'javascript',
      value: `file://${pick(CODE_FILES)}`,
      threshold: random() < 0.3 ? 0.5 : undefined,
    });
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
    threshold:
      type === 'levenshtein' ? pick([undefined, 2, 30]) : type === 'javascript' && random() < 0.3 ? 0.5 : undefined,
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

/** Each call of Python starts a process in promptfoo, so there are fewer of these. */
function makePythonTest(index: number): Assertion {
  const list = Array.from({ length: pick([1, 1, 2]) }, () => (random() < 0.8 ? makePython() : makeAssertion()));
  return prune({
    description: `p${index}`,
    vars: { n: index % 7 },
    assert: list,
    threshold: random() < 0.15 ? pick([0.3, 0.5, 1, 0]) : undefined,
  });
}

const ASK_PYTHON = `import importlib.util, json, sys
spec = importlib.util.spec_from_file_location('checker', sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
pairs = json.load(sys.stdin)
print(json.dumps([module.check({"sample": {"id": id}, "final": final})["pass"] for id, final in pairs]))`;

type Verdicts = (pairs: readonly (readonly [id: string, answer: string])[]) => Promise<boolean[]>;

async function openImported(tests: readonly Assertion[], dir: string): Promise<{ judge: Verdicts; gaps: string[] }> {
  const folder = { read: (path: string) => FILES[path], find: () => [] };
  const suite = parseYaml(JSON.stringify({ prompts: ['p'], tests }), promptfooConfig(folder), 's');
  const { files, gaps } = importPromptfoo(suite, 's');
  mkdirSync(join(dir, 'checkers'));
  mkdirSync(join(dir, 'samples'));
  for (const { path, content } of files) if (/^(checkers|samples)/.test(path)) writeFileSync(join(dir, path), content);
  const path = join(dir, 'checkers/asserts.mjs');
  const { check } = (await import(pathToFileURL(path).href)) as {
    check: (input: object) => Promise<{ pass: boolean }>;
  };
  const hasChecker = (id: string, checker: string): boolean =>
    (JSON.parse(readFileSync(join(dir, `samples/${id}.json`), 'utf8')) as { checkers: string[] }).checkers.includes(
      checker,
    );
  return { judge, gaps };

  async function judge(pairs: Parameters<Verdicts>[0]): Promise<boolean[]> {
    const inPython = pairs.filter(([id]) => hasChecker(id, 'asserts-python'));
    const { stdout } = spawnSync('python3', ['-c', ASK_PYTHON, join(dir, 'checkers/asserts-python.py')], {
      input: JSON.stringify(inPython),
      encoding: 'utf8',
    });
    const answers = JSON.parse(stdout) as boolean[];
    const python = new Map(inPython.map((pair, index) => [pair, answers[index] ?? false]));
    const plain: boolean[] = [];
    for (const [id, final] of pairs)
      plain.push(hasChecker(id, 'asserts') ? (await check({ sample: { id }, final })).pass : true);
    return pairs.map((pair, index) => plain[index] === true && (python.get(pair) ?? true));
  }
}

/** A gap that says only how to prove the sample does not excuse another verdict. */
const NO_EXCUSE = /write gold_says|see whether wrong_says/;

const [folder] = process.argv.slice(2);
if (folder === undefined)
  throw new Error(
    'Name the package: npx node bench/interop/promptfoo-differential.ts <node_modules/promptfoo> [seed] [tests in Python]',
  );
const entry = pathToFileURL(join(folder, 'dist/src/index.js')).href;
const { default: promptfoo } = (await import(entry)) as Promptfoo;
const dir = mkdtempSync(join(tmpdir(), 'differential-'));
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(dir, name), text);
process.chdir(dir);
const tests = [
  ...Array.from({ length: 600 }, (_, index) => makeTest(index)),
  ...Array.from({ length: Number(process.argv[4] ?? 40) }, (_, index) => makePythonTest(index)),
];
const FEW = 8;
const pairs = tests.flatMap((test) => {
  const id = String(test['description']);
  const answers = [...new Set(ANSWERS)];
  return (id.startsWith('p') ? answers.slice(0, FEW) : answers).map((answer) => ({ test, id, answer }));
});
const { judge, gaps } = await openImported(tests, dir);
const verdicts = await judge(pairs.map(({ id, answer }) => [id, answer] as const));
const counts = { pairs: 0, same: 0, differentWithGap: 0, different: 0 };
const shown: string[] = [];
for (const [index, { test, id, answer }] of pairs.entries()) {
  const own = gaps.filter((gap) => gap.includes(`test "${id}"`) && !NO_EXCUSE.test(gap));
  const there = await promptfoo.assertions.runAssertions({ test, providerResponse: { output: answer } }).then(
    ({ pass }) => pass,
    () => false,
  );
  const here = verdicts[index];
  counts.pairs += 1;
  if (here === there) counts.same += 1;
  else if (own.length > 0) counts.differentWithGap += 1;
  else {
    counts.different += 1;
    shown.push(`${JSON.stringify(answer)} there ${there}, here ${here}: ${JSON.stringify(test)}`);
  }
}
console.log(JSON.stringify(counts));
for (const line of shown.slice(0, 25)) console.log(line);
process.exit(counts.different === 0 ? 0 : 1);
