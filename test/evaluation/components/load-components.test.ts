import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadComponents } from '../../../src/evaluation/components/load-components.ts';
import { openConfined } from '../../../src/app/open-sandbox.ts';
import { lampsFolder, lockedLamp, trustedSandbox, turnOn } from '../lamps.ts';

const { signal } = new AbortController();
const load = async (changes: Record<string, unknown> = {}) =>
  loadComponents(await lampsFolder(changes), trustedSandbox(), signal);
const messagesOf = async (changes: Record<string, unknown>) =>
  (await load(changes)).problems.map(({ code, layer, message }) => `${layer} ${code} ${message}`);

test('tools and checkers are described through the sandbox, samples get their start worlds', async () => {
  const { components, problems } = await loadComponents(await lampsFolder(), await openConfined({}), signal);
  expect(problems).toEqual([]);
  expect(components.tools.map(({ name }) => name)).toEqual(['read_lamp', 'switch_lamp']);
  expect(components.checkers.map(({ id }) => id)).toEqual(['as-asked', 'locked-untouched']);
  expect(components.samples.map(({ sample }) => sample.id)).toEqual(['locked-lamp', 'turn-on']);
  expect(components.samples[1]?.world).toEqual({ lamps: { hall: { on: false }, cellar: { on: true, locked: true } } });
  expect([...components.worlds.keys()]).toEqual(['house']);
});

test('a folder without components is no error', async () => {
  const { components, problems } = await loadComponents(await lampsFolder(), trustedSandbox(), signal);
  expect(components.samples).toHaveLength(2);
  expect(problems).toEqual([]);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    'an unknown key',
    { 'samples/turn-on.json': { ...turnOn, goldd: [] } },
    '4 schema samples/turn-on.json:73: /: Unrecognized key: "goldd"; did you mean "gold"?',
  ],
  [
    'a key that is unknown deeper down',
    { 'samples/turn-on.json': { ...turnOn, user: { says_first: 'x', know: {} } } },
    '4 schema samples/turn-on.json:20: /user: Unrecognized key: "know"; did you mean "knows"?',
  ],
  [
    'a fault inside one form of a union',
    { 'samples/turn-on.json': { ...turnOn, expect: { end_state: { patch: [{ op: 'replace', path: 3 }] } } } },
    'samples/turn-on.json:30: /expect/end_state/patch/0/path: ',
  ],
  [
    'a bare list of operations as the end',
    { 'samples/turn-on.json': { ...turnOn, expect: { end_state: [{ op: 'remove', path: '/a' }] } } },
    'samples/turn-on.json:26: /expect/end_state: expected "unchanged", "any", {"patch": [{op, path, value}]} or {"any_of"',
  ],
  [
    'an id that is not the name of the file',
    { 'samples/other.json': turnOn },
    '4 schema samples/other.json:2: /id: it is "turn-on"; it must be "other"',
  ],
  [
    'an expectation that is there twice',
    { 'samples/turn-on.json': '{"id": "turn-on",\n"expect": {"end_state": "unchanged"},\n"expect": {}}' },
    '4 json-ambiguous samples/turn-on.json:3: the key "expect" is there twice, first in line 2: take one of them out',
  ],
  [
    'a number that JavaScript would change',
    { 'samples/worlds/house.json': '{"lamps":\n9007199254740993}' },
    '4 json-ambiguous samples/worlds/house.json:2: it has a number that is too large for JSON, 9007199254740993: write',
  ],
  ['text that is no JSON', { 'samples/turn-on.json': '{"id":' }, '4 schema samples/turn-on.json:1: it is no JSON'],
  [
    'a __proto__ in a sample',
    { 'samples/turn-on.json': '{"__proto__":{"a":1}}' },
    '4 schema samples/turn-on.json: it has a key named "__proto__"',
  ],
  [
    'a world that is not there',
    { 'samples/turn-on.json': { ...turnOn, start: { base: 'palace' } } },
    '4 world-invalid samples/turn-on.json:9: /start/base: there is no world "palace" in samples/worlds (there are: house)',
  ],
  [
    'a start patch that does not apply',
    { 'samples/locked-lamp.json': { ...lockedLamp, start: { base: 'house', patch: [{ op: 'remove', path: '/x' }] } } },
    '4 world-invalid samples/locked-lamp.json:11: /start/patch: operation 0 (remove /x): nothing is there',
  ],
  [
    'a world that is a list',
    { 'samples/worlds/list.json': [] },
    '4 world-invalid samples/worlds/list.json: a world must be an object',
  ],
  [
    'a tool with another name',
    {
      'tools/lamp.mjs':
        'export const tool = { name: "lamps", description: "x", input_schema: { type: "object" }, examples: [{ input: {}, world: {} }] }; export function run() {}',
    },
    '2 schema tools/lamp.mjs: its name is "lamps"; it must be "lamp"',
  ],
  [
    'a tool without examples',
    { 'tools/lamp.mjs': 'export const tool = { name: "lamp", description: "x", input_schema: { type: "object" } };' },
    '2 schema tools/lamp.mjs: export "tool" /examples: ',
  ],
  ['a module without a description', { 'checkers/none.mjs': 'export const x = 1;' }, '3 schema checkers/none.mjs: '],
  [
    'a checker named like the built-in one',
    { 'checkers/expect.mjs': 'export const checker = { id: "expect", description: "x", rules: ["R1"] };' },
    '3 schema checkers/expect.mjs: "expect" is the name of the built-in check',
  ],
  [
    'a file of another kind',
    { 'tools/lamp.cjs': 'exports.tool = {}' },
    '2 file-refused tools/lamp.cjs: only .mjs, .mts, .ts, .py, .mcp.json files belong here',
  ],
  [
    'a file that is too large',
    { 'samples/big.json': ' '.repeat(1_100_000) },
    '4 file-refused samples/big.json: it is larger than',
  ],
])(
  '%s becomes a problem that names file and place, and is not loaded where it has no value',
  async (_title, changes, message) => {
    const { components, problems } = await load(changes);
    expect(problems.map((found) => `${found.layer} ${found.code} ${found.message}`)).toContainEqual(
      expect.stringContaining(message),
    );
    const loaded = [
      ...components.tools.map(({ name }) => `tools/${name}.mjs`),
      ...components.checkers.map(({ id }) => `checkers/${id}.mjs`),
      ...components.samples.map(({ sample }) => `samples/${sample.id}.json`),
      ...[...components.worlds.keys()].map((name) => `samples/worlds/${name}.json`),
    ];
    // JSON that has a value is loaded for runs whose rules take it.
    if (message.includes('json-ambiguous')) return;
    for (const path of Object.keys(changes)) expect(loaded).not.toContain(path);
  },
);

test('one bad file does not hide the others', async () => {
  const messages = await messagesOf({ 'samples/turn-on.json': '{', 'tools/read_lamp.mjs': 'export {' });
  expect(messages).toHaveLength(2);
});

test('a symbolic link is refused, wherever it leads', async () => {
  const dir = await lampsFolder();
  await writeFile(join(dir, 'secret.json'), '{}');
  await symlink(join(dir, 'secret.json'), join(dir, 'samples/worlds/secret.json'));
  await symlink(join(dir, 'tools/read_lamp.mjs'), join(dir, 'tools/linked.mjs'));
  const { components, problems } = await loadComponents(dir, trustedSandbox(), signal);
  expect(problems.map(({ component, layer }) => `${layer} ${component}`)).toEqual([
    '2 tools/linked.mjs',
    '4 samples/worlds/secret.json',
  ]);
  expect([...components.worlds.keys()]).toEqual(['house']);
});
