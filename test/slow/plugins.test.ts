/** Plugins of every kind, as docs/plugins.md shows them, in whole commands; and code of others, which is never run. */
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { TraceLine } from '../../src/scenario/trace.ts';
import { lastJson, makeProject, tandem } from '../support/cli.ts';
import { examplesIn } from '../support/page-examples.ts';
import { openWire, resultsOf, textsOf, type Sent, type Step } from '../support/wire.ts';

const page = examplesIn(await readFile('docs/plugins.md', 'utf8'));
const FILES = Object.fromEntries([...page].filter(([path]) => !path.startsWith('tools/')));

let project: string;
const put = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(project, path)), { recursive: true });
  await writeFile(join(project, path), text);
};
const change = async (path: string, from: string | RegExp, to: string): Promise<void> =>
  put(path, (await readFile(join(project, path), 'utf8')).replace(from, to));

beforeAll(async () => {
  project = await makeProject();
  await cp(resolve('test/fixtures/imported-domain/library'), join(project, 'scenarios/library'), { recursive: true });
  for (const [path, text] of Object.entries(FILES)) await put(path, text);
});
afterAll(() => rm(project, { recursive: true, force: true }));

test('the page shows one of each kind, and doctor lists them', async () => {
  const doctor = await tandem(project, ['doctor', '--plugins']);
  expect(doctor).toMatchObject({ code: 0 });
  for (const one of ['passes.forget-searches', 'tools.glossary', 'subjects.clerk'])
    expect(doctor.stdout).toContain(`ok       plugin       ${one}, of tandem.config.mjs`);
});

test('a subject of a plugin plays a whole run', async () => {
  const path = 'scenarios/library/scenario.yaml';
  const scenario = parse(await readFile(join(project, path), 'utf8')) as Record<string, unknown>;
  const subject = { kind: 'plugin', plugin: 'clerk', options: { card: 'C-1001' }, max_steps: 8 };
  await put(path, stringify({ ...scenario, target: 0.01, max_iterations: 1, subject }));
  const finished = await tandem(project, ['run', 'library', '--profile', 'demo', '--json']);
  const { folder } = lastJson(finished) as { folder: string };
  const trace = await readFile(join(folder, 'execution_outputs/iteration_1/traces/library-0.1.jsonl'), 'utf8');
  const lines = trace
    .trim()
    .split('\n')
    .map((line) => TraceLine.parse(JSON.parse(line)));
  expect(lines[0]).toMatchObject({ type: 'start', model: 'plugin: clerk' });
  expect(lines).toContainEqual(
    expect.objectContaining({ type: 'call', tool: 'find_loans', input: { card: 'C-1001' } }),
  );
  expect(lines.some((line) => line.type === 'says' && line.text.startsWith('The desk says: '))).toBe(true);
});

test('a kind of plugin that was removed is refused with file, line and what to do instead', async () => {
  const run = () => tandem(project, ['run', 'library', '--profile', 'demo']);
  await put('config/reviewers.yaml', 'version: 1\nnotices:\n  - { kind: plugin, plugin: logbook }\n');
  const notices = await run();
  expect(notices.code).toBe(2);
  expect(notices.stderr).toMatch(/config\/reviewers\.yaml:3: .*channels of plugins were removed: use a webhook/);
  await rm(join(project, 'config/reviewers.yaml'));
  await put('config/default.yaml', 'version: 1\nsandbox:\n  use: plugin:audited\n');
  const sandbox = await run();
  expect(sandbox.code).toBe(2);
  expect(sandbox.stderr).toMatch(/config\/default\.yaml:3: .*the sandbox "plugin:audited" was removed: use bubblewrap/);
  await put('config/default.yaml', stringify({ version: 1 }));
});

