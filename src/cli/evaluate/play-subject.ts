/** Plans what `tandem evaluate` plays and within which limits, and plays one subject. */
import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { evaluateScenario, type ScenarioEvaluated } from '../../app/evaluation/evaluate-scenario.ts';
import { identifySubject } from '../../app/evaluation/subject-identity.ts';
import { openConfined } from '../../app/open-sandbox.ts';
import { toolWorlds } from '../../app/open-tool-worlds.ts';
import { findHome, type Home } from '../../config/home.ts';
import { findAdvice, onDisk } from '../../disk/disk-fault.ts';
import { refuseFolder } from '../../disk/named-output.ts';
import { loadScenario, type Scenario } from '../../config/load-scenario.ts';
import type { Config } from '../../config/schema.ts';
import { HarnessError, usageError } from '../../errors.ts';
import type { SampleDone } from '../../evaluation/evaluate.ts';
import { listChanges, openEvaluationFolder } from '../../pipeline/evaluation/evaluation-folder.ts';
import { findLayer } from '../../report/run/layers.ts';
import { formatCount } from '../../report/text/number-format.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { Brief, MOST_TRIALS } from '../../scenario/brief.ts';
import type { Design } from '../../scenario/design.ts';
import type { Verification } from '../../scenario/result.ts';
import type { ResultsVerdict } from '../../scenario/statistics/judge-results.ts';
import type { JudgedResults } from '../../report/run/results-junit.ts';
import type { ResultsCiOptions } from '../ci/report-results.ts';
import { type Call, createStop, type BooleanFlags, type TextFlags, EXIT, type Io } from '../command-context.ts';
import { parseOptionalCount, parseUsd } from '../parse-numbers.ts';
import { printProgress } from '../print-progress.ts';
import { loadRunConfig, type RunOptions } from '../run/settings.ts';
import { componentsIn, designFor, findDesignFolder } from './read-iteration.ts';
import { existsSync } from 'node:fs';
import { readYamlFile } from '../../config/yaml-file.ts';
import { SubjectBrief } from '../../scenario/subject.ts';

export type EvaluateOptions = Pick<RunOptions, 'profile' | 'sandbox' | 'allowUnsandboxed' | 'json'> &
  TextFlags<'components' | 'design' | 'out' | 'maxUsd' | 'limit' | 'trials' | 'versionOf'> &
  ResultsCiOptions &
  BooleanFlags<'provenOnly'> & { subject?: string[] | undefined };

const MOST_LINES = 20;

/** The evaluation to play, with its limits. */
export type EvaluationPlan = {
  home: Home;
  config: Config;
  scenario: Scenario;
  components: string;
  design: Design;
  designDir: string;
  maxUsd: number;
  limit: number;
  /** Trials of each sample, in place of what the scenario and its samples say. */
  trials: number | undefined;
  out: string | undefined;
  /** A file, a folder or a text that changes with the subject. */
  version: string | undefined;
  provenOnly: boolean;
  json: boolean;
} & Call;

export async function planEvaluation(
  name: string,
  options: EvaluateOptions,
  { io, signal }: Call,
): Promise<EvaluationPlan> {
  const home = findHome(io.cwd);
  if (options.out !== undefined)
    refuseFolder({ flag: '--out', path: resolve(io.cwd, options.out), project: home.project });
  const config = await loadRunConfig(home, options, io);
  const scenario = await loadScenario(home, name);
  const at = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(io.cwd, path));
  const components = await componentsIn(at(options.components) ?? scenario.dir);
  if (components === undefined && options.components !== undefined)
    throw usageError(`--components ${options.components}: has none of tools/, checkers/ and samples/.`);
  if (components === undefined)
    throw usageError(
      `${name} has no components yet: name a folder with tools/, checkers/ and samples/ by --components, or have them built by tandem run ${name}.`,
    );
  const named = at(options.design);
  const { maxUsd } = options;
  return {
    ...{ home, config, scenario, components, io, signal },
    design: await designFor(components, named),
    designDir: await findDesignFolder(components, named),
    maxUsd: maxUsd === undefined ? scenario.brief.budget_usd : parseUsd('--max-usd', maxUsd),
    limit: parseOptionalCount('--limit', options.limit) ?? Number.POSITIVE_INFINITY,
    trials: parseOptionalCount('--trials', options.trials, MOST_TRIALS),
    out: at(options.out),
    version: options.versionOf === undefined ? undefined : await findVersion(options.versionOf, io.cwd),
    provenOnly: options.provenOnly ?? false,
    json: options.json ?? false,
  };
}

