/** `tandem batch --evaluate`: the components of many scenarios against a subject, without agents; the same command goes on. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { batchDir } from '../../batch/batch.ts';
import { refuseBatchId, scenarioNames } from '../../batch/plan.ts';
import { findHome, type Home } from '../../config/home.ts';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { refuseFolder } from '../../disk/named-output.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { HarnessError, describeError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { claimFolder, findFolderChanges } from '../../pipeline/evaluation/evaluation-folder.ts';
import { settleByLabels } from '../../pipeline/evaluation/settled-results.ts';
import { newRunId } from '../../pipeline/start-run.ts';
import { renderEvaluationJUnit } from '../../report/run/results-junit.ts';
import { countUnscored, type ResultsVerdict } from '../../scenario/statistics/judge-results.ts';
import { listUnfinished } from '../../report/run/annotations.ts';
import { reportResults, type ReportedResults } from '../ci/report-results.ts';
import { type Call, createStop, EXIT, getErrorExitCode, worstExit } from '../command-context.ts';
import { evaluateSubject, reportEvaluation } from '../evaluate/evaluate.ts';
import {
  describeFolder,
  readNamedSubject,
  type NamedSubject,
  planEvaluation,
  type EvaluationEnd,
  type EvaluationPlan,
} from '../evaluate/play-subject.ts';
import { readResultsFile } from '../evaluate/read-iteration.ts';
import { parseUsd } from '../parse-numbers.ts';
import type { BatchFlags } from './options.ts';

/** `evaluations.json` of the batch: what it plays, so that `--resume` needs no more than its id. */
export const EvaluationBatch = z.strictObject({
  version: z.literal(1),
  scenarios: z.array(z.string()).min(1),
  subject: z.string().optional(),
  trials: z.string().optional(),
  versionOf: z.string().optional(),
});
type EvaluationBatch = z.infer<typeof EvaluationBatch>;

const OF_RUNS = ['runs', 'maxParallel', 'policy', 'onGate', 'gates', 'cron', 'timeZone', 'status', 'dryRun'] as const;

export async function evaluateBatch(patterns: readonly string[], flags: BatchFlags, call: Call): Promise<number> {
  const wrong = OF_RUNS.find((name) => flags[name] !== undefined && flags[name] !== false);
  const flag = wrong?.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (flag !== undefined) throw usageError(`--evaluate begins no run: leave --${flag} out.`);
  const home = findHome(call.io.cwd);
  const id = flags.resume ?? flags.id ?? newRunId(new Date());
  refuseBatchId(id);
  const dir = batchDir(home.project, id);
  // Like every batch: outputs and summaries are written wherever a CI system names their files.
  return reportResults({ ...flags, ci: true }, { getName: () => id, io: call.io }, async () => {
    refuseFolder({ flag: `batch ${id}`, path: dir, project: home.project });
    const batch = await readOrPlanBatch(dir, patterns, { flags, home });
    const subject = await readNamedSubject(batch.subject === undefined ? [] : [batch.subject], call.io.cwd);
    // With --json the batch prints one value, and no evaluation prints its own.
    const io = flags.json === true ? { ...call.io, out: () => undefined } : call.io;
    const plans = new Map<string, EvaluationPlan>();
    for (const name of batch.scenarios) {
      const out = join(dir, basename(name));
      if (plans.has(out)) throw usageError(`Two scenarios are named ${basename(name)}: begin a batch for each.`);
      plans.set(out, await planEvaluation(name, { ...flags, ...batch, subject: [], out }, { ...call, io }));
    }
    const left = flags.budget === undefined ? Number.POSITIVE_INFINITY : parseUsd('--budget', flags.budget);
    await mkdir(dir, { recursive: true });
    const release = await claimFolder(dir);
    try {
      await atomicWrite(join(dir, 'evaluations.json'), `${JSON.stringify(batch, null, 2)}\n`);
      const ends = await playPlans([...plans.values()], subject, left);
      return await summarizeEnds(
        { id, dir, names: [...plans.values()].map(({ scenario }) => scenario.brief.name), ends },
        flags,
        call,
      );
    } catch (error) {
      if (!call.signal.aborted) throw error;
      throw createStop(call.signal, `what is finished is kept. Go on with: tandem batch --resume ${id}`, dir);
    } finally {
      await release();
    }
  });
}

/** A batch that is there already goes on with what it was begun with; only the version of the subject may be another. */
async function readOrPlanBatch(
  dir: string,
  patterns: readonly string[],
  { flags, home }: { flags: BatchFlags; home: Home },
): Promise<EvaluationBatch> {
  const { trials, versionOf, subject: [subject, another] = [] } = flags;
  if (another !== undefined) throw usageError('A batch of evaluations plays one subject: begin a batch for each.');
  const file = join(dir, 'evaluations.json');
  const begun = existsSync(file) ? parseFile(EvaluationBatch, await readFile(file, 'utf8'), file) : undefined;
  if (flags.resume !== undefined && begun === undefined)
    throw new HarnessError('not_found', `There is no batch of evaluations ${flags.resume}: ${file} is missing.`);
  const isNamed = begun === undefined || patterns.length > 0;
  const scenarios = isNamed ? [...new Set(scenarioNames(patterns, home))] : begun.scenarios;
  const batch = { version: 1 as const, ...begun, scenarios, ...omitUndefined({ subject, trials, versionOf }) };
  if (begun === undefined || isDeepStrictEqual(batch, { ...begun, ...omitUndefined({ versionOf }) })) return batch;
  throw usageError(
    `${dir} was begun with other scenarios, another --subject or other --trials: leave them out, or begin a batch with another --id.`,
  );
}

