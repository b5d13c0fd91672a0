/** `tandem batch <scenarios>`: many runs, some in parallel, one report; started again it continues where it stopped. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openApp } from '../../app/open-app.ts';
import { openStore } from '../../app/open-store.ts';
import { batchDir, findBatch, findRunAt, readBatch, type Batch, type BatchRun } from '../../batch/batch.ts';
import { driveBatch, type OpenScenario } from '../../batch/drive.ts';
import { planBatch, scenarioNames } from '../../batch/plan.ts';
import { batchState, batchRow, type BatchExits, type BatchReader } from '../../batch/state.ts';
import { checkRun } from '../../app/preflight/check-run.ts';
import { formatFindings, refuseErrors } from '../../config/findings.ts';
import { usageError } from '../../errors.ts';
import { findHome, type Home } from '../../config/home.ts';
import { loadScenario } from '../../config/load-scenario.ts';
import type { Config } from '../../config/schema.ts';
import { createForecastDeps, forecastRun } from '../../pipeline/forecast/forecast-run.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { summarise } from '../../pipeline/summarise.ts';
import { type Call, commandActor, EXIT, getExitCode, isUsageError, type Io } from '../command-context.ts';
import { finishBatch, formatGateLines, printBatch } from './finish.ts';
import { scheduleBatch, batchOnGate, batchOptions, type BatchFlags } from './options.ts';
import { createBatchScreen, type BatchScreen } from './screen.ts';
import { openCi, resumeTraffic, type Ci } from '../ci/ci.ts';
import { writeReports } from '../run/finish.ts';
import { digestOfConfig } from '../run/run.ts';
import {
  refuseBadFiles,
  getFindingsExitCode,
  preflightScenario,
  preflightLines,
  type Preflight,
} from '../run/preflight.ts';
import { loadRunConfig, refuseIdlePriority } from '../run/settings.ts';
import { forecastText } from '../../report/text/forecast-text.ts';
import { formatCount, formatUsd } from '../../report/text/number-format.ts';

export async function batchCommand(
  patterns: readonly string[],
  flags: BatchFlags,
  { io, signal }: Call,
): Promise<number> {
  const home = findHome(io.cwd);
  const isEvaluations = existsSync(join(batchDir(home.project, flags.resume ?? ''), 'evaluations.json'));
  if (flags.evaluate === true || isEvaluations)
    return (await import('./evaluate.ts')).evaluateBatch(patterns, flags, { io, signal });
  const alone = (['subject', 'trials', 'versionOf'] as const).find((name) => flags[name] !== undefined);
  if (alone !== undefined) throw usageError(`--${alone} is for --evaluate: runs play the subject of their scenario.`);
  if (flags.status !== undefined) return showBatch(flags.status, flags, io);
  const options = batchOptions(flags);
  if (flags.dryRun === true)
    return dryRunBatch(
      scenarioNames(patterns, home),
      { flags, runs: options.runs, budgetUsd: options.budgetUsd },
      { io, signal },
    );
  if ([flags.cron, flags.timeZone, flags.overlap, flags.catchUp].some((flag) => flag !== undefined))
    return scheduleBatch(patterns, flags, io);
  const ci = await openCi(flags, io, signal);
  try {
    const isNew =
      options.resume === undefined && (await findBatch(openStore(home).batches, options.id ?? '')) === undefined;
    if (isNew) await ci.refuseUsedRecording();
    if (isNew)
      for (const name of scenarioNames(patterns, home)) await refuseBadFiles({ home, name, options: flags }, io);
    const batch = await planBatch({ ...options, patterns, actor: commandActor(io) }, home, openStore(home).batches);
    return await driveBatchRuns({ batch, maxParallel: options.maxParallel, flags, home, io, ci }).catch(
      async (error: unknown) => {
        // Exit code 2 promises that nothing was written, so the new batch is removed again.
        if (isNew && isUsageError(error) && (await begunRuns(batch.runs, home)).length === 0)
          await openStore(home).batches.remove(batch.id);
        throw error;
      },
    );
  } finally {
    ci.close();
  }
}

type BatchToDrive = { batch: Batch; maxParallel: number; flags: BatchFlags; home: Home; io: Io; ci: Ci };

async function driveBatchRuns({ batch, maxParallel, flags, home, io, ci }: BatchToDrive): Promise<number> {
  const config = await loadRunConfig(
    home,
    { ...flags, profile: flags.profile ?? batch.profile, policy: flags.policy ?? batch.policy },
    io,
  );
  const reader = openBatchReader(home, false);
  const { batches } = reader;
  const screen = createBatchScreen(await batchState(batch, reader), io);
  const { gateTimeoutMs } = ci.plan;
  let refused: unknown;
  try {
    await driveBatch({
      ...{ batch, batches, maxParallel, gateTimeoutMs, actor: commandActor(io), signal: ci.slice.signal },
      configDigest: digestOfConfig(config),
      onGate: batchOnGate(flags, config),
      open: (entry) =>
        openScenario(entry, { batch, home, config, screen, io, ci }).catch((error: unknown) => {
          if (isUsageError(error)) refused ??= error;
          throw error;
        }),
      progressOf: screen.progressOf,
      onRest: async (entry) => {
        const row = await batchRow(entry, reader);
        screen.settle(row);
        if (['not_started', 'unreadable', 'newer'].includes(row.status)) return;
        const run = await reader.store.open(await batches.dirOf(entry));
        await writeReports(run, await summarise(run));
      },
    });
  } catch (error) {
    // After a signal the report of the finished part is still written, and the exit code is the signal's.
    if (!ci.slice.signal.aborted) throw error;
  } finally {
    screen.close();
  }
  const summary = await batchState(batch, openBatchReader(home, ci.slice.used()));
  if (refused !== undefined && summary.rows.every(({ status }) => status === 'not_started')) throw refused;
  return finishBatch(summary, home.project, { json: flags.json, ci, io });
}

type ScenarioOpening = Pick<BatchToDrive, 'batch' | 'home' | 'io' | 'ci'> & { config: Config; screen: BatchScreen };

/** Opens one model client and one sandbox for all runs of a scenario, and one offline model where that answers. */
async function openScenario(entry: BatchRun, opening: ScenarioOpening): Promise<OpenScenario> {
  const { batch, home, config, screen, io, ci } = opening;
  const { batches } = openStore(home);
  const around = dirname(dirname(await batches.dirOf(entry)));
  const scenario = await loadScenario(home, existsSync(join(around, 'scenario.yaml')) ? around : entry.scenario);
  const runs = batch.runs.filter((run) => run.scenario === entry.scenario);
  const begun = await begunRuns(runs, home);
  const traffic = await resumeTraffic(ci.plan.traffic, begun);
  const progress = screen.progressOf((runs[0] ?? entry).run);
  const app = await openApp({ home, config, env: io.env, scenario, progress, ...ci.models, traffic });
  try {
    refuseIdlePriority(batch, app.deps);
    const { signal } = ci.slice;
    const forecast = await forecastRun(scenario, createForecastDeps(app.deps, signal));
    if (begun.length === 0 && ci.plan.traffic.replay === undefined) {
      const findings = await checkRun({ scenario, app, forecast, isHere: !app.deps.handedOver }, signal);
      refuseErrors(findings);
      for (const detail of formatFindings(findings)) progress({ type: 'state', status: 'notice', detail });
    }
    return { ...app, scenario, forecast };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** A run that the end of the time slice cut short counts as unfinished and not as failed. */
function openBatchReader(home: Home, timeUp: boolean): BatchReader {
  const unfinished = timeUp ? EXIT.timeSlice : EXIT.infrastructure;
  const live = ['created', 'designing', 'executing'];
  const exits: BatchExits = {
    of: (state) => (live.includes(state.status) ? unfinished : getExitCode(state)),
    notStarted: unfinished,
    unreadable: EXIT.infrastructure,
    newer: EXIT.needsPerson,
  };
  return { ...openStore(home), exits };
}

async function begunRuns(runs: Batch['runs'], home: Home): Promise<RunFolder[]> {
  const { store, batches } = openStore(home);
  const found = await Promise.all(runs.map(async (run) => findRunAt(store, await batches.dirOf(run))));
  return found.filter((run) => run !== undefined);
}

async function showBatch(name: string, { json }: BatchFlags, io: Io): Promise<number> {
  const reader = openBatchReader(findHome(io.cwd), false);
  const summary = await batchState(await readBatch(reader.batches, name), reader);
  if (json === true) io.out(JSON.stringify(summary));
  else {
    printBatch(summary, io, io.out);
    for (const line of formatGateLines(summary)) io.out(line);
  }
  return EXIT.met;
}

type BatchToCheck = { flags: BatchFlags; runs: number; budgetUsd: number | undefined };

/** `tandem batch --dry-run`: checks each scenario and forecasts the cost of all runs together. */
async function dryRunBatch(
  names: readonly string[],
  { flags, runs, budgetUsd }: BatchToCheck,
  call: Call,
): Promise<number> {
  const { budget: _whole, ...options } = flags;
  const checked: Preflight[] = [];
  for (const name of names) checked.push(await preflightScenario(name, options, call));
  const ok = checked.every(({ findings }) => findings.every(({ level }) => level !== 'error'));
  // Runs of one scenario are alike: if one costs more than the median, all may, so the sums are on the safe side.
  const sum = (of: 'p50' | 'p90') => checked.reduce((total, { forecast }) => total + (forecast?.[of] ?? 0) * runs, 0);
  const total = { p50: sum('p50'), p90: sum('p90') };
  if (flags.json === true) call.io.out(JSON.stringify({ ok, scenarios: checked, runs, total }));
  else {
    for (const line of checked.flatMap((one) => [...preflightLines(one), ''])) call.io.out(line);
    const cap = budgetUsd === undefined ? 'no cap of the batch' : `cap of the batch ${formatUsd(budgetUsd)}`;
    call.io.out(`${formatCount(names.length * runs, 'run')}: ${forecastText(total)}, ${cap}`);
  }
  return getFindingsExitCode(checked.flatMap(({ findings }) => findings));
}