/** Plays the scenario's own subject, or another in its place. */
export async function playSubject(
  plan: EvaluationPlan,
  subject: NamedSubject | undefined,
): Promise<{ played: ScenarioEvaluated; dir: string }> {
  const { home, config, design, io, signal, maxUsd, limit, trials, provenOnly } = plan;
  const scenario = withSubject(plan.scenario, subject);
  const input = await describeFolder(plan, subject);
  const place = plan.out ?? input.parent;
  const folder = await onDisk(`Copying the components into ${place}`, () => openEvaluationFolder(input));
  if (folder.changed.length > 0)
    io.err(`Begins anew: the subject has changed since the evaluation that is there (${joinNames(folder.changed)})`);
  io.err(`${folder.resumed ? 'Goes on in' : 'Evaluates in'} ${folder.dir}`);
  try {
    const { use: choice, allow_unsandboxed: allowUnsandboxed } = config.sandbox;
    const confined = await openConfined({ choice, allowUnsandboxed });
    const { tools } = scenario.brief;
    const sandbox = tools === undefined ? confined : toolWorlds(io.env)(tools, scenario.dir).serve(confined);
    for (const gap of sandbox.gaps) io.err(`sandbox ${sandbox.kind}: ${gap}`);
    const request = { home, config, env: io.env, scenario, design, folder, sandbox };
    const gold = subject === 'gold' ? subject : undefined;
    const limits = { subject: gold, maxUsd, limit, trials, provenOnly, signal, listener: progressReporter(io) };
    const played = await evaluateScenario({ ...request, ...limits });
    const changed = listChanges(input.subject, await identifyPlayed(plan, subject));
    // No fault by itself: an agent may keep a file of its own beside its program.
    if (changed.length > 0)
      io.err(
        `Changed while it was played: ${joinNames(changed)}. If that is the agent, its results are of two versions.`,
      );
    return { played, dir: folder.dir };
  } catch (error) {
    const { dir } = folder;
    if (signal.aborted) throw createStop(signal, `what is finished lies in ${dir}: the same command goes on.`, dir);
    // A full disk names no file, and the folder is what a person looks for.
    if (findAdvice(error) !== undefined) return await onDisk(`Evaluating in ${dir}`, () => Promise.reject(error));
    throw error;
  } finally {
    await folder.close();
  }
}

/** What the folder of this evaluation holds, or is to hold. */
export async function describeFolder(plan: EvaluationPlan, subject: NamedSubject | undefined) {
  return {
    ...{ components: plan.components, design: plan.designDir, designDigest: plan.design.digest },
    ...{ parent: join(plan.scenario.dir, 'evaluations'), out: plan.out },
    subject: await identifyPlayed(plan, subject),
  };
}

async function identifyPlayed({ scenario, version }: EvaluationPlan, subject: NamedSubject | undefined) {
  return identifySubject({ subject: subject ?? scenario.brief.subject, scenarioDir: scenario.dir, version });
}

/** A path becomes absolute; any other text is left as it is. What begins as a path and is none is a slip. */
async function findVersion(given: string, cwd: string): Promise<string> {
  if (given.trim() === '')
    throw usageError('--version-of is empty; a command in it printed nothing. Name a file, a folder or a text.');
  const path = resolve(cwd, given);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true || found?.isDirectory() === true) return path;
  if (found === undefined && !/^\.{0,2}\//.test(given)) return given;
  throw usageError(`--version-of ${given}: there is no such file or folder.`);
}

