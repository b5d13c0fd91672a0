/** Reports to a CI system: JUnit, SARIF, outputs for later steps, a summary page, annotations. */
import { readFile, appendFile, stat } from 'node:fs/promises';
import { join, resolve, relative, sep } from 'node:path';
import { findHome } from '../../config/home.ts';
import { refuseOutput, SARIF_FILE, writeOutput, JUNIT_FILE, type NamedOutput } from '../../disk/named-output.ts';
import { describeError, isHarnessError } from '../../errors.ts';
import { lineInJson } from '../../evaluation/components/line-in-json.ts';
import { annotationLines, annotateSample, listUnfinished } from '../../report/run/annotations.ts';
import { renderSarif, type Annotation } from '../../report/run/annotations.ts';
import { renderUnplayedJUnit } from '../../report/run/results-junit.ts';
import type { Results } from '../../scenario/result.ts';
import { type BooleanFlags, type TextFlags, getErrorExitCode, type Io } from '../command-context.ts';
import { randomBytes } from 'node:crypto';

export type ResultsCiOptions = BooleanFlags<'ci'> & TextFlags<'junit' | 'sarif'>;

export type ReportedResults = {
  code: number;
  /** The folder of the evaluation, where the JUnit report lies by default. */
  dir: string | undefined;
  /** The results whose failures are shown, one for each subject. */
  results: readonly Results[];
  /** What did not finish; nothing may look as if it had passed. */
  unfinished: readonly Annotation[];
  /** The components where a person repairs them. */
  components: string | undefined;
  junit: string;
  markdown: string;
  outputs: CiFacts;
};

/** Runs the command and reports its end; files that cannot be written are refused before it. */
export async function reportResults(
  options: ResultsCiOptions,
  { getName, io }: { getName: () => string; io: Io },
  work: () => Promise<ReportedResults>,
): Promise<number> {
  const at = (path: string | undefined) => (path === undefined ? undefined : resolve(io.cwd, path));
  const [junit, sarif] = [at(options.junit), at(options.sarif)];
  const project = findHome(io.cwd).project;
  const sarifOutput = sarif && { flag: '--sarif', path: sarif, project, kind: SARIF_FILE };
  if (junit !== undefined) refuseOutput(nameJUnit(junit, io));
  if (sarifOutput) refuseOutput(sarifOutput);
  const takeCommands = options.ci === true ? suspendWorkflowCommands(io) : () => undefined;
  const writeReports = async (ended: ReportedResults): Promise<void> => {
    const { code, dir, results, outputs } = ended;
    const file = junit ?? (options.ci === true && dir !== undefined ? join(dir, 'junit.xml') : undefined);
    if (file !== undefined) await writeOutput(nameJUnit(file, io), ended.junit);
    const annotations = options.ci === true || sarifOutput ? await locateFailures(results, ended.components, io) : [];
    if (sarifOutput) await writeOutput(sarifOutput, renderSarif(annotations, ended.unfinished));
    if (options.ci !== true) return;
    await writeOutputs({ ...outputs, exit_code: code, folder: dir, junit: file }, io);
    await writeStepSummary(ended.markdown, io);
    takeCommands();
    if (isGitHubActions(io))
      for (const line of annotationLines([...annotations, ...ended.unfinished], undefined)) io.err(line);
  };
  try {
    const ended = await work();
    await writeReports(ended);
    return ended.code;
  } catch (error) {
    const [message, name] = [describeError(error), getName()];
    const dir = isHarnessError(error) && typeof error.details['dir'] === 'string' ? error.details['dir'] : undefined;
    await writeReports({
      ...{ code: getErrorExitCode(error), dir, results: [], components: undefined, outputs: {} },
      unfinished: listUnfinished(name, { judged: [], why: message }),
      junit: renderUnplayedJUnit(name, message),
      markdown: `**${name}**: ${message}`,
    });
    throw error;
  } finally {
    takeCommands();
  }
}

/** Puts each failure at the file that decides it: the tool or checker that is at fault, or the line of its sample. */
async function locateFailures(
  results: readonly Results[],
  components: string | undefined,
  io: Io,
): Promise<Annotation[]> {
  const failed = results.flatMap(({ samples }) => samples.filter(({ outcome }) => outcome === 'fail'));
  return Promise.all(
    failed.map(async (sample) => {
      const { component, pointer, ...annotation } = annotateSample(sample);
      const path = components === undefined ? undefined : join(components, component);
      const file = path === undefined ? undefined : toRepositoryPath(path, io);
      const text = path === undefined || pointer === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
      return { ...annotation, rule: component, file, line: lineInJson(text, `${pointer}:`) ?? 1 };
    }),
  );
}

type CiFacts = Readonly<Record<string, string | number | boolean | undefined>>;

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
    const used = await stat(file).catch(() => undefined);
    const fits = (used?.size ?? 0) + Buffer.byteLength(markdown) <= SUMMARY_LIMIT;
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

/** Reports a CI file that cannot be written; the exit code stays the same. */
async function warnOnFailure(io: Io, name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    io.err(`${name} cannot be written: ${describeError(error)}`);
  }
}
