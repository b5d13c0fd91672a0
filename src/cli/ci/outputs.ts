/** Outputs for a CI system: GitHub's output file, step summary and annotations, and JUnit when `--junit` is set. */
import { appendFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { randomBytes } from 'node:crypto';
import { findHome } from '../../config/home.ts';
import { JUNIT_FILE, writeOutput, type NamedOutput } from '../../disk/named-output.ts';
import { describeError } from '../../errors.ts';
import type { Io } from '../io.ts';

export type CiFacts = Readonly<Record<string, string | number | boolean | undefined>>;

/** Reads `GITHUB_ACTIONS`: workflow commands mean something only there. */
export function isGitHubActions(io: Io): boolean {
  return io.env['GITHUB_ACTIONS'] === 'true';
}

/**
 * Stops GitHub from reading workflow commands in the output, where texts written by agents could contain them,
 * until the returned function is called.
 */
export function suspendWorkflowCommands(io: Io): () => void {
  if (!isGitHubActions(io)) return () => undefined;
  const token = randomBytes(16).toString('hex');
  io.err(`::stop-commands::${token}`);
  let held = true;
  return () => {
    if (held) io.err(`::${token}::`);
    held = false;
  };
}

/** Appends to `$GITHUB_OUTPUT`, or to the file that `TANDEM_OUTPUTS` names in a plain shell. */
export async function writeOutputs(facts: CiFacts, io: Io): Promise<void> {
  const lines = Object.entries(facts).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${toSingleLine(String(value))}`],
  );
  for (const name of ['GITHUB_OUTPUT', 'TANDEM_OUTPUTS']) {
    const file = io.env[name];
    if (file !== undefined && file !== '')
      await warnOnFailure(io, name, () => appendFile(file, `${lines.join('\n')}\n`));
  }
}

/** Joins the lines of a value: GitHub would read a line break as the start of another output. */
function toSingleLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, ' ');
}

/** GitHub rejects the whole step summary above 1 MiB. */
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

/** The file of `--junit`, which is a second copy of the report in the run's folder. */
export function nameJUnit(path: string, io: Io): NamedOutput {
  return { flag: '--junit', path, project: findHome(io.cwd).project, kind: JUNIT_FILE };
}

export async function writeJUnit(path: string | undefined, xml: string, io: Io): Promise<void> {
  if (path !== undefined) await writeOutput(nameJUnit(path, io), xml);
}

/** Returns the path relative to the repository, with slashes; undefined when it lies outside. */
export function toRepositoryPath(path: string, io: Io): string | undefined {
  const root = resolve(io.env['GITHUB_WORKSPACE'] ?? io.cwd);
  const shown = relative(root, path).split(sep).join('/');
  return shown === '' || shown.startsWith('..') ? undefined : shown;
}

/** Returns the path of `scenario.yaml` in the scenario to which a run folder belongs. */
export function findScenarioFile(runFolder: string): string {
  return join(resolve(runFolder, '../..'), 'scenario.yaml');
}

/** Reports a CI file that cannot be written; the exit code stays the same. */
async function warnOnFailure(io: Io, name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    io.err(`${name} cannot be written: ${describeError(error)}`);
  }
}