/** One after the other: the trials of each are played side by side. The failure of one leaves the others alone. */
async function playPlans(
  plans: readonly EvaluationPlan[],
  subject: NamedSubject | undefined,
  capUsd: number,
): Promise<EvaluationEnd[]> {
  const ends: EvaluationEnd[] = [];
  let left = capUsd;
  for (const plan of plans) {
    const { name } = plan.scenario.brief;
    plan.io.err(`Scenario ${name}`);
    const maxUsd = Math.min(left, plan.maxUsd);
    const end = await playOnce({ ...plan, maxUsd }, subject).catch((error: unknown) => {
      plan.signal.throwIfAborted();
      if (!(error instanceof HarnessError)) throw error;
      const why = describeError(error);
      plan.io.err(`${name}: ${why}`);
      return { code: getErrorExitCode(error), dir: plan.out, judged: [], markdown: why, why };
    });
    // What ends at its cap has no results that say what it cost.
    left -= end.code === EXIT.budget ? maxUsd : end.judged.reduce((sum, { results }) => sum + results.costUsd, 0);
    ends.push(end);
  }
  return ends;
}

/** An evaluation that has all its verdicts is read, and not played again; labels may have settled some of them. */
async function playOnce(plan: EvaluationPlan, subject: NamedSubject | undefined): Promise<EvaluationEnd> {
  const dir = plan.out ?? '';
  const file = join(dir, 'results.json');
  const results = existsSync(file) ? await settleByLabels(await readResultsFile(file), { dir }) : undefined;
  if (results === undefined || countUnscored(results.samples) > 0) return evaluateSubject(plan, subject);
  const changed = await findFolderChanges(dir, await describeFolder(plan, subject));
  if (changed?.length === 0)
    return reportEvaluation({ verification: results.verification, results, leftOut: [] }, plan, dir);
  // They are another agent's. Of other components they are kept, and the folder is refused.
  if (changed !== undefined) await rm(file);
  return evaluateSubject(plan, subject);
}

type EndedBatch = { id: string; dir: string; names: readonly string[]; ends: readonly EvaluationEnd[] };

async function summarizeEnds(
  { id, dir, names, ends }: EndedBatch,
  { json }: BatchFlags,
  { io }: Call,
): Promise<ReportedResults> {
  const rows = ends.map(({ code, judged: [one], dir: folder, why }, index) => ({
    scenario: names[index],
    ...{ verdict: one?.verdict ?? 'not played', exit: code, passed: one?.results.passed, total: one?.results.total },
    ...{ costUsd: one?.results.costUsd ?? 0, folder, why },
  }));
  const code = worstExit(ends.map((end) => end.code));
  const count = (verdict: ResultsVerdict) => rows.filter((row) => row.verdict === verdict).length;
  const costUsd = rows.reduce((sum, row) => sum + row.costUsd, 0);
  const counts = { met: count('met'), not_met: count('not met'), disputed: count('disputed') };
  const outputs = { batch: id, ...counts, incomplete: count('incomplete'), cost_usd: costUsd };
  const lines = rows.map(({ scenario, verdict, passed = 0, total = 0, why = '' }) =>
    verdict === 'not played'
      ? `${scenario}: not played: ${why}`
      : `${scenario}: ${verdict}, ${passed} of ${total} pass`,
  );
  const markdown = [`# Batch ${id}`, ...lines.map((line) => `- ${line}`), ...ends.map((end) => end.markdown)];
  const junit = renderEvaluationJUnit(
    id,
    ends.map(({ judged: [one], why = '' }, index) => one ?? { className: names[index] ?? '', why }),
  );
  await atomicWrite(join(dir, 'summary.md'), `${markdown.join('\n\n')}\n`);
  await atomicWrite(join(dir, 'junit.xml'), junit);
  if (json === true) io.out(JSON.stringify({ batch: id, folder: dir, exit: code, costUsd, evaluations: rows }));
  else for (const line of [...lines, `Read: ${join(dir, 'summary.md')}`]) io.out(line);
  if (code === EXIT.infrastructure || code === EXIT.budget) io.err(`go on    tandem batch --evaluate --resume ${id}`);
  const results = ends.flatMap(({ judged }) => judged.map((one) => one.results));
  const unfinished = ends.flatMap((end, index) => listUnfinished(names[index] ?? '', end));
  return { code, dir, results, unfinished, components: undefined, junit, markdown: markdown.join('\n\n'), outputs };
}
