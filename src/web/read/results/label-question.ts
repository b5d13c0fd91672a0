/** One question of a grader about one trial, with what its reader has answered and which question comes next. */
import { join } from 'node:path';
import { HarnessError } from '../../../errors.ts';
import { openLabelling, type Labelling, type LabelTask } from '../../../pipeline/evaluation/settled-results.ts';
import type { RunFolder } from '../../../ports/run-store.ts';
import { readResults } from '../../../run-folder/read-results.ts';
import { readState } from '../../../run-folder/snapshot.ts';
import type { Label } from '../../../scenario/label.ts';
import { VERDICT_QUESTION } from '../../../scenario/settle-disputes.ts';
import type { Results, Verdict } from '../../../scenario/result.ts';

export type LabelsToGive = { iteration: number; results: Results; labelling: Labelling; open: LabelTask[] };

/** `by`: whose answers do not count as open. Contract: `not_found` without results of such an iteration. */
export async function readLabelling(run: RunFolder, iteration: number | undefined, by: string): Promise<LabelsToGive> {
  const evaluated = (await readState(run)).iterations.filter(({ total }) => total > 0);
  const found = iteration === undefined ? evaluated.at(-1) : evaluated.find((one) => one.iteration === iteration);
  const results = found === undefined ? undefined : await readResults(run, found.iteration);
  if (found === undefined || results === undefined)
    throw new HarnessError('not_found', `Run ${run.id} has no results that could be labelled.`);
  const labelling = await openLabelling({
    ...{ results, dir: join(run.dir, found.outputDir), run: run.id },
    labels: run.around?.labels,
  });
  const known = new Set(
    (await ownLabels(labelling, by)).map(({ grader, conversation }) => `${grader} ${conversation}`),
  );
  const open = labelling.tasks.filter(({ grader, conversation }) => !known.has(`${grader.id} ${conversation}`));
  return { iteration: found.iteration, results, labelling, open };
}

export async function ownLabels(labelling: Labelling, by: string): Promise<Label[]> {
  return (await labelling.labels()).filter((label) => label.by === by);
}

export type LabelQuestion = { task: LabelTask; verdict: Verdict };

/** Trials with the very same conversation are one question. Contract: `not_found` when no grader has judged it so. */
export function questionAt({ results, labelling }: LabelsToGive, grader: string, name: string): LabelQuestion {
  const [, sample = '', trial = ''] = /^(.+)\.([1-9]\d{0,3})$/.exec(name) ?? [];
  const played = results.samples.find(({ id }) => id === sample)?.trials.find((one) => one.trial === Number(trial));
  const doubtful = labelling.tasks.find((one) => one.grader === VERDICT_QUESTION && one.name === name);
  if (grader === VERDICT_QUESTION.id && doubtful !== undefined && played !== undefined) {
    const reason = `the verdict in doubt is ${played.outcome}`;
    return { task: doubtful, verdict: { checker: grader, pass: played.outcome === 'pass', reason, evidence: [] } };
  }
  const verdict = played?.verdicts.find((one) => one.checker === grader && one.grader !== undefined);
  const conversation = verdict?.grader?.conversation;
  const task = labelling.tasks.find((one) => one.grader.id === grader && one.conversation === conversation);
  if (verdict === undefined || task === undefined)
    throw new HarnessError('not_found', 'No grader has judged such a trial here.');
  return { task, verdict };
}