const MOST_NAMED = 5;

function joinNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return terminalText(`${names.slice(0, MOST_NAMED).join(', ')}${more}`);
}

function withSubject(scenario: Scenario, subject: NamedSubject | undefined): Scenario {
  if (subject === undefined || subject === 'gold') return scenario;
  const parsed = Brief.safeParse({ ...scenario.brief, subject });
  if (parsed.success) return { ...scenario, brief: parsed.data };
  throw new HarnessError(
    'config_invalid',
    `--subject: ${parsed.error.issues.map(({ message }) => message).join('; ')}`,
  );
}

function progressReporter(io: Io) {
  return {
    progress: printProgress(io),
    proving: () => io.err('Proving the components before any subject is called.'),
    playing: ({ simulated, endpoint }: { simulated: boolean; endpoint: string | undefined }): void => {
      if (simulated) io.err('SIMULATED: every model answer comes from the offline model.');
      else if (endpoint !== undefined) io.err(`Models: ${endpoint}`);
    },
    sample: ({ sample, trial, outcome, layer, why, done, total }: SampleDone): void => {
      const cause = why ?? findLayer({ layer })?.name;
      io.err(terminalText(`${done}/${total} ${outcome} ${sample}.${trial}${cause === undefined ? '' : ` (${cause})`}`));
    },
  };
}

export const VERDICT_EXIT: Readonly<Record<ResultsVerdict, number>> = {
  met: EXIT.met,
  'not met': EXIT.notMet,
  disputed: EXIT.notMet,
  incomplete: EXIT.infrastructure,
};

/** The end of an evaluation; `why` says why nothing was played. */
export type EvaluationEnd = {
  code: number;
  dir: string | undefined;
  judged: JudgedResults[];
  markdown: string;
  why?: string;
};

/** Reports why nothing was played. */
export function reportRefusal(
  problems: Verification['problems'],
  dir: string,
  { io, json }: EvaluationPlan,
): EvaluationEnd {
  if (json) io.out(JSON.stringify({ folder: dir, played: false, problems }));
  const lines = formatRefusal(problems, dir, io.cwd);
  if (!json) for (const line of lines) io.out(terminalText(line));
  return { code: EXIT.notMet, dir, judged: [], markdown: lines.join('\n\n'), why: lines.slice(0, 3).join('; ') };
}

/** A path with a space in it is one word of the command that is advised. */
const quoteWord = (word: string): string => (/\s/.test(word) ? JSON.stringify(word) : word);

function formatRefusal(problems: readonly { message: string }[], dir: string, cwd: string): string[] {
  const rest = problems.length - MOST_LINES;
  return [
    `The components do not prove themselves, and nothing was played: ${formatCount(problems.length, 'problem')}`,
    ...problems.slice(0, MOST_LINES).map(({ message }) => `  ${message}`),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
    `All of it: tandem verify-components ${quoteWord(relative(cwd, dir))}; --proven-only plays the other samples`,
  ];
}

export type NamedSubject = 'gold' | SubjectBrief;

/** Undefined where none is named, so that the scenario's own subject plays. */
export async function readNamedSubject(values: readonly string[], cwd: string): Promise<NamedSubject | undefined> {
  const [value, another] = values;
  if (another !== undefined)
    throw usageError(
      `--subject ${another}: one evaluation plays one subject. Evaluate each into its own folder, and compare them: tandem evaluate <scenario> --subject ${value} --out one; tandem evaluate <scenario> --subject ${another} --out other; tandem compare one other`,
    );
  if (value === undefined || value === 'gold') return value;
  const path = resolve(cwd, value);
  if (existsSync(path)) return readYamlFile(path, SubjectBrief, value);
  throw usageError(
    `--subject ${value}: expected gold, or a YAML file that holds what \`subject:\` of scenario.yaml does.`,
  );
}
