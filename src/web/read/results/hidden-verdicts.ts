/** Finds the grader verdicts that a reader may not see yet: those of trials they may label and have not labelled. */
import { isHarnessError } from '../../../errors.ts';
import { findLabels } from '../../../pipeline/evaluation/settled-results.ts';
import type { RunFolder } from '../../../ports/run-store.ts';
import { readLabels } from '../../../run-folder/label-journal.ts';
import type { Label } from '../../../scenario/label.ts';
import { labelHref } from '../../pages/page-links.ts';
import type { HiddenVerdicts } from '../../pages/results/verdict-list.ts';
import type { SampleView } from '../read-sample.ts';

/** `by` is `user:<name>`; undefined for a reader who may not label. */
export type LabelReader = { key: string; run: RunFolder; by: string | undefined };

/** Nothing is hidden where nobody labels. */
export async function hiddenVerdicts(
  reader: LabelReader | undefined,
  { iteration, result, trials }: SampleView,
): Promise<HiddenVerdicts> {
  if (reader === undefined) return new Map();
  const { key, run, by } = reader;
  const judged = trials.flatMap(({ trial }) =>
    trial.verdicts.flatMap(({ checker, grader, broken }) =>
      grader === undefined || broken === true
        ? []
        : [{ trial: trial.trial, checker, conversation: grader.conversation }],
    ),
  );
  const labels = by === undefined || judged.length === 0 ? undefined : await readRunLabels(run);
  if (labels === undefined) return new Map();
  const known = new Set(labels.filter((one) => one.by === by).map((one) => `${one.grader} ${one.conversation}`));
  const open = judged.filter(({ checker, conversation }) => !known.has(`${checker} ${conversation}`));
  const locate = ({ checker, trial }: { checker: string; trial: number }) =>
    [checker, labelHref(key, iteration, { grader: checker, name: `${result.id}.${trial}` })] as const;
  const byTrial = [...Map.groupBy(open, ({ trial }) => trial)];
  return new Map(byTrial.map(([trial, its]) => [trial, new Map(its.map(locate))]));
}

/** Returns undefined where labels have no place, as around a run folder elsewhere: then nothing is hidden. */
async function readRunLabels(run: RunFolder): Promise<Label[] | undefined> {
  try {
    return await readLabels(run.around?.labels ?? (await findLabels(run.dir)));
  } catch (error) {
    if (isHarnessError(error, 'usage')) return undefined;
    throw error;
  }
}
