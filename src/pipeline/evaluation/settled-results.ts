/** Doubtful verdicts and the labels by which people settle them: what waits for one, and results as settled. */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256 } from '../../disk/sha256.ts';
import { openSharedFiles } from '../../disk/shared-files.ts';
import { findCopyHome } from '../../disk/working-copy.ts';
import { isHarnessError, usageError, HarnessError } from '../../errors.ts';
import { readTraceText } from '../../evaluation/trial/read-trace.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { readLabels, appendLabel, type NewLabel } from '../../run-folder/label-journal.ts';
import { readResults } from '../../run-folder/read-results.ts';
import { outputDir } from '../../run/layout.ts';
import { agreedLabels, type Label } from '../../scenario/label.ts';
import type { Results, TrialResult } from '../../scenario/result.ts';
import { settleDisputes, VERDICT_QUESTION, type Settlement } from '../../scenario/settle-disputes.ts';
import { toLabelQuestion, type AskedGrader } from './participants.ts';
import { loadData } from '../../evaluation/components/load-components.ts';
import { gradedRecord } from '../../evaluation/graders/graded-record.ts';
import { readOwnTrace } from '../../evaluation/rejudge/own-trace.ts';
import type { GraderReport } from '../../scenario/grader.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { TrialRecord } from '../../evaluation/components/trial-record.ts';
import { graderReports } from '../../scenario/statistics/grader-reports.ts';

/** Returns undefined when the iteration was returned before its evaluation. */
export async function readSettledResults(
  run: Pick<RunFolder, 'dir' | 'read' | 'around'>,
  iteration: number,
  place = outputDir(iteration),
): Promise<Results | undefined> {
  const results = await readResults(run, iteration, place);
  return results && settleByLabels(results, { dir: join(run.dir, place), labels: run.around?.labels });
}

type ResultsPlace = { dir: string; labels?: SharedFiles | undefined };

/** `dir` is the folder of the results; a label counts for the very trace that its person read. */
export async function settleByLabels(results: Results, { dir, labels: files }: ResultsPlace): Promise<Results> {
  const doubtful = results.samples.flatMap(({ trials }) => trials.filter(({ disputed }) => disputed !== undefined));
  if (doubtful.length === 0) return results;
  const place = files ?? (await findLabels(dir).catch(ignoreMissingPlace));
  const labels = place === undefined ? [] : await readLabels(place);
  if (!labels.some(({ grader }) => grader === VERDICT_QUESTION.id)) return results;
  const keys = new Map<string, string>();
  for (const { trace } of doubtful) keys.set(trace, sha256((await readTraceText(dir, trace)) ?? ''));
  return settleDisputes(results, (_sample, { trace }) => findSettlement(labels, keys.get(trace)));
}

function findSettlement(labels: readonly Label[], key: string | undefined): Settlement | undefined {
  const about = labels.filter(({ grader, judged }) => grader === VERDICT_QUESTION.id && judged?.key === key);
  const verdict = agreedLabels(about, toLabelQuestion(VERDICT_QUESTION))[0]?.verdict;
  const newest = about.findLast((label) => label.verdict === verdict);
  return verdict === undefined || newest === undefined ? undefined : { verdict, by: newest.by, reason: newest.reason };
}

/** Results outside a scenario have no labels. */
function ignoreMissingPlace(error: unknown): undefined {
  if (isHarnessError(error, 'usage')) return undefined;
  throw error;
}

/** Finds the labels next to `scenario.yaml`, or copied labels, in a folder around a run or its results. */
export async function findLabels(dir: string): Promise<SharedFiles> {
  const home = await findCopyHome(dir);
  if (home !== undefined) throw usageError(`${dir} is a working copy of what is in ${home}: name the run by its id.`);
  for (let at = dir; dirname(at) !== at; at = dirname(at)) {
    for (const file of ['scenario.yaml', 'labels/000000.json'])
      if ((await stat(join(at, file)).catch(() => undefined))?.isFile() === true)
        return openSharedFiles(at, { linked: true });
  }
  throw usageError(`${dir}: lies in no scenario's folder, so its labels have no place.`);
}

/** One conversation and one question; the verdict is not part of it. */
export type LabelTask = {
  /** `<sample>.<trial>`. */
  name: string;
  sample: string;
  trial: number;
  /** The grader, or the question about a doubtful verdict. */
  grader: AskedGrader;
  conversation: string;
  text: string;
};

