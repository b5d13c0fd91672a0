/** Imports an Inspect log as traces and results in our own form. */
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import type { TrialResult } from '../../scenario/result.ts';
import { schemaIssues } from '../../evaluation/components/schema-issues.ts';
import { tracePath } from '../../evaluation/trial/trace-file.ts';
import { createSlugs, jsonFile, linesFile, type ImportedFiles } from '../imported-files.ts';
import { importedResults, type ImportedTrial } from '../imported-results.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import { InspectLog, InspectSample, toNumber } from './shapes.ts';
import { inspectTrace } from './trace.ts';

/** `scorer` names the only scorer that counts; without it, all scorers of a sample must pass. */
export function importInspect(log: unknown, shown: string, scorer?: string): ImportedFiles {
  const read = InspectLog.safeParse(log);
  if (!read.success) {
    const why = schemaIssues(read.error).slice(0, 3).join('; ');
    throw new HarnessError('config_invalid', `${shown}: is no Inspect log: ${why}.`);
  }
  const slug = createSlugs('sample');
  const gaps: string[] = [];
  const made: ReturnType<typeof toTrial>[] = [];
  for (const [index, raw] of (read.data.samples ?? []).entries()) {
    const sample = InspectSample.safeParse(raw);
    const one = sample.success ? toTrial(sample.data, slug(sample.data.id), { ...read.data.eval, scorer }) : undefined;
    const isTwin = made.some(({ trial }) => trial.result.trace === one?.trial.result.trace);
    const reason = isTwin ? 'its id and epoch are there twice' : schemaIssues(sample.error ?? new z.ZodError([]))[0];
    if (one === undefined || isTwin) gaps.push(`${shown}#samples/${index} was left out: ${reason}`);
    else made.push(one);
  }
  if (made.length === 0)
    throw new HarnessError('config_invalid', `${shown}: holds no sample that can be read. ${gaps[0] ?? ''}`);
  const unscored = made.filter(({ trial }) => trial.result.outcome === 'unscored').length;
  if (unscored > 0) gaps.push(`${unscored} runs have no usable score: they are unscored, not failed`);
  if (read.data.status !== 'success')
    gaps.push(`the log says that the evaluation ended with status "${read.data.status}"`);
  gaps.push(...listScoreGaps(made.flatMap(({ trial }) => trial.result.verdicts)));
  const silent = made.filter(({ lost, trial }) => lost > 0 && trial.result.outcome !== 'unscored').length;
  if (silent > 0) gaps.push(`${silent} runs have values that are no score: only their other values count`);
  gaps.push('an Inspect log holds no world of ours: start and end of each trace are empty');
  const results = importedResults(
    made.map(({ trial }) => trial),
    JSON.stringify([read.data.eval.task, (read.data.samples ?? []).map((sample) => Essence.safeParse(sample).data)]),
  );
  const traces = made.map(({ trial, lines }) => linesFile(trial.result.trace, lines));
  return { files: [jsonFile('results.json', results), ...traces], gaps };
}

/** The task of a sample, without its outcome. */
const Essence = z.object({ id: z.unknown(), input: z.unknown().optional(), target: z.unknown().optional() });

function toTrial(
  sample: InspectSample,
  id: string,
  { task, model, scorer }: { task: string; model: string; scorer: string | undefined },
): { trial: ImportedTrial; lines: TraceLine[]; lost: number } {
  const verdicts = toVerdicts(sample, scorer);
  const values = listScores(sample, scorer).flatMap(([name, { value }]) => splitValues(name, value));
  const isLost = (sample.error !== null && sample.error !== undefined) || verdicts.length === 0;
  const outcome: TrialResult['outcome'] = isLost ? 'unscored' : verdicts.every(({ pass }) => pass) ? 'pass' : 'fail';
  const stop = isLost ? 'infrastructure' : sample.limit === null || sample.limit === undefined ? 'done' : 'steps';
  const durationMs = Math.round((sample.total_time ?? 0) * 1000);
  const why = sample.error?.message ?? verdicts.find(({ pass }) => !pass)?.reason;
  const category = sample.metadata?.['category'];
  return {
    trial: {
      sample: id,
      title: `${task} ${sample.id}`,
      category: typeof category === 'string' ? category : task,
      result: {
        trial: sample.epoch,
        outcome,
        stop,
        verdicts: isLost ? [] : verdicts,
        trace: tracePath(id, sample.epoch),
        costUsd: 0,
        durationMs,
      },
      why: why === undefined ? [] : [why],
    },
    lines: inspectTrace(sample, { sample: id, model, stop, durationMs }),
    lost: values.length - verdicts.length,
  };
}

type Verdict = TrialResult['verdicts'][number];

/** A scorer may give several values by name or in a list; each has a verdict of its own. */
function toVerdicts(sample: InspectSample, scorer: string | undefined): Verdict[] {
  return listScores(sample, scorer).flatMap(([name, { value, explanation, answer }]) =>
    splitValues(name, value).flatMap(([checker, one]): Verdict[] => {
      const number = toNumber(one);
      if (number === undefined) return [];
      const why = explanation?.slice(0, 500) ?? (answer ? `answered ${answer.slice(0, 200)}` : `scored ${String(one)}`);
      // A number is also shown and compared; it passes at 1, whatever the scorer means by that.
      const isShown = Number.isFinite(number) && (typeof one === 'number' || (number !== 0 && number !== 1));
      return [{ checker, pass: number >= 1, reason: why, evidence: [], ...(isShown && { score: number }) }];
    }),
  );
}

function listScores({ scores }: InspectSample, scorer: string | undefined) {
  return Object.entries(scores ?? {}).filter(([name]) => scorer === undefined || name === scorer);
}

function splitValues(name: string, value: unknown): [name: string, value: unknown][] {
  if (Array.isArray(value)) return value.map((one: unknown, index) => [`${name}.${index + 1}`, one]);
  if (isJsonObject(value)) return Object.entries(value).map(([key, one]) => [`${name}.${key}`, one]);
  return [[name, value]];
}

/** A score below 1 fails here, and one above passes, which its scorer may not have meant. */
function listScoreGaps(verdicts: readonly Verdict[]): string[] {
  const partial = verdicts.filter(({ score = 0 }) => score !== 0 && score !== 1);
  return [...Map.groupBy(partial, ({ checker }) => checker)].map(
    ([checker, own]) =>
      `${own.length} scores of ${checker} are neither 0 nor 1: here they pass from 1 on, and their numbers are kept`,
  );
}
