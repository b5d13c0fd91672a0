/** The table of docs/import-from.md: each line is what is claimed of suites that are imported here. */
import { expect, test } from 'vitest';
import { parseYaml } from '../../../src/config/yaml-file.ts';
import { importPromptfoo } from '../../../src/interop/promptfoo/import-suite.ts';
import { promptfooConfig } from '../../../src/interop/promptfoo/shapes.ts';
import type { SuiteFolder } from '../../../src/interop/promptfoo/suite-files.ts';
import { chance } from '../../support/chance.ts';
import { expectTable } from '../page-table.ts';
import { countRounds } from '../../support/property-runs.ts';

const FILES: Readonly<Record<string, string>> = {
  'p.txt': 'First {{q}}\n---\nSecond {{q}}',
  't.csv':
    'q,__expected,__prefix,__suffix,__threshold,__description,__metadata:category,__config:__expected:threshold\n1,equals: a,<,>,0.5,d,c,0.5\n2,plain,,,,e,,0.5\n',
  't/one.yaml': '[{ vars: { q: 1 }, assert: [{ type: equals, value: a }] }]',
  'd.yaml': 'assert: [{ type: contains, value: a }]',
  'v.yaml': 'q: 3',
  'chat.json': '[{ "role": "system", "content": "Be {{q}}" }, { "role": "user", "content": "Q" }]',
  'judge.cjs': 'module.exports = (output, context) => output === context.vars.q;',
  'judge.mjs': 'export const trim = (output) => output.trim();',
  'judge.py': 'def grade(output, context):\n    return len(output) < context["config"]["most"]\n',
};
const FOLDER: SuiteFolder = {
  read: (path) => FILES[path],
  find: (pattern) => (pattern === 't/*.yaml' ? ['t/one.yaml'] : []),
};

function importText(text: string) {
  return importPromptfoo(parseYaml(text, promptfooConfig(FOLDER), 's.yaml'), 's.yaml');
}

const TEXT_TYPES = ['equals', 'contains', 'icontains', 'starts-with', 'regex'];
const LIST_TYPES = ['contains-any', 'contains-all', 'icontains-any', 'icontains-all'];
const code = (types: readonly string[]): string => types.map((type) => `\`${type}\``).join(', ');
const suite = (asserts: string, test = ''): string => `prompts: [p]\ntests: [{ ${test} assert: [${asserts}] }]\n`;
const both = (types: readonly string[], value: string): string[] =>
  types.flatMap((type) => [
    suite(`{ type: ${type}, value: ${value} }`),
    suite(`{ type: not-${type}, value: ${value} }, { type: contains, value: b }`),
  ]);

/** `whole`: imported without a gap; `lost`: the suite with the gap that it has. */
type Row = { there: string; here: string; whole: readonly string[]; lost?: Readonly<Record<string, string>> };

