/** Lists what people can label in a set of results: each conversation that a grader judged, without its verdict. */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openSharedFiles } from '../../disk/shared-files.ts';
import { findCopyHome } from '../../disk/working-copy.ts';
import { HarnessError, usageError } from '../../errors.ts';
import { loadData } from '../../evaluation/components/load-components.ts';
import { gradedRecord } from '../../evaluation/graders/graded-record.ts';
import { readOwnTrace } from '../../evaluation/rejudge/own-trace.ts';
import { readTraceText } from '../../evaluation/trial/read-trace.ts';
import { appendLabel, readLabels, type NewLabel } from '../../run-folder/label-journal.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { GraderReport, GraderSpec } from '../../scenario/grader.ts';
import { agreedLabels, type Label } from '../../scenario/label.ts';
import type { Results } from '../../scenario/result.ts';
import { graderReports } from '../../scenario/statistics/grader-reports.ts';
import { toLabelQuestion } from './open-grading.ts';

/** One conversation and one question; the verdict is not part of it. */
export type LabelTask = {
  /** `<sample>.<trial>`. */
  name: string;
  sample: string;
  trial: number;
  grader: GraderSpec;
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
    for (const { trial, trace, verdicts: given } of trials) {
      for (const { checker, pass, broken, grader: by } of given) {
        const grader = specs.get(checker);
        if (by === undefined || broken === true || grader === undefined || sample === undefined) continue;
        const task = `${checker} ${by.conversation}`;
        verdicts.set(task, { key: by.key, pass });
        if (tasks.has(task)) continue;
        const { played } = readOwnTrace((await readTraceText(dir, trace)) ?? '', trace, data);
        const { text, digest } = gradedRecord(sample, played);
        if (digest !== by.conversation) throw createMismatchError(trace);
        tasks.set(task, { name: `${id}.${trial}`, sample: id, trial, grader, conversation: digest, text });
      }
    }
  }
  if (tasks.size === 0)
    throw usageError(
      'No grader has judged a trial here, so there is no question to label. docs/graders.md says how to write one.',
    );
  const labels = () => readLabels(files);
  return {
    tasks: [...tasks.values()].toSorted((a, b) => (a.conversation < b.conversation ? -1 : 1)),
    labels,
    add: ({ grader, sample, trial, conversation, text }, said, how) => {
      const { question } = toLabelQuestion(grader);
      const judged = verdicts.get(`${grader.id} ${conversation}`);
      const what = {
        grader: grader.id,
        question,
        conversation,
        text,
        run,
        iteration: results.iteration,
        sample,
        trial,
      };
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
  };
}

function createMismatchError(trace: string): HarnessError {
  const message = `${trace}: is not the conversation that its grader read: the trace or its sample was changed since.`;
  return new HarnessError('data_corrupt', message, { details: { file: trace } });
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
