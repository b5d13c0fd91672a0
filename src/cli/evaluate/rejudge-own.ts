/** `tandem rejudge <run or traces>`: judges Tandem's own traces with a set of components, without a model or tools. */
import { resolve, basename, dirname, join, relative } from 'node:path';
import { HarnessError, usageError } from '../../errors.ts';
import { loadInSession } from '../../evaluation/components/load-components.ts';
import { rememberedGrading } from '../../evaluation/graders/grading.ts';
import { rejudgeOwn, type RejudgedSet, type RecordedTrace } from '../../evaluation/rejudge/rejudge.ts';
import type { Design } from '../../scenario/design.ts';
import { settleByLabels } from '../../pipeline/evaluation/settled-results.ts';
import type { Results } from '../../scenario/result.ts';
import { scoreSamples, toSampleOutcome } from '../../scenario/statistics/score.ts';
import { describeVerdict, toVerdictJson } from './verdict-line.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { componentsIn, designFor, readIteration, readResultsFile } from './read-iteration.ts';
import { findHome } from '../../config/home.ts';
import { loadPrompts } from '../../config/load-prompts.ts';
import type { Call, BooleanFlags, TextFlags, Io } from '../command-context.ts';
import { printLines } from './rejudge-set.ts';
import { sandboxOver, type SandboxFlags } from '../open-command-sandbox.ts';
import { readdir, stat } from 'node:fs/promises';
import { readNamedText } from '../../disk/read-named-file.ts';

/** `scenario` is the folder of the components to judge by; `otherDesign` also accepts traces of another design. */
export type RejudgeOwnOptions = SandboxFlags &
  TextFlags<'scenario' | 'design' | 'iteration'> &
  BooleanFlags<'otherDesign' | 'json'>;

export type OwnSummary = {
  file: string;
  n: number;
  agreed: number;
  passK: number[];
  /** Number of rows that disagree or were refused. */
  faults: number;
} & Record<string, unknown>;

export async function rejudgeOwnTraces(
  name: string,
  options: RejudgeOwnOptions,
  { io, signal }: Call,
): Promise<OwnSummary> {
  const recording = await ownRecording(name, options.iteration, io);
  const { dir, design } = await scenarioFor(recording, options, io);
  const sandbox = await sandboxOver(dir, options, io);
  const session = await sandbox.open(dir);
  try {
    const { components, problems } = await loadInSession(session, dir, signal);
    for (const { message } of problems) io.err(terminalText(`not loaded: ${message}`));
    const { results } = recording;
    const remembered = results === undefined ? [] : [results];
    const grading = rememberedGrading(remembered, await loadPrompts(findHome(io.cwd)));
    const set = await rejudgeOwn(recording.traces, { components, session, grading }, signal);
    const under = { design, again: await judgeAgain(recording, set) };
    if (options.json !== true) printLines(formatOwnSummary(recording, set, under), io);
    return summarizeRecording(recording, set, under);
  } finally {
    await session.close();
  }
}

type JudgedUnder = { design: Design; again: Results | undefined };

/** A recording of another design is judged only when the person asks for it. */
async function scenarioFor(
  { shown, dir: tracesDir, designDigest }: OwnRecording,
  { scenario, design: named, otherDesign }: RejudgeOwnOptions,
  io: Io,
): Promise<{ dir: string; design: Design }> {
  const place = scenario === undefined ? tracesDir : resolve(io.cwd, scenario);
  const dir = await componentsIn(place);
  if (dir === undefined) {
    const where =
      scenario === undefined ? `next to the traces of ${shown}; name them with --scenario <dir>` : `in ${scenario}`;
    throw usageError(`There are no tools/, checkers/ and samples/ ${where}.`);
  }
  const design = await designFor(dir, named === undefined ? undefined : resolve(io.cwd, named));
  if (designDigest === undefined || designDigest === design.digest || otherDesign === true) return { dir, design };
  const [recorded, here] = [designDigest, design.digest].map((digest) => digest.slice(0, 12));
  throw new HarnessError(
    'version_mismatch',
    `${shown} was recorded under design ${recorded}, and ${dir} belongs to design ${here}: nothing was judged. ` +
      'Name the components of its own design, or judge it by the other one with --other-design.',
  );
}

function summarizeRecording(
  { shown, traces, designDigest }: OwnRecording,
  set: RejudgedSet,
  { design, again }: JudgedUnder,
): OwnSummary {
  const { rows, refused, passK } = set;
  const disagreed = rows.filter(({ agrees }) => agrees === false);
  return {
    file: shown,
    n: traces.length,
    agreed: rows.filter(({ agrees }) => agrees === true).length,
    ...(again && toVerdictJson(again)),
    passK,
    refused,
    disagreed: disagreed.map(({ at, sample, trial, recorded, outcome, verdicts }) => ({
      ...{ at, sample, trial, recorded, judged: outcome },
      why: verdicts.filter(({ pass }) => !pass).map(({ checker, reason }) => `${checker}: ${reason}`),
    })),
    outcomes: Object.groupBy(rows, ({ outcome }) => outcome),
    unrecorded: rows.filter(({ agrees }) => agrees === undefined).length,
    design: { recorded: designDigest ?? null, judged: design.digest },
    faults: disagreed.length + refused.length,
  };
}