const ROWS: readonly Row[] = [
  {
    there: `${code([...TEXT_TYPES, ...LIST_TYPES])}, each also with \`not-\``,
    here: 'the same verdicts',
    whole: [...both(TEXT_TYPES, 'a'), ...both(LIST_TYPES, '[a, b]')],
  },
  {
    there: '`equals` with an object or a list',
    here: 'compares the JSON of the answer; the order of keys does not count',
    whole: [...both(['equals'], '{ a: 1 }'), ...both(['equals'], '[1, 2]')],
  },
  {
    there: '`is-json`, `contains-json`',
    here: 'the same, with lenient JSON within a text; schema keywords that are not known are a gap',
    whole: both(['is-json', 'contains-json'], '{ type: object, required: [a] }'),
    lost: { [suite('{ type: is-json, value: { if: {} } }')]: 'its schema has if' },
  },
  {
    there: '`javascript`, `transform`',
    here: 'the same code in the sandbox, with the `vars`, `config` and `prompt` of its `context`. An exception, a text or nothing as the verdict fails',
    whole: [
      suite('{ type: javascript, value: output.length > context.vars.n }', 'vars: { n: 1 },'),
      suite('{ type: equals, value: a, transform: output.trim() }', 'options: { transform: output.trim() },'),
    ],
  },
  {
    there: '`python`',
    here: 'the same code in the sandbox, in a checker of its own. A transform before it, and a threshold over it and others, are a gap',
    whole: [suite('{ type: python, value: "len(output) > 3" }, { type: contains, value: a }')],
    lost: {
      [suite('{ type: python, value: output, transform: output.trim() }')]: 'cannot be given what its transform makes',
      [suite('{ type: python, value: output }, { type: equals, value: a }', 'threshold: 0.5,')]:
        'rubrics or Python too',
    },
  },
  {
    there: 'files of code: `.js`, `.cjs`, `.mjs`, `.ts`, `.py`, also with a name, as `file://judge.js:name`',
    here: 'the same. An exception in a file of JavaScript fails the whole test',
    whole: [
      suite('{ type: javascript, value: file://judge.cjs }', 'options: { transform: file://judge.mjs:trim },'),
      suite('{ type: not-python, value: "file://judge.py:grade", config: { most: 3 } }', 'threshold: 0.5,'),
    ],
    lost: {
      [suite('{ type: javascript, value: "file://gone.js" }')]: 'the file file://gone.js',
      [suite('{ type: python, value: "file://gone.py" }')]: 'the file file://gone.py',
    },
  },
  {
    there: 'code that needs other modules, files, the process, the network or more of `context`',
    here: 'a gap. Python has modules of its standard library',
    whole: [suite('{ type: python, value: "import re\\nreturn bool(re.search(\'a\', output))" }')],
    lost: {
      [suite('{ type: javascript, value: "require(\'fs\')" }')]: 'uses require',
      [suite('{ type: javascript, value: "process.exit()" }')]: 'uses process',
      [suite('{ type: javascript, value: "context.test" }')]: 'uses context.test',
      [suite('{ type: python, value: "__import__(\'numpy\')" }')]: 'uses __import__',
    },
  },
  {
    there: '`assert-set`, `weight`, `threshold`',
    here: 'the same scores; over rubrics, or over Python and others, a gap',
    whole: [
      suite('{ type: assert-set, threshold: 0.5, assert: [{ type: equals, value: a, weight: 2 }] }', 'threshold: 0.4,'),
    ],
    lost: { [suite('{ type: llm-rubric, value: kind }', 'threshold: 0.5,')]: 'counts rubrics or Python too' },
  },
  {
    there: '`llm-rubric`, `g-eval`, `model-graded-closedqa`, `factuality`',
    here: 'a grader, which must prove itself. A threshold of the first two is its `least_score`; `GAPS.md` names a judge of its own among what is for you to add',
    whole: ['llm-rubric', 'g-eval', 'model-graded-closedqa', 'model-graded-factuality', 'factuality'].map((type) =>
      suite(`{ type: ${type}, value: kind, threshold: 0.8 }, { type: g-eval, value: [a, b], provider: x }`),
    ),
    lost: {
      [suite('{ type: llm-rubric, value: kind, transform: output.trim() }')]: 'its transform is not run',
      [suite('{ type: llm-rubric, value: kind, rubricPrompt: x }')]: 'its rubricPrompt is not used',
    },
  },
  {
    there: '`similar`, also with `:cosine`, `:dot`, `:euclidean`',
    here: 'a grader of the meaning, with its threshold (0.75) as `least_score`. No embeddings are compared; a threshold of `not-similar` is a gap',
    whole: [suite('{ type: similar, value: kind, threshold: 0.8 }, { type: "similar:dot", value: [a, b] }')],
    lost: { [suite('{ type: not-similar, value: kind, threshold: 0.8 }')]: 'its threshold 0.8' },
  },
  {
    there: '`levenshtein`, `word-count`',
    here: 'the same verdicts',
    whole: [...both(['levenshtein'], 'abc'), ...both(['word-count'], '{ min: 2 }')],
  },
  {
    there: '`cost`, `latency`',
    here: 'limits of the sample, in dollars and seconds',
    whole: [suite('{ type: cost, threshold: 0.1 }, { type: latency, threshold: 900 }, { type: equals, value: a }')],
  },
  {
    there: 'any other assertion',
    here: 'a gap at its line',
    whole: [],
    lost: Object.fromEntries(
      ['ruby', 'moderation', 'select-best', 'rouge-n'].map((type) => [
        suite(`{ type: ${type}, value: a }`),
        `assertion 1 (${type})`,
      ]),
    ),
  },
  {
    there: 'an empty answer that only `not-…` assertions judge',
    here: 'fails, because doing nothing must never pass; a gap says so',
    whole: [],
    lost: { [suite('{ type: not-contains, value: a }')]: 'an empty answer passes it in promptfoo' },
  },
  {
    there: 'CSV: `__expected`, `__prefix`, `__suffix`, `__threshold`, `__description`, `__metadata:`, `__config:`',
    here: 'the same; a cell that begins with no type is the exact answer',
    whole: ['prompts: ["{{q}}"]\ntests: file://t.csv\n'],
  },
  {
    there: '`scenarios`, `defaultTest`, `prefix`, `suffix`, files of prompts, tests and variables, patterns of files',
    here: 'the same. Of several prompts each makes samples of its own',
    whole: [
      'prompts: [file://p.txt]\ndefaultTest: file://d.yaml\ntests: file://t/*.yaml\n',
      suite('{ type: equals, value: a }', 'vars: file://v.yaml, options: { prefix: x, suffix: y },'),
      'prompts: [p]\nscenarios: [{ config: [{ vars: { q: 1 } }], tests: [{ assert: [{ type: equals, value: a }] }] }]\n',
    ],
  },
  {
    there: 'a test without assertions, a right answer that nobody can guess',
    here: 'nothing is lost: `GAPS.md` lists it as what is for you to add',
    whole: ['prompts: [p]\ntests: [{ vars: { q: 1 } }]\n', suite('{ type: regex, value: "^a+$" }')],
  },
  {
    there:
      'a chat as prompt, a test’s own `prompts`, variables in variables, the filters `upper`, `lower`, `trim`, `length`, `join`, `dump`, loops over a list, conditions of one name',
    here: 'the same. A chat becomes one text, in which each message has its role. Any other code of a template is a gap',
    whole: [
      'prompts: [file://chat.json]\ntests: [{ vars: { q: "{{r | upper}}", r: a }, assert: [{ type: equals, value: a }] }]\n',
      'prompts: ["{% for a in l %}{{ a }}{% endfor %}"]\ntests: [{ vars: { l: [1] }, assert: [{ type: equals, value: a }] }]\n',
      'prompts: [{ raw: p, label: one }, { raw: q, label: two }]\ntests: [{ prompts: [o*], assert: [{ type: equals, value: a }] }]\n',
    ],
    lost: {
      [suite('{ type: equals, value: a }', 'prompts: [x],')]: 'its prompts name none of the suite',
      'prompts: ["{% set a = 1 %}b"]\ntests: [{ assert: [{ type: equals, value: a }] }]\n': 'template code',
    },
  },
  {
    there: '`evaluateOptions.repeat`, `transformVars`, `storeOutputAs`, `extensions`',
    here: 'a gap, once, at its line',
    whole: [],
    lost: {
      [`${suite('{ type: equals, value: a }')}evaluateOptions: { repeat: 2 }\n`]: 'evaluateOptions.repeat',
      [suite('{ type: equals, value: a }', 'options: { transformVars: x },')]: 'transformVars',
      [suite('{ type: equals, value: a }', 'options: { storeOutputAs: x },')]: 'storeOutputAs',
      [`${suite('{ type: equals, value: a }')}extensions: [x]\n`]: 'extensions',
    },
  },
  {
    there: 'an object written into a prompt, a date without quotes',
    here: 'JSON, and text; a note says what promptfoo writes',
    whole: [
      'prompts: ["{{o}}"]\ntests: [{ vars: { o: { k: 1 }, d: 2024-01-31 }, assert: [{ type: equals, value: a }] }]\n',
    ],
  },
  {
    there: 'weight 0, and a key that promptfoo passes over or hands to the model',
    here: 'nothing is lost: `GAPS.md` names it among what is for you to add',
    whole: [
      suite('{ type: equals, value: a }, { type: contains, value: b, weight: 0 }', 'provider: x,'),
      `${suite('{ type: equals, value: a, ignoreCase: true }', 'options: { temperature: 0 },')}version: 2\n`,
    ],
  },
];

