/** Servers of tools that can go into a task: programs of the scenario's own folder, with the files that they are started from. */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { isAbsolute, join, posix } from 'node:path';
import { walkFiles } from '../../disk/walk-files.ts';
import { HarnessError, usageError } from '../../errors.ts';
import type { HarborExport } from '../../interop/harbor/world-of.ts';
import { parseJson } from '../../parse-json.ts';
import { SERVED_ENDING, ServedToolFile } from '../../scenario/component.ts';
import type { WorldServer } from '../../scenario/tool-servers.ts';
import type { HarborScenario } from './gather-harbor.ts';

/** What the images have. */
const PYTHON = ['python3', 'python'];
const PROGRAMS = ['node', 'sh', 'bash', ...PYTHON];
/** Folders that no agent may see, or that no server lives in. */
const OWN_FOLDERS = ['simulation', 'runs', 'labels', 'evaluations'];

/** Contract: `usage` names a server that cannot go, and what would help. */
export async function serversToTake({ dir, over, brief }: HarborScenario): Promise<HarborExport['servers']> {
  const tools = await readdir(join(dir, 'tools')).catch((): string[] => []);
  const served = tools.filter((name) => name.endsWith(SERVED_ENDING));
  const texts = await Promise.all(served.map((name) => readFile(join(dir, 'tools', name), 'utf8')));
  const named = new Set(texts.flatMap((text) => ServedToolFile.safeParse(parseJson(text)).data?.server ?? []));
  const all = (brief.tools?.mcp ?? []).filter(({ name }) => named.has(name));
  if (all.length === 0) return undefined;
  const programs = all.flatMap((server) => commandsOf(server).map((command) => ({ server: server.name, command })));
  const roots = new Set<string>();
  for (const { server, command } of programs) for (const root of await rootsOf(over, server, command)) roots.add(root);
  const files = await Promise.all([...roots].map((root) => filesBelow(over, root)));
  const python = programs.some(({ command }) => PYTHON.includes(programIn(command)));
  return { all, files: files.flat(), python };
}

function commandsOf({ name, command, reset, state }: WorldServer): (readonly string[])[] {
  if (command === undefined)
    throw refused(name, 'is an address, which no task has to itself', 'name the program behind it (command: …)');
  return [
    command,
    ...[reset, state].flatMap((act) => (typeof act === 'object' && 'command' in act ? [act.command] : [])),
  ];
}

/** Behind \`env NAME=value\`. */
function programIn(command: readonly string[]): string {
  if (command[0] !== 'env') return command[0] ?? '';
  return command.slice(1).find((part) => !part.includes('=') && !part.startsWith('-')) ?? '';
}

/** The files and folders of the scenario that a command names. */
async function rootsOf(over: string, server: string, command: readonly string[]): Promise<string[]> {
  const program = programIn(command);
  if (!PROGRAMS.includes(program))
    throw refused(
      server,
      `is started with "${program}", which the image does not have`,
      `put it below the scenario's folder (npm install --prefix servers …) and start it with one of ${PROGRAMS.join(', ')}`,
    );
  const found: string[] = [];
  for (const part of command.slice(1)) {
    if (isAbsolute(part))
      throw refused(server, `names ${part}, which is on this machine only`, 'name it relative to it');
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
    throw refused(server, "names no file of the scenario's folder", 'put its program there, for example in servers/');
  return found;
}

async function filesBelow(over: string, root: string): Promise<NonNullable<HarborExport['servers']>['files']> {
  const isFile = (await lstat(join(over, root))).isFile();
  const paths = isFile ? [root] : (await walkFiles(join(over, root))).map((path) => `${root}/${path}`);
  return Promise.all(paths.map(async (path) => ({ path, content: await readFile(join(over, path)) })));
}

function refused(server: string, why: string, remedy: string): HarnessError {
  return usageError(`The server of tools "${server}" ${why}: ${remedy}.`);
}
