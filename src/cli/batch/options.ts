/** The flags of `tandem batch`, parsed. */
import { OnGate, type Config } from '../../config/schema.ts';
import { HarnessError } from '../../errors.ts';
import type { CiOptions } from '../ci/options.ts';

export type BatchFlags = Omit<CiOptions, 'baseline'> & {
  runs?: string | undefined;
  maxParallel?: string | undefined;
  budget?: string | undefined;
  resume?: string | undefined;
  status?: string | undefined;
  id?: string | undefined;
  continue?: boolean | undefined;
  profile?: string | undefined;
  onGate?: string | undefined;
  allowUnsandboxed?: boolean | undefined;
  json?: boolean | undefined;
};

export type BatchOptions = {
  /** Of each scenario. */
  runs: number;
  maxParallel: number;
  budgetUsd: number | undefined;
  resume: string | undefined;
  id: string | undefined;
  continue: boolean | undefined;
  profile: string | undefined;
};

const PARALLEL = 4;

export function batchOptions(flags: BatchFlags): BatchOptions {
  const { resume, id, profile } = flags;
  if (resume !== undefined && (flags.runs !== undefined || id !== undefined))
    throw new HarnessError(
      'usage',
      `--resume ${resume} goes on with the runs that are there: leave --runs and --id out.`,
    );
  if (flags.continue === true && id === undefined)
    throw new HarnessError('usage', '--continue needs --id <batch>: the batch that this job begins or goes on with.');
  return {
    runs: whole('--runs', flags.runs ?? '1', 1000),
    maxParallel: whole('--max-parallel', flags.maxParallel ?? String(PARALLEL), 256),
    budgetUsd: flags.budget === undefined ? undefined : dollars(flags.budget),
    resume,
    id,
    continue: flags.continue,
    profile,
  };
}

/** One person cannot be asked about several runs at once, so nobody is asked. */
export function batchOnGate(flags: BatchFlags, config: Config): OnGate {
  const asked = OnGate.safeParse(flags.onGate ?? config.on_gate.no_tty);
  if (asked.success && asked.data !== 'prompt') return asked.data;
  throw new HarnessError(
    'usage',
    `--on-gate "${flags.onGate ?? config.on_gate.no_tty}": a batch takes exit, wait or auto:<policy>. Its gates: tandem gates list --batch <id>.`,
  );
}

function whole(flag: string, text: string, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number;
  throw new HarnessError('usage', `${flag} "${text}": expected a whole number from 1 to ${most}.`);
}

function dollars(text: string): number {
  const usd = Number(text);
  if (Number.isFinite(usd) && usd > 0) return usd;
  throw new HarnessError('usage', `--budget "${text}": expected US dollars, such as --budget 50.`);
}
