/** The flags of `tandem batch`, parsed. */
import type { BatchPlan } from '../../batch/plan.ts';
import { OnGate, POLICIES, type Config } from '../../config/schema.ts';
import { usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { BooleanFlags, TextFlags } from '../command-context.ts';
import { parseUsd, parseWholeNumber } from '../parse-numbers.ts';
import type { EconomyOptions, PriorityOption } from '../run/settings.ts';
import type { CiOptions } from '../ci/ci.ts';

export type BatchFlags = Omit<CiOptions, 'baseline'> &
  TextFlags<
    | 'cron'
    | 'timeZone'
    | 'overlap'
    | 'catchUp'
    | 'runs'
    | 'maxParallel'
    | 'budget'
    | 'resume'
    | 'status'
    | 'id'
    | 'profile'
    | 'policy'
    | 'onGate'
    | 'gates'
    | 'trials'
    | 'versionOf'
  > &
  EconomyOptions &
  PriorityOption &
  BooleanFlags<'continue' | 'allowUnsandboxed' | 'json' | 'dryRun' | 'evaluate'> & { subject?: string[] | undefined };

export type BatchOptions = Omit<BatchPlan, 'patterns' | 'actor' | 'economy'> & { maxParallel: number };

const PARALLEL = 4;
/** With `--economy` samples wait for message batches and need no processor, so more runs can go in parallel. */
const ECONOMICAL_PARALLEL = 16;

export function batchOptions(flags: BatchFlags): BatchOptions {
  const { resume, id, profile, policy, priority } = flags;
  if (resume !== undefined && (flags.runs !== undefined || id !== undefined))
    throw usageError(`--resume ${resume} goes on with the runs that are there: leave --runs and --id out.`);
  if (resume !== undefined && priority !== undefined)
    throw usageError(`--resume ${resume} goes on with the --priority that the batch was begun with.`);
  if (flags.continue === true && id === undefined)
    throw usageError('--continue needs --id <batch>: the batch that this job begins or goes on with.');
  return {
    runs: parseWholeNumber('--runs', flags.runs ?? '1', { most: 1000 }),
    maxParallel: parseWholeNumber(
      '--max-parallel',
      flags.maxParallel ?? String(flags.economy === true ? ECONOMICAL_PARALLEL : PARALLEL),
      { most: 256 },
    ),
    budgetUsd: flags.budget === undefined ? undefined : parseUsd('--budget', flags.budget),
    resume,
    id,
    continue: flags.continue,
    profile,
    policy,
    ...omitUndefined({ priority }),
  };
}

/** A batch never prompts: one person cannot answer for several runs at the same time. */
export function batchOnGate(flags: BatchFlags, config: Config): OnGate {
  // Every run goes on to its gate and leaves it to a person; the batch ends when all of them wait.
  if (flags.gates === 'collect') return 'exit';
  const requested = OnGate.safeParse(flags.onGate ?? config.on_gate.no_tty);
  if (requested.success && requested.data !== 'prompt') return requested.data;
  throw usageError(
    `--on-gate "${flags.onGate ?? config.on_gate.no_tty}": a batch takes exit, wait or ${POLICIES.join(', ')}. Its gates: tandem gates list --batch <id>.`,
  );
}
