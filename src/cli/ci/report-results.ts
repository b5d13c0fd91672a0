/** Reports results without a run to a CI system: JUnit, SARIF, outputs for later steps, a summary page, annotations. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findHome } from '../../config/home.ts';
import { refuseOutput, SARIF_FILE, writeOutput } from '../../disk/named-output.ts';
import { describeError } from '../../errors.ts';
import { lineInJson } from '../../evaluation/components/line-in-json.ts';
import { annotationLines, annotateSample, renderSarif, type Annotation } from '../../report/run/annotations.ts';
import { renderUnplayedJUnit } from '../../report/run/results-junit.ts';
import type { Results } from '../../scenario/result.ts';
import type { BooleanFlags, TextFlags } from '../command-context.ts';
import { getErrorExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import {
  isGitHubActions,
  nameJUnit,
  suspendWorkflowCommands,
  toRepositoryPath,
  writeOutputs,
  writeStepSummary,
  type CiFacts,
} from './outputs.ts';

export type ResultsCiOptions = BooleanFlags<'ci'> & TextFlags<'junit' | 'sarif'>;

export type ReportedResults = {
  code: number;
  /** The folder of the evaluation, where the JUnit report lies by default. */
  dir: string | undefined;
  /** One for each subject. */
  results: readonly Results[];
  /** The components where a person repairs them. */
  components: string | undefined;
  junit: string;
  markdown: string;
  outputs: CiFacts;
};

/** Runs the command and reports its end; files that cannot be written are refused before it. */
export async function reportResults(
  options: ResultsCiOptions,
  { name, io }: { name: string; io: Io },
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
    if (sarifOutput) await writeOutput(sarifOutput, renderSarif(annotations));
    if (options.ci !== true) return;
    await writeOutputs({ ...outputs, exit_code: code, folder: dir, junit: file }, io);
    await writeStepSummary(ended.markdown, io);
    takeCommands();
    if (isGitHubActions(io)) for (const line of annotationLines(annotations, undefined)) io.err(line);
  };
  try {
    const ended = await work();
    await writeReports(ended);
    return ended.code;
  } catch (error) {
    const [message, empty] = [
      describeError(error),
      { dir: undefined, results: [], components: undefined, outputs: {} },
    ];
    const ended = { ...empty, code: getErrorExitCode(error), junit: renderUnplayedJUnit(name, message) };
    await writeReports({ ...ended, markdown: `**${name}**: ${message}` });
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
