/** The flags that a CI job uses, parsed: how long, what about gates, where reports go, what the model traffic is. */
import { resolve } from 'node:path';
import type { Traffic } from '../../app/models/open-models.ts';
import { usageError } from '../../errors.ts';
import type { Texts } from '../call.ts';
import type { LogFlags } from '../log.ts';
import { durationMs } from '../numbers.ts';
import { EXIT } from '../exit-code.ts';

export type CiOptions = LogFlags &
  Texts<'maxMinutes' | 'timeout' | 'gateExitCode' | 'junit' | 'baseline' | 'record' | 'replay'>;

export type CiPlan = {
  /** After this long no new work is begun. */
  sliceMs: number | undefined;
  /** How long `--on-gate wait` waits. */
  gateTimeoutMs: number | undefined;
  gateExitCode: number;
  /** Absolute. */
  junit: string | undefined;
  baseline: string | undefined;
  traffic: Traffic;
};

/** Timers hold no longer time than 24 days. */
const MOST_MINUTES = 34_000;

/** Everything is checked before anything is begun. */
export function ciPlan(options: CiOptions, cwd: string): CiPlan {
  const { maxMinutes, timeout, gateExitCode, junit, baseline, record, replay } = options;
  const at = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path));
  return {
    sliceMs: maxMinutes === undefined ? undefined : minutes(maxMinutes) * 60_000,
    gateTimeoutMs: timeout === undefined ? undefined : durationMs('--timeout', timeout),
    gateExitCode: gateExitCode === undefined ? EXIT.waiting : exitCode(gateExitCode),
    junit: at(junit),
    baseline,
    traffic: { record: at(record), replay: at(replay) },
  };
}

function minutes(text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0 && number <= MOST_MINUTES) return number;
  throw usageError(
    `--max-minutes "${text}": expected minutes above 0 and up to ${MOST_MINUTES}, such as --max-minutes 50.`,
  );
}

function exitCode(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 255) return Number(text);
  throw usageError(`--gate-exit-code "${text}": expected 0 to 255; 0 keeps a job green that waits.`);
}
