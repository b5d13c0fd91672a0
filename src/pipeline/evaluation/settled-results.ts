/** Reads results together with the labels by which people have settled their doubtful verdicts. */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256 } from '../../disk/sha256.ts';
import { openSharedFiles } from '../../disk/shared-files.ts';
import { findCopyHome } from '../../disk/working-copy.ts';
import { isHarnessError, usageError } from '../../errors.ts';
import { readTraceText } from '../../evaluation/trial/read-trace.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { readLabels } from '../../run-folder/label-journal.ts';
import { readResults } from '../../run-folder/read-results.ts';
import { outputDir } from '../../run/layout.ts';
import { agreedLabels, type Label } from '../../scenario/label.ts';
import type { Results } from '../../scenario/result.ts';
import { settleDisputes, VERDICT_QUESTION, type Settlement } from '../../scenario/settle-disputes.ts';
import { toLabelQuestion } from './open-grading.ts';

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