export type Labelling = {
  /** Sorted by the digests of the conversations, each once, so that the order reveals no verdict. */
  tasks: LabelTask[];
  labels: () => Promise<Label[]>;
  /** Contract: the label is on disk when it resolves; with `once` a question is never answered twice, even at once. */
  add: (task: LabelTask, said: Pick<Label, 'by' | 'verdict' | 'reason'>, how?: { once: boolean }) => Promise<Label>;
  reports: () => Promise<GraderReport[]>;
  /** The results with the doubtful verdicts that labels have settled. */
  settle: () => Promise<Results>;
};

type LabellingInput = { results: Results; dir: string; run: string; labels?: SharedFiles | undefined };

/** `dir` is the folder of the results; without `labels`, those of the scenario around it are used. Contract: `usage` where nothing can be labelled. */
export async function openLabelling({ results, dir, run, ...place }: LabellingInput): Promise<Labelling> {
  const files = place.labels ?? (await findLabels(dir));
  const { graders, ...data } = await loadData(dir);
  const specs = new Map(graders.map((grader) => [grader.id, grader]));
  const verdicts = new Map<string, Label['judged']>();
  const tasks = new Map<string, LabelTask>();
  for (const { id, trials } of results.samples) {
    const sample = data.samples.find((one) => one.sample.id === id)?.sample;
    for (const played of trials) {
      const { trial, trace, verdicts: given } = played;
      const name = `${id}.${trial}`;
      if (played.disputed !== undefined && sample !== undefined) {
        const written = (await readTraceText(dir, trace)) ?? '';
        const doubtful = createVerdictTask(sample, played, readOwnTrace(written, trace, data).played);
        const task = `${VERDICT_QUESTION.id} ${doubtful.conversation}`;
        verdicts.set(task, { key: sha256(written), pass: played.outcome === 'pass' });
        tasks.set(task, doubtful);
      }
      for (const { checker, pass, broken, grader: by } of given) {
        const grader = specs.get(checker);
        if (by === undefined || broken === true || grader === undefined || sample === undefined) continue;
        const task = `${checker} ${by.conversation}`;
        verdicts.set(task, { key: by.key, pass });
        if (tasks.has(task)) continue;
        const { played } = readOwnTrace((await readTraceText(dir, trace)) ?? '', trace, data);
        const { text, digest } = gradedRecord(sample, played);
        if (digest !== by.conversation) throw createMismatchError(trace);
        tasks.set(task, { name, sample: id, trial, grader, conversation: digest, text });
      }
    }
  }
  if (tasks.size === 0)
    throw usageError(
      'No grader has judged a trial here and no verdict is in doubt, so there is no question to label. docs/graders.md says how to write one.',
    );
  const labels = () => readLabels(files);
  return {
    tasks: [...tasks.values()].toSorted((a, b) => (a.conversation < b.conversation ? -1 : 1)),
    labels,
    add: ({ grader, name: _name, ...task }, said, how) => {
      const judged = verdicts.get(`${grader.id} ${task.conversation}`);
      const { id, question } = toLabelQuestion(grader);
      const what = { grader: id, question, run, iteration: results.iteration, ...task };
      const label: NewLabel = { at: new Date().toISOString(), ...said, ...what, ...(judged && { judged }) };
      return appendLabel(files, label, how);
    },
    reports: async () => {
      const all = await labels();
      return graderReports(results.samples, (id) => {
        const grader = specs.get(id);
        return grader === undefined ? [] : agreedLabels(all, toLabelQuestion(grader));
      });
    },
    settle: () => settleByLabels(results, { dir, labels: files }),
  };
}

/** The record ends with the doubts, so that the person knows what to look for, and without the verdict. */
function createVerdictTask(sample: Sample, { trial, disputed = [] }: TrialResult, played: TrialRecord): LabelTask {
  const doubts = disputed.map((doubt) => JSON.stringify({ doubt: doubt.text }));
  const text = [gradedRecord(sample, played).text, ...doubts].join('\n');
  const task = { name: `${sample.id}.${trial}`, sample: sample.id, trial, grader: VERDICT_QUESTION };
  return { ...task, conversation: sha256(text), text };
}

function createMismatchError(trace: string): HarnessError {
  const message = `${trace}: is not the conversation that its grader read: the trace or its sample was changed since.`;
  return new HarnessError('data_corrupt', message, { details: { file: trace } });
}
