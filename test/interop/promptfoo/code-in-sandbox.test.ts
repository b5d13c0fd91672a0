/** Code of a suite judges in the sandbox as it judges in promptfoo: JavaScript and Python, inline and in files. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openNodePermission } from '../../../src/adapters/sandbox/open-sandbox.ts';
import { parseYaml } from '../../../src/config/yaml-file.ts';
import { importPromptfoo } from '../../../src/interop/promptfoo/import-suite.ts';
import { promptfooConfig } from '../../../src/interop/promptfoo/shapes.ts';
import type { Sample } from '../../../src/scenario/sample.ts';
import { scratch } from '../../support/scratch.ts';

const FILES: Readonly<Record<string, string>> = {
  'plain.js': 'module.exports = (output, context) => output.length > context.vars.n;',
  'named.cjs':
    'const least = 3;\nmodule.exports = { long: (output) => output.length > least, thrown: () => { throw new Error("x"); } };',
  'module.mjs': `/* import nothing */
const helper = { need: 3 };
export const unreached = () => true;
export default function judge(output) { return output.length > helper.need; }
export { helper as settings };
`,
  'named.mjs': `export const scored = async (output, { config }) => ({ pass: output.length > config.need, score: 0.5, reason: 'r' });`,
  'typed.ts':
    'type Given = { vars: { n: number } };\nexport default (output: string, given: Given): boolean => output.length > given.vars.n;',
  'sloppy.js': 'module.exports = function (output) { total = output.length; return total > 3; };',
  'nothing.js': 'exports.other = 1;',
  'judge.py': `import re
from typing import Any

LEAST = 3


def get_assert(output: str, context) -> Any:
    """Text with {braces} and \\\\ signs."""
    return {"pass_": bool(re.search("x" * (LEAST + 1), output)), "score": 0.5, "reason": context["vars"]["n"] and "r"}


async def later(output, context):
    return len(output) > context["config"]["need"]


class Judges:
    @staticmethod
    def text(output, context):
        return "TRUE" if len(output) > 3 else "false"
