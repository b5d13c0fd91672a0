/** Outputs for a CI system: GitHub's output file, step summary and annotations, and JUnit when `--junit` is set. */
import { existsSync } from 'node:fs';
import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { randomBytes } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import type { Io } from '../io.ts';

export type CiFacts = Readonly<Record<string, string | number | boolean | undefined>>;

/** `GITHUB_ACTIONS`: only there do these lines mean anything. */
export function inGitHub(io: Io): boolean {
  return io.env['GITHUB_ACTIONS'] === 'true';
}

/**
 * What agents write is printed too, and GitHub takes any line with a workflow command for one. Until the returned function
 * is called it takes none.
 */
export function suspendWorkflowCommands(io: Io): () => void {
  if (!inGitHub(io)) return () => undefined;
  const token = randomBytes(16).toString('hex');
  io.err(`::stop-commands::${token}`);
  let held = true;
  return () => {
    if (held) io.err(`::${token}::`);
    held = false;
  };
}

/** Lines of `$GITHUB_OUTPUT`, or of the file that `TANDEM_OUTPUTS` names in a plain shell. */
export async function writeOutputs(facts: CiFacts, io: Io): Promise<void> {
  const lines = Object.entries(facts).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${oneLine(String(value))}`],
  );
  for (const name of ['GITHUB_OUTPUT', 'TANDEM_OUTPUTS']) {
    const file = io.env[name];
    if (file !== undefined && file !== '')
      await warnOnFailure(io, name, () => appendFile(file, `${lines.join('\n')}\n`));
  }
}

/** A value with a line break would be two outputs. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, ' ');
}

/** GitHub refuses the whole file above 1 MiB. */
const SUMMARY_LIMIT = 900 * 1024;

export async function writeStepSummary(markdown: string, io: Io): Promise<void> {
  const file = io.env['GITHUB_STEP_SUMMARY'];
  if (file === undefined || file === '') return;
  await warnOnFailure(io, 'GITHUB_STEP_SUMMARY', async () => {
    const used = await stat(file).then(
      ({ size }) => size,
      () => 0,
    );
    const fits = used + Buffer.byteLength(markdown) <= SUMMARY_LIMIT;
    await appendFile(file, fits ? `${markdown}\n` : '_The summary is full; the rest is in the report of the run._\n');
  });
}

export async function writeJUnit(path: string | undefined, xml: string): Promise<void> {
  if (path === undefined) return;
  await makeFolder(dirname(path));
  await writeFile(path, xml);
}

/** One by one: with `recursive` in a place where none can be made, such as below /proc, Node tries for ever. */
async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Relative to the repository, with slashes; undefined for what lies outside of it. */
export function inRepository(path: string, io: Io): string | undefined {
  const root = resolve(io.env['GITHUB_WORKSPACE'] ?? io.cwd);
  const shown = relative(root, path).split(sep).join('/');
  return shown === '' || shown.startsWith('..') ? undefined : shown;
}

/** `scenario.yaml` of the scenario that a run folder lies in. */
export function briefFile(runFolder: string): string {
  return join(resolve(runFolder, '../..'), 'scenario.yaml');
}

/** A CI file that cannot be written is reported and changes no verdict. */
async function warnOnFailure(io: Io, name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    io.err(`${name} cannot be written: ${messageOf(error)}`);
  }
}
