/** Parses the flags of a CI job: time limit, gate policy, report files, and recording or replay of model traffic. */
import { resolve } from 'node:path';
import type { TrafficFolders } from '../../app/models/open-models.ts';
import { usageError } from '../../errors.ts';
import type { TextFlags } from '../command-context.ts';
import type { LogFlags } from '../log.ts';
import { parseDurationMs } from '../parse-numbers.ts';
import { EXIT } from '../exit-code.ts';

export type CiOptions = LogFlags &
  TextFlags<'maxMinutes' | 'timeout' | 'gateExitCode' | 'junit' | 'baseline' | 'record' | 'replay'>;

export type CiPlan = {
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
    gateExitCode: gateExitCode === undefined ? EXIT.waiting : parseExitCode(gateExitCode),
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

function parseExitCode(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 255) return Number(text);
  throw usageError(`--gate-exit-code "${text}": expected 0 to 255; 0 keeps a job green that waits.`);
}