test.each(ROWS)('$there: $here', ({ whole, lost = {} }) => {
  for (const text of whole) expect([text, importText(text).gaps]).toEqual([text, []]);
  for (const [text, gap] of Object.entries(lost)) expect(importText(text).gaps.join('\n'), text).toContain(gap);
});

test('the table of the page is made of these lines', () => {
  expectTable('promptfoo', ROWS);
});

const JUDGE_KEYS = ['provider', 'rubricPrompt'];
/** Keys that decide nothing about a verdict, or name who answers: a run names its own subject. */
const NO_VERDICT = ['providers', 'tags', 'env', 'sharing', 'maxConcurrency', 'metric', 'label'];

test('up to 2,000 generated suites: every word of a suite is in its files, or a gap names it or its key', () => {
  const random = chance(4);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  let count = 0;
  for (let round = 0; round < countRounds(2000, 1 / 5); round += 1) {
    const words = new Map<string, { key: string; owner: string }>();
    const word = (key: string, owner = ''): string => {
      count += 1;
      const made = `zq${count}z`;
      words.set(made, { key, owner });
      return made;
    };
    const maybe = (entries: readonly [string, () => unknown][]): Record<string, unknown> =>
      Object.fromEntries(entries.flatMap(([key, make]) => (random() < 0.3 ? [[key, make()]] : [])));
    const assert = (): Record<string, unknown> => {
      const type = pick([...TEXT_TYPES, 'contains-all', 'javascript', 'llm-rubric', 'python', 'moderation', 'is-json']);
      const value = type === 'javascript' ? `output.includes("${word('value', type)}")` : word('value', type);
      return {
        type,
        ...(type === 'is-json' ? { value: { type: 'object', required: [word('value', type)] } } : { value }),
        ...maybe([
          ['metric', () => word('metric', type)],
          // A judge of its own decides something where there is a judge.
          ...(type === 'llm-rubric' ? JUDGE_KEYS : []).map((key): [string, () => unknown] => [
            key,
            () => word(key, type),
          ]),
          ['transform', () => `output + "${word('transform', type)}"`],
          ['contextTransform', () => word('contextTransform', type)],
          ['weight', () => 2],
        ]),
      };
    };
    const oneTest = (): Record<string, unknown> => ({
      assert: Array.from({ length: 1 + Math.floor(random() * 2) }, assert),
      ...maybe([
        ['description', () => word('description')],
        ['vars', () => ({ q: word('q') })],
        ['prompts', () => ['zq*']],
        ['provider', () => word('provider')],
        ['assertScoringFunction', () => word('assertScoringFunction')],
        [
          'options',
          () =>
            maybe([
              ['prefix', () => word('prefix')],
              ['suffix', () => word('suffix')],
              ['transformVars', () => word('transformVars')],
              ['storeOutputAs', () => word('storeOutputAs')],
            ]),
        ],
      ]),
    });
    const config = {
      prompts: Array.from({ length: 1 + Math.floor(random() * 2) }, () => `${word('prompts')} {{q}} {{r}}`),
      tests: Array.from({ length: 1 + Math.floor(random() * 2) }, oneTest),
      ...maybe([
        ['providers', () => [word('providers')]],
        ['extensions', () => [word('extensions')]],
        ['nunjucksFilters', () => ({ f: word('nunjucksFilters') })],
        ['evaluateOptions', () => ({ repeat: 2, mode: word('mode') })],
        ['scenarios', () => [{ config: [{ vars: { r: word('r') } }], tests: [oneTest()] }]],
      ]),
    };
    const { files, gaps, todo = [] } = importText(JSON.stringify(config));
    const written = files.map(({ content }) => content).join('\n');
    // A key that promptfoo passes over, or that names who answers, is a note.
    const said = [...gaps, ...todo].join('\n');
    for (const [made, { key, owner }] of words) {
      if (NO_VERDICT.includes(key) || written.includes(made)) continue;
      // An assertion that is left out is named as a whole.
      const isLeftOut = owner !== '' && new RegExp(`\\(${owner}\\): .*was left out`).test(said);
      const isNamed = said.includes(key) || said.includes(made) || isLeftOut;
      const used = JSON.stringify(config).includes(made);
      expect(isNamed || !used, `${key} ${made} in ${JSON.stringify(config)}\n${said}`).toBe(true);
    }
  }
});
