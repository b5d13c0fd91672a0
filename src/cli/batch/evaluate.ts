/** `tandem batch --evaluate`: the components of many scenarios against a subject, without agents; the same command goes on. */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { batchDir } from '../../batch/batch.ts';
import { scenarioNames } from '../../batch/plan.ts';
import { findHome, type Home } from '../../config/home.ts';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { HarnessError, describeError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { settleByLabels } from '../../pipeline/evaluation/settled-results.ts';
import { newRunId } from '../../pipeline/start-run.ts';
import { renderEvaluationJUnit } from '../../report/run/results-junit.ts';
import { countUnscored, type ResultsVerdict } from '../../scenario/statistics/judge-results.ts';
import { listUnfinished } from '../../report/run/annotations.ts';
import { reportResults, type ReportedResults } from '../ci/report-results.ts';
import { type Call, EXIT, getErrorExitCode, worstExit } from '../command-context.ts';
import { evaluateSubject, reportEvaluation } from '../evaluate/evaluate.ts';
import {
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
  // Like every batch: outputs and summaries are written wherever a CI system names their files.
  return reportResults({ ...flags, ci: true }, { getName: () => id, io: call.io }, async () => {
    const dir = batchDir(home.project, id);
    const batch = await readOrPlanBatch(dir, patterns, { flags, home });
    const subject = await readNamedSubject(batch.subject === undefined ? [] : [batch.subject], call.io.cwd);
    const plans: EvaluationPlan[] = [];
    for (const name of batch.scenarios)
      plans.push(await planEvaluation(name, { ...flags, ...batch, subject: [], out: join(dir, name) }, call));
    await mkdir(dir, { recursive: true });
    await atomicWrite(join(dir, 'evaluations.json'), `${JSON.stringify(batch, null, 2)}\n`);
    const left = flags.budget === undefined ? Number.POSITIVE_INFINITY : parseUsd('--budget', flags.budget);
    return summarizeEnds({ id, dir, batch, ends: await playPlans(plans, subject, left) }, flags, call);
  });
}

/** A batch that is there already goes on with what it was begun with. */
async function readOrPlanBatch(
  dir: string,
  patterns: readonly string[],
  { flags, home }: { flags: BatchFlags; home: Home },
): Promise<EvaluationBatch> {
  const { trials, versionOf, subject: [subject, another] = [] } = flags;
  if (another !== undefined) throw usageError('A batch of evaluations plays one subject: begin a batch for each.');
  const file = join(dir, 'evaluations.json');
  if (existsSync(file)) return parseFile(EvaluationBatch, await readFile(file, 'utf8'), file);
  if (flags.resume !== undefined)
    throw new HarnessError('not_found', `There is no batch of evaluations ${flags.resume}: ${file} is missing.`);
  const scenarios = [...new Set(scenarioNames(patterns, home))];
  return { version: 1, scenarios, ...omitUndefined({ subject, trials, versionOf }) };
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
    const end = await playOnce({ ...plan, maxUsd: Math.min(left, plan.maxUsd) }, subject).catch((error: unknown) => {
      plan.signal.throwIfAborted();
      if (!(error instanceof HarnessError)) throw error;
      const why = describeError(error);
      plan.io.err(`${name}: ${why}`);
      return { code: getErrorExitCode(error), dir: plan.out, judged: [], markdown: why, why };
    });
    left -= end.judged.reduce((sum, { results }) => sum + results.costUsd, 0);
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
  return reportEvaluation({ verification: results.verification, results, leftOut: [] }, plan, dir);
}

type EndedBatch = { id: string; dir: string; batch: EvaluationBatch; ends: readonly EvaluationEnd[] };

async function summarizeEnds(
  { id, dir, batch, ends }: EndedBatch,
  { json }: BatchFlags,
  { io }: Call,
): Promise<ReportedResults> {
  const rows = ends.map(({ code, judged: [one], dir: folder, why }, index) => ({
    scenario: batch.scenarios[index],
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
    ends.map(({ judged: [one], why = '' }, index) => one ?? { className: batch.scenarios[index] ?? '', why }),
  );
  await atomicWrite(join(dir, 'summary.md'), `${markdown.join('\n\n')}\n`);
  await atomicWrite(join(dir, 'junit.xml'), junit);
  if (json === true) io.out(JSON.stringify({ batch: id, folder: dir, exit: code, costUsd, evaluations: rows }));
  else for (const line of [...lines, `Read: ${join(dir, 'summary.md')}`]) io.out(line);
  if (code === EXIT.infrastructure || code === EXIT.budget) io.err(`go on    tandem batch --evaluate --resume ${id}`);
  const results = ends.flatMap(({ judged }) => judged.map((one) => one.results));
  const unfinished = ends.flatMap((end, index) => listUnfinished(batch.scenarios[index] ?? '', end));
  return { code, dir, results, unfinished, components: undefined, junit, markdown: markdown.join('\n\n'), outputs };
}
