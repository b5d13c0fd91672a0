/** Collects tool servers that can go into a task: programs in the scenario's folder, with the files they start from. */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { isAbsolute, join, posix } from 'node:path';
import { walkFiles } from '../../disk/walk-files.ts';
import { HarnessError, usageError } from '../../errors.ts';
import type { HarborExport } from '../../interop/harbor/judged-world.ts';
import { parseJson } from '../../parse-json.ts';
import { SERVED_ENDING, ServedToolFile } from '../../scenario/component.ts';
import type { WorldServer } from '../../scenario/tool-servers.ts';
import type { HarborScenario } from './gather-harbor.ts';

/** Programs that the images have. */
const PYTHON = ['python3', 'python'];
const PROGRAMS = ['node', 'sh', 'bash', ...PYTHON];
/** Folders that no agent may see, or in which no server lives. */
const OWN_FOLDERS = ['simulation', 'runs', 'labels', 'evaluations'];

/** Throws `usage`, naming a server that cannot go into a task and a remedy. */
export async function collectServers({ dir, over, brief }: HarborScenario): Promise<HarborExport['servers']> {
  const tools = await readdir(join(dir, 'tools')).catch((): string[] => []);
  const served = tools.filter((name) => name.endsWith(SERVED_ENDING));
  const texts = await Promise.all(served.map((name) => readFile(join(dir, 'tools', name), 'utf8')));
  const named = new Set(texts.flatMap((text) => ServedToolFile.safeParse(parseJson(text)).data?.server ?? []));
  const all = (brief.tools?.mcp ?? []).filter(({ name }) => named.has(name));
  if (all.length === 0) return undefined;
  const programs = all.flatMap((server) => listCommands(server).map((command) => ({ server: server.name, command })));
  const roots = new Set<string>();
  for (const { server, command } of programs)
    for (const root of await findCommandRoots(over, server, command)) roots.add(root);
  const files = await Promise.all([...roots].map((root) => filesBelow(over, root)));
  const python = programs.some(({ command }) => PYTHON.includes(getProgram(command)));
  return { all, files: files.flat(), python };
}

function listCommands({ name, command, reset, state }: WorldServer): (readonly string[])[] {
  if (command === undefined)
    throw createServerError(
      name,
      'is an address, which no task has to itself',
      'name the program behind it (command: …)',
    );
  return [
    command,
    ...[reset, state].flatMap((act) => (typeof act === 'object' && 'command' in act ? [act.command] : [])),
  ];
}

/** Skips a leading `env NAME=value`. */
function getProgram(command: readonly string[]): string {
  if (command[0] !== 'env') return command[0] ?? '';
  return command.slice(1).find((part) => !part.includes('=') && !part.startsWith('-')) ?? '';
}

/** Finds the files and folders of the scenario that a command names. */
async function findCommandRoots(over: string, server: string, command: readonly string[]): Promise<string[]> {
  const program = getProgram(command);
  if (!PROGRAMS.includes(program))
    throw createServerError(
      server,
      `is started with "${program}", which the image does not have`,
      `put it below the scenario's folder (npm install --prefix servers …) and start it with one of ${PROGRAMS.join(', ')}`,
    );
  const found: string[] = [];
  for (const part of command.slice(1)) {
    if (isAbsolute(part))
      throw createServerError(server, `names ${part}, which is on this machine only`, 'name it relative to it');
    const [root = ''] = posix.normalize(part).split('/');
    if (
      root === '..' ||
      OWN_FOLDERS.includes(root) ||
      (await lstat(join(over, part)).catch(() => undefined)) === undefined
    )
      continue;
    found.push(root);
  }
  if (found.length === 0)
    throw createServerError(
      server,
      "names no file of the scenario's folder",
      'put its program there, for example in servers/',
    );
  return found;
}

async function filesBelow(over: string, root: string): Promise<NonNullable<HarborExport['servers']>['files']> {
  const isFile = (await lstat(join(over, root))).isFile();
  const paths = isFile ? [root] : (await walkFiles(join(over, root))).map((path) => `${root}/${path}`);
  return Promise.all(paths.map(async (path) => ({ path, content: await readFile(join(over, path)) })));
}

function createServerError(server: string, why: string, remedy: string): HarnessError {
  return usageError(`The server of tools "${server}" ${why}: ${remedy}.`);
}