/** Returns the recorded results with the outcomes of now; undefined where not all were judged again. */
async function judgeAgain({ results, dir }: OwnRecording, { rows }: RejudgedSet): Promise<Results | undefined> {
  const judged = new Map(rows.map(({ sample, trial, outcome }) => [`${sample}.${trial}`, outcome]));
  if (results === undefined || rows.length < results.samples.flatMap(({ trials }) => trials).length) return undefined;
  const samples = results.samples.map((sample) => {
    const trials = sample.trials.map((trial) => ({
      ...trial,
      outcome: judged.get(`${sample.id}.${trial.trial}`) ?? trial.outcome,
    }));
    return { ...sample, trials, outcome: toSampleOutcome(trials.map(({ outcome }) => outcome)) };
  });
  return settleByLabels({ ...results, ...scoreSamples(samples), samples }, { dir });
}

function formatOwnSummary(
  { shown, traces, designDigest }: OwnRecording,
  { rows, refused, passK }: RejudgedSet,
  { design, again }: JudgedUnder,
) {
  const known = rows.filter(({ agrees }) => agrees !== undefined);
  const agreed = known.filter(({ agrees }) => agrees === true).length;
  const powers = passK.map((value, index) => `pass^${index + 1} ${value.toFixed(4)}`).join('  ');
  const passed = rows.filter(({ outcome }) => outcome === 'pass').length;
  const agreement = known.length === 0 ? 'no outcome is recorded' : `${agreed} of ${traces.length} agree`;
  return [
    `${shown}: ${agreement}  ${passed} pass, ${rows.length - passed} do not  ${powers}`,
    `  judged under design ${design.digest.slice(0, 12)}, ${recordedUnder(designDigest, design.digest)}`,
    ...(again === undefined ? [] : [`  ${describeVerdict(again)}`]),
    ...refused.map(({ at, code, message }) => `  not judged (${code}) ${at}: ${message}`),
    ...rows.flatMap(({ at, why }) => (why === undefined ? [] : [`  not judged ${at}: ${why}`])),
    ...rows.flatMap(({ at, agrees, recorded, outcome, verdicts, why: left }) => {
      if (agrees !== false || left !== undefined) return [];
      const failed = verdicts.find(({ pass }) => !pass);
      return [
        `  disagrees ${at}: recorded ${recorded}, judged ${outcome}${failed === undefined ? '' : `: ${failed.checker}: ${failed.reason}`}`,
      ];
    }),
  ];
}

function recordedUnder(recorded: string | undefined, judged: string): string {
  if (recorded === undefined)
    return 'which one it was recorded under is not known: there is no results.json next to it';
  return recorded === judged ? 'which it was recorded under' : `recorded under ${recorded.slice(0, 12)}`;
}

type OwnRecording = {
  /** The name as typed, and which part of it was used. */
  shown: string;
  /** Absolute folder in which its components would lie. */
  dir: string;
  traces: RecordedTrace[];
  /** Digest of the design under which it was recorded, when `results.json` has it. */
  designDigest: string | undefined;
  /** Contents of the `results.json` next to the traces. */
  results: Results | undefined;
};

const TRACE = /^(?<name>[\w-]+\.\d+)\.jsonl(?:\.gz)?$/;

/** Reads the traces without judging them; `not_found` or `usage` says what was expected. */
async function ownRecording(name: string, iteration: string | undefined, io: Io): Promise<OwnRecording> {
  const path = resolve(io.cwd, name);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) {
    const folder = dirname(path);
    return fromFolder(basename(folder) === 'traces' ? dirname(folder) : folder, name, [path]);
  }
  if (found === undefined) return fromRun({ run: name, shown: name, iteration }, io);
  const names: string[] = await readdir(path);
  if (names.includes('events')) return fromRun({ run: path, shown: name, iteration }, io);
  const folder = names.includes('traces') ? join(path, 'traces') : path;
  const files = await listTraces(folder);
  if (files.length === 0)
    throw usageError(`${name}: holds no traces (<sample>.<trial>.jsonl). Name a run, an iteration or a trace.`);
  return fromFolder(basename(folder) === 'traces' ? dirname(folder) : folder, name, files);
}

type NamedRun = { run: string; shown: string; iteration: string | undefined };

async function fromRun({ run, shown, iteration }: NamedRun, io: Io): Promise<OwnRecording> {
  const { dir, written, run: id } = await readIteration(run, iteration, io);
  const files = await listTraces(join(dir, 'traces'));
  if (files.length === 0) throw usageError(`Iteration ${written.iteration} of run ${id} has no traces.`);
  return fromFolder(dir, `${shown}, iteration ${written.iteration}`, files);
}

async function listTraces(folder: string): Promise<string[]> {
  const names: string[] = await readdir(folder).catch(() => []);
  return names.filter((name) => TRACE.test(name)).map((name) => join(folder, name));
}

async function fromFolder(dir: string, shown: string, files: readonly string[]): Promise<OwnRecording> {
  const file = join(dir, 'results.json');
  const results = (await stat(file).catch(() => undefined)) === undefined ? undefined : await readResultsFile(file);
  const outcomes = new Map<string, RecordedTrace['recorded']>(
    results?.samples.flatMap(({ id, trials }) =>
      trials.map(({ trial, outcome }) => [`${id}.${trial}`, outcome] as const),
    ),
  );
  const traces: RecordedTrace[] = [];
  for (const path of files.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))) {
    const name = TRACE.exec(basename(path))?.groups?.['name'];
    const at = files.length === 1 ? shown : relative(dir, path);
    const text = await readNamedText(path, at);
    const recorded = name === undefined ? undefined : outcomes.get(name);
    traces.push({ at, text, ...(name === undefined ? {} : { name }), recorded });
  }
  return { shown, dir, traces, designDigest: results?.designDigest, results };
}