`,
};

/** An assertion, and whether it holds for `xx` and for `xxxx` in promptfoo. */
const CASES: readonly [assertion: object, short: boolean, long: boolean][] = [
  ...['file://plain.js', 'file://named.cjs:long', 'file://module.mjs', 'file://typed.ts', 'file://sloppy.js'].map(
    (value): [object, boolean, boolean] => [{ type: 'javascript', value }, false, true],
  ),
  [{ type: 'javascript', value: 'file://named.mjs:scored', config: { need: 3 } }, false, true],
  // Beside a default export, promptfoo does not see the others.
  [{ type: 'javascript', value: 'file://module.mjs:unreached' }, false, false],
  [{ type: 'not-javascript', value: 'file://plain.js' }, true, false],
  // An exception in a file fails the whole test, negated or not; one of inline code the assertion.
  [{ type: 'not-javascript', value: 'file://named.cjs:thrown' }, false, false],
  [{ type: 'javascript', value: 'file://nothing.js' }, false, false],
  [{ type: 'javascript', value: 'Promise.resolve(output.length > 3)' }, false, true],
  [{ type: 'javascript', value: 'total = output.length;\nreturn total > 3' }, false, true],
  [{ type: 'equals', value: 'XXXX', transform: 'file://upper.mjs' }, false, true],
  [{ type: 'python', value: 'len(output) > context["vars"]["n"]' }, false, true],
  [{ type: 'python', value: 'length = len(output)\nif length > 3:\n  return 0.7\nreturn 0' }, false, true],
  [{ type: 'python', value: 'len(output) / 8', threshold: 0.5 }, false, true],
  [{ type: 'python', value: '"3 apples" if len(output) > 3 else "none"' }, false, true],
  [{ type: 'python', value: 'json.dumps({"pass": len(output) > 3, "score": 1, "reason": "r"})' }, false, true],
  [{ type: 'not-python', value: 'len(output) > 3' }, true, false],
  [{ type: 'not-python', value: 'output[9]' }, false, false],
  [{ type: 'python', value: 'json.loads(output)["total"] == 42' }, false, false],
  [{ type: 'python', value: 'None' }, false, false],
  [{ type: 'python', value: '{"pass": True, "score": 1}' }, false, false],
  [{ type: 'python', value: '{"pass": True, "score": 0.2, "reason": "r"}', threshold: 0.5 }, false, false],
  [{ type: 'python', value: 'float("nan")' }, false, false],
  [{ type: 'python', value: 'output.(' }, false, false],
  [{ type: 'python', value: 'file://judge.py' }, false, true],
  [{ type: 'python', value: 'file://judge.py:later', config: { need: 3 } }, false, true],
  [{ type: 'python', value: 'file://judge.py:Judges.text' }, false, true],
  [{ type: 'python', value: 'file://judge.py:gone' }, false, false],
];

const ASK_ALL = {
  mjs: '\nexport const ask_all = (asks) => Promise.all(asks.map(check));\n',
  py: '\n\ndef ask_all(asks):\n    return [check(one) for one in asks]\n',
};

test('verdicts of assertions in code are those of promptfoo, and no checker breaks', async () => {
  const tests = CASES.map(([assertion], index) => ({ description: `t${index}`, vars: { n: 3 }, assert: [assertion] }));
  const files = { ...FILES, 'upper.mjs': 'export default (output) => output.toUpperCase();' };
  const folder = { read: (path: string) => new Map(Object.entries(files)).get(path), find: () => [] };
  const schema = promptfooConfig(folder);
  const made = importPromptfoo(parseYaml(JSON.stringify({ prompts: ['p'], tests }), schema, 's.yaml'), 's.yaml');
  expect(made.gaps).toEqual([]);
  const dir = await scratch();
  await mkdir(join(dir, 'checkers'));
  for (const { path, content } of made.files) {
    // One call asks for all verdicts, because each call starts a process.
    if (path.startsWith('checkers/'))
      await writeFile(join(dir, path), content + ASK_ALL[path.endsWith('.py') ? 'py' : 'mjs']);
  }
  const { signal } = new AbortController();
  const session = await (await openNodePermission({ allowUnsandboxed: true })).open(dir);
  const samples = made.files
    .filter(({ path }) => path.startsWith('samples/'))
    .map(({ content }) => JSON.parse(content) as Sample);
  const judge = async (module: string, id: string): Promise<Map<string, boolean[]>> => {
    const own = samples.filter(({ checkers }) => checkers.join() === id);
    const asks = own.flatMap((sample) => ['xx', 'xxxx'].map((final) => ({ sample, final })));
    const answer = await session.call({ module, name: 'ask_all', args: [asks], timeoutMs: 60_000 }, signal);
    if (!answer.ok) throw new Error(answer.message);
    const passed = (answer.value as { pass: boolean }[]).map(({ pass }) => pass);
    return new Map(own.map((sample, index) => [sample.id, passed.slice(2 * index, 2 * index + 2)]));
  };
  try {
    const found = new Map([
      ...(await judge('checkers/asserts.mjs', 'asserts')),
      ...(await judge('checkers/asserts-python.py', 'asserts-python')),
    ]);
    expect(CASES.map(([assertion], index) => [assertion, ...(found.get(`t${index}`) ?? [])])).toEqual(CASES);
  } finally {
    await session.close();
  }
});

test.each([
  ['python', 'import numpy\nreturn 1', 'imports numpy'],
  ['python', 'from .helper import x\nreturn x', 'imports .helper'],
  ['python', 'open("x").read()', 'uses open'],
  ['python', 'context["test"]["vars"]', 'uses context.test'],
  ['javascript', "import('fs')", 'uses import'],
  ['javascript', 'file://imports.mjs', 'uses the module node:fs'],
  ['javascript', 'file://context.js', 'uses context.test'],
  ['javascript', 'file://broken.js', 'is no JavaScript'],
])('%s that needs what a checker lacks is a gap: %s', (type, value, says) => {
  const files = new Map([
    ['imports.mjs', 'import fs from "node:fs";\nexport default () => true;'],
    ['context.js', 'module.exports = (output, given) => given.test.vars.n > 3;'],
    ['broken.js', 'module.exports = (;'],
  ]);
  const schema = promptfooConfig({ read: (path) => files.get(path), find: () => [] });
  const text = JSON.stringify({ prompts: ['p'], tests: [{ assert: [{ type, value }] }] });
  expect(importPromptfoo(parseYaml(text, schema, 's.yaml'), 's.yaml').gaps.join('\n')).toContain(says);
});
