/** Lists what people can label in a set of results: each conversation that a grader judged, without its verdict. */
import { sha256 } from '../../disk/sha256.ts';
import { HarnessError, usageError } from '../../errors.ts';
import { loadData } from '../../evaluation/components/load-components.ts';
import { gradedRecord } from '../../evaluation/graders/graded-record.ts';
import { readOwnTrace } from '../../evaluation/rejudge/own-trace.ts';
import { readTraceText } from '../../evaluation/trial/read-trace.ts';
import { appendLabel, readLabels, type NewLabel } from '../../run-folder/label-journal.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { GraderReport, GraderSpec } from '../../scenario/grader.ts';
import { agreedLabels, type Label } from '../../scenario/label.ts';
import type { Results, TrialResult } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { TrialRecord } from '../../evaluation/components/trial-record.ts';
import { graderReports } from '../../scenario/statistics/grader-reports.ts';
import { VERDICT_QUESTION } from '../../scenario/settle-disputes.ts';
import { toLabelQuestion } from './open-grading.ts';
import { findLabels, settleByLabels } from './settled-results.ts';

/** One conversation and one question; the verdict is not part of it. */
export type LabelTask = {
  /** `<sample>.<trial>`. */
  name: string;
  sample: string;
  trial: number;
  /** The grader, or the question about a doubtful verdict. */
  grader: Pick<GraderSpec, 'id' | 'question' | 'pass_when' | 'fail_when'>;
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