test('what is misspelled is refused with file, line and the nearest name before a run begins', async () => {
  await change('scenarios/library/scenario.yaml', 'plugin: clerk', 'plugin: clrk');
  const run = await tandem(project, ['run', 'library', '--profile', 'demo']);
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(/scenario\.yaml:\d+: .*no plugin subjects\.clrk in .*Did you mean "clerk"\?/);
  await put('plugins/glossary.mjs', 'export const glossary = {\n  description: ,\n};\n');
  const doctor = await tandem(project, ['doctor', '--plugins']);
  expect(doctor.stdout).toMatch(/broken +plugins +plugins\/glossary\.mjs:2: cannot be loaded: Unexpected token/);
  await put('plugins/glossary.mjs', FILES['plugins/glossary.mjs'] ?? '');
});

test('nothing of a file is run that everybody can write to, nor of one that it imports', async () => {
  const ran = join(project, 'ran');
  await put('plugins/clerk.mjs', `import { writeFileSync } from 'node:fs';\nwriteFileSync('${ran}', '');\n`);
  await chmod(join(project, 'plugins/clerk.mjs'), 0o666);
  const doctor = await tandem(project, ['doctor', '--plugins']);
  expect(doctor.code).toBe(2);
  expect(doctor.stdout).toContain('plugins/clerk.mjs: another user can write to it, so no plugin is loaded');
  await expect(readFile(ran)).rejects.toThrow();
});

const LONG = (n: number) => `Part ${n} of the manual.\n${`Paragraph ${n}: the desk opens at nine. `.repeat(150)}\n`;
const PARTS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const NOTE = '[an old search; search again where you need it]';
const policy = {
  ...{ extends: 'selective', name: 'mine', target: { ratio: 0.69 }, keep: { maxTokens: 4000 } },
  summary: { maxTokens: 2000 },
  facts: { task: 2000, messages: 800, todos: 300, ledger: 800, earlier: 500 },
  passes: [
    { pass: 'plugin', plugin: 'forget-searches', options: { tools: ['read'], latest: 1 } },
    'replace-conversation',
  ],
};

test('a pass and a tool of plugins are seen in the requests of an agent', async () => {
  const wire = await openWire({
    files: {
      ...FILES,
      'glossary.json': JSON.stringify({ loan: 'What a reader takes home.' }),
      'config/context/mine.yaml': stringify(policy),
      ...Object.fromEntries(PARTS.map((n) => [`scenarios/desk/manual/${n}.md`, LONG(n)])),
    },
    reads: PARTS.map((n) => `manual/${n}.md`),
    define: { init: ({ tools, ...shipped }) => ({ ...shipped, tools: [...(tools as string[]), 'plugin:glossary'] }) },
    agents: { init: { policy: 'mine', trigger: { tokens: 24_000 } } },
    init: [
      { calls: [{ tool: 'plugin__glossary', input: { word: 'loan' } }] },
      { calls: [{ tool: 'plugin__glossary', input: { word: 'desk' } }] },
      ...PARTS.map((n): Step => ({ calls: [{ tool: 'read', input: { file_path: `scenario/manual/${n}.md` } }] })),
    ],
  });
  const run = await wire.run('--on-gate', 'exit');
  expect(run.stderr).toContain('HITL-1');
  const sent = wire.sent('init');
  expect(resultsOf(sent[2]!, 'plugin__glossary')).toEqual([
    'What a reader takes home.',
    'The glossary does not have "desk".',
  ]);
  const shortened = sent.filter((one: Sent) => textsOf(one).includes(NOTE));
  expect(shortened.length).toBeGreaterThan(0);
  const reads = resultsOf(shortened[0]!, 'read');
  expect(reads.at(-1)).toContain('Paragraph');
  expect(reads.filter((text) => text === NOTE).length).toBeGreaterThan(3);
  expect(JSON.stringify(await wire.tandem(['context', 'show', run.id, 'init', '--json']))).toContain(
    'plugin:forget-searches',
  );
  // The same policy, and a pass that throws: the step fails with its name, and a mended one goes on.
  await writeFile(
    join(wire.project, 'plugins/forget-searches.mjs'),
    "export function* forgetSearches() {\n  throw new Error('no idea');\n}\n",
  );
  const broken = await wire.run('--on-gate', 'exit');
  expect(broken.code).not.toBe(0);
  expect(broken.stderr).toContain('plugins/forget-searches.mjs:2: the plugin passes.forget-searches failed: no idea');
});
