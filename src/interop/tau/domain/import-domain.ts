/** Imports a domain folder of a tau2-bench checkout as a scenario: its own toolkit as Python tools, its tasks as samples. */
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { createTemporaryFolder } from '../../../disk/temporary-folder.ts';
import { HarnessError, describeError } from '../../../errors.ts';
import type { Sandbox, OpenSandbox } from '../../../ports/sandbox.ts';
import type { JsonObject } from '../../../scenario/json/json-value.ts';
import { MAX_WORLD_BYTES } from '../../../scenario/world-limits.ts';
import { schemaIssues } from '../../../evaluation/components/schema-issues.ts';
import { jsonFile, type ImportedFiles } from '../../imported-files.ts';
import { rulesOfPolicy } from './policy-rules.ts';
import { COMPONENTS_AT } from '../../scenario-layout.ts';
import { scenarioFiles } from './scenario-files.ts';
import { stageOfShims } from './play-task.ts';
import { samplesOfTasks } from './samples.ts';
import { createShims, toolShim } from './shims.ts';
import { simulationFiles } from './simulation.ts';
import { Tau2Task } from './task.ts';
import { askToolkit, describeToolkit, scanSources, toolkitFiles, writeToolkit } from './toolkit.ts';

type DataFile = { path: string; text: string };

export type Tau2Domain = {
  domain: string;
  policy: string;
  tasks: unknown;
  db: DataFile;
  /** The user's own world, in domains in which the user has tools too. */
  userDb: DataFile | undefined;
  /** The Python files of the domain, by their path in the checkout. */
  sources: Readonly<Record<string, string>>;
};

/** Runs the toolkit only in the sandbox. Contract: `config_invalid` names file and line of a part that cannot be imported. */
export async function importTau2Domain(
  source: Tau2Domain,
  { name, sandbox }: { name: string; sandbox: Sandbox },
  signal: AbortSignal,
): Promise<ImportedFiles> {
  const { domain, sources } = source;
  const dir = await createTemporaryFolder('import');
  const toolkit = toolkitFiles(domain, sources);
  // The sandbox sets its memory caps by the size of the world file.
  await writeToolkit(dir, [...toolkit, { path: 'samples/worlds/db.json', content: source.db.text }]);
  const session = await sandbox.open(dir);
  try {
    return await importThrough(source, { name, toolkit, dir, session }, signal);
  } finally {
    await session.close();
    await rm(dir, { recursive: true, force: true });
  }
}

type DomainImport = { name: string; toolkit: ImportedFiles['files']; dir: string; session: OpenSandbox };

async function importThrough(
  source: Tau2Domain,
  { name, toolkit, dir, session }: DomainImport,
  signal: AbortSignal,
): Promise<ImportedFiles> {
  const { domain, policy } = source;
  const tasks = parseTasks(source);
  const { offered, gaps } = await loadToolkit(source, session, signal);
  const shims = createShims(offered, tasks);
  const base = offered.world;
  if (shims.length === 0)
    throw new HarnessError('config_invalid', `${domain}: its toolkit has no method with @is_tool.`);
  const toolNames = shims.map((shim) => shim.name);
  const rules = rulesOfPolicy(policy, 'policies/policy.md', toolNames);
  if (rules.length === 0)
    throw new HarnessError(
      'config_invalid',
      `${domain}: its policy holds no rule: no list and no sentence that demands something.`,
    );
  const tools = shims.map((shim) => ({ path: `tools/${shim.name}.py`, content: toolShim(shim, domain) }));
  await writeToolkit(dir, tools);
  const category = domain.replaceAll(/[^a-z0-9]+/g, '-');
  const playing = { base, shims, session, stage: stageOfShims(shims, session, base) };
  const { samples, checkers, gaps: sampleGaps } = await samplesOfTasks({ tasks, rules, category, playing }, signal);
  const components = [...toolkit, ...tools, ...checkers, jsonFile('samples/worlds/db.json', base)].concat(
    samples.map((sample) => jsonFile(`samples/${sample.id}.json`, sample)),
  );
  const parts = { name, domain, category, policy, rules, shims, samples: samples.length, hasUser: 'user' in base };
  const files = [
    ...scenarioFiles(parts),
    ...components.map(({ path, content }) => ({ path: `${COMPONENTS_AT}/${path}`, content })),
  ];
  const userTools = playing.stage.userTools ?? new Set<string>();
  const simulation = simulationFiles({ domain, files, samples, userTools });
  if (simulation.length === 0)
    gaps.push(
      'no scripts for the offline model were made: the components are larger than a scripted agent can write; tandem evaluate plays them as they are',
    );
  const alike = samples.length - new Set(samples.map(({ user }) => user.says_first)).size;
  if (simulation.length > 0 && alike > 0)
    gaps.push(
      `${alike} tasks begin with the words of another one: the offline model cannot tell them apart, and leaves them unscored; tandem evaluate --subject gold plays them`,
    );
  gaps.push(...sampleGaps);
  return { files: [...files, ...simulation], gaps };
}

function parseTasks({ domain, tasks }: Tau2Domain): Tau2Task[] {
  const read = z.array(Tau2Task).min(1).safeParse(tasks);
  if (read.success) return read.data;
  throw new HarnessError('config_invalid', `tasks.json of ${domain}: ${schemaIssues(read.error)[0]}`);
}

async function loadToolkit(
  { domain, db, userDb, sources }: Tau2Domain,
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<{ offered: Awaited<ReturnType<typeof describeToolkit>>; gaps: string[] }> {
  const found = await scanSources(session, sources, signal);
  const stopping = found.filter(({ stops }) => stops);
  const world: JsonObject = { agent: await parseDataFile(db, session, signal) };
  if (userDb !== undefined) world['user'] = await parseDataFile(userDb, session, signal);
  const { length } = JSON.stringify(world, null, 2);
  if (length > MAX_WORLD_BYTES)
    throw new HarnessError(
      'config_invalid',
      `${db.path}: has ${length} bytes as a world, and at most ${MAX_WORLD_BYTES} are read. Cut it down to what the tasks need, and import again.`,
    );
  try {
    return { offered: await describeToolkit(session, world, signal), gaps: found.map(({ text }) => text) };
  } catch (cause) {
    const lines = stopping.map(({ text }) => `\n  ${text}`).join('');
    throw new HarnessError(
      'config_invalid',
      `The toolkit of ${domain} cannot be carried over: ${describeError(cause)}${lines}`,
      {
        cause,
      },
    );
  }
}

/** JSON is parsed here, TOML by Python in the sandbox. */
async function parseDataFile({ path, text }: DataFile, session: OpenSandbox, signal: AbortSignal): Promise<unknown> {
  try {
    if (!path.endsWith('.toml')) return JSON.parse(text);
    return (await askToolkit(session, { file: 'tau2_describe', name: 'toml', args: [text] }, signal)).value;
  } catch (cause) {
    throw new HarnessError('config_invalid', `${path}: cannot be read: ${describeError(cause)}`, { cause });
  }
}
