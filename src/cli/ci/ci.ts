/** Opens everything that the flags of a CI job ask for, before the work begins, and checks these flags. */
import type { AppOptions } from '../../app/open-app.ts';
import type { TrafficFolders } from '../../app/models/open-models.ts';
import { findHome } from '../../config/home.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Results } from '../../scenario/result.ts';
import type { BaselineCheck } from './baseline.ts';
import { refuseFolder, refuseOutput } from '../../disk/named-output.ts';
import { nameJUnit, suspendWorkflowCommands } from './report-results.ts';
import { startTimeSlice, type TimeSlice } from './time-slice.ts';
import { type Io, type TextFlags, EXIT } from '../command-context.ts';
import { resolve } from 'node:path';
import { usageError } from '../../errors.ts';
import type { LogFlags } from '../log.ts';
import { parseDurationMs, parseWholeNumber } from '../parse-numbers.ts';

export type Ci = {
  plan: CiPlan;
  slice: TimeSlice;
  /** Set only with `--baseline`. */
  checkBaseline: ((results: Results) => BaselineCheck) | undefined;
  /** The options with which the models are opened. */
  models: Pick<AppOptions, 'signal' | 'traffic' | 'around'>;
  /** Throws `usage` when the folder of `--record` already holds a recording. */
  refuseUsedRecording: () => Promise<void>;
  /** Lets GitHub read workflow commands from the output again. */
  takeCommands: () => void;
  close: () => void;
};

export async function openCi(options: CiOptions, io: Io, signal: AbortSignal): Promise<Ci> {
  const plan = parseCiOptions(options, io.cwd);
  if (plan.junit !== undefined) refuseOutput(nameJUnit(plan.junit, io));
  const { record } = plan.traffic;
  if (record !== undefined) refuseFolder({ flag: '--record', path: record, project: findHome(io.cwd).project });
  const checkBaseline = plan.baseline === undefined ? undefined : await openBaseline(plan.baseline, io);
  const slice = startTimeSlice(plan.sliceMs, signal);
  const takeCommands = suspendWorkflowCommands(io);
  return {
    plan,
    slice,
    checkBaseline,
    models: { signal: slice.signal, traffic: plan.traffic, around: slice.around },
    refuseUsedRecording: async () => {
      if (plan.traffic.record === undefined) return;
      const { refuseUsedRecording } = await import('../../app/models/offline-model.ts');
      await refuseUsedRecording(plan.traffic.record);
    },
    takeCommands,
    close: () => {
      slice.close();
      takeCommands();
    },
  };
}

async function openBaseline(name: string, io: Io): Promise<(results: Results) => BaselineCheck> {
  const { readBaselineSource, checkAgainstBaseline } = await import('./baseline.ts');
  const source = await readBaselineSource(name, io);
  return (results) => checkAgainstBaseline(source, results);
}

/** For runs that continue, a replay answers their next calls and skips the calls already answered. */
export async function resumeTraffic(traffic: TrafficFolders, runs: readonly RunFolder[]): Promise<TrafficFolders> {
  if (traffic.replay === undefined) return traffic;
  const { countAnsweredCalls: answeredCalls } = await import('../../pipeline/spending/answered-call-counts.ts');
  return { ...traffic, answered: await answeredCalls(runs) };
}

export type CiOptions = LogFlags &
  TextFlags<'maxMinutes' | 'timeout' | 'gateExitCode' | 'junit' | 'baseline' | 'record' | 'replay'>;

type CiPlan = {
  /** No new work begins after this time. */
  sliceMs: number | undefined;
  /** Time limit of `--on-gate wait`. */
  gateTimeoutMs: number | undefined;
  gateExitCode: number;
  /** Absolute path. */
  junit: string | undefined;
  baseline: string | undefined;
  traffic: TrafficFolders;
};

/** The most that a timer of Node can hold: 24 days. */
const MOST_MINUTES = 34_000;

/** Checks all flags before any work begins. */
export function parseCiOptions(options: CiOptions, cwd: string): CiPlan {
  const { maxMinutes, timeout, gateExitCode, junit, baseline, record, replay } = options;
  const at = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path));
  return {
    sliceMs: maxMinutes === undefined ? undefined : parseMinutes(maxMinutes) * 60_000,
    gateTimeoutMs: timeout === undefined ? undefined : parseDurationMs('--timeout', timeout),
    gateExitCode:
      gateExitCode === undefined
        ? EXIT.waiting
        : parseWholeNumber('--gate-exit-code', gateExitCode, { least: 0, most: 255 }),
    junit: at(junit),
    baseline,
    traffic: { record: at(record), replay: at(replay) },
  };
}

function parseMinutes(text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0 && number <= MOST_MINUTES) return number;
  throw usageError(
    `--max-minutes "${text}": expected minutes above 0 and up to ${MOST_MINUTES}, such as --max-minutes 50.`,
  );
}
