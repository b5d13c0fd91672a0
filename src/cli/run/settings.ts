/** The flags of a run, and how they change its configuration and scenario. */
import type { Home } from '../../config/home.ts';
import { forBothAgents, loadConfig } from '../../config/load-config.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import type { Config, SandboxChoice } from '../../config/schema.ts';
import { usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { BooleanFlags, TextFlags, Io } from '../command-context.ts';
import type { CiOptions } from '../ci/ci.ts';
import { parseUsd } from '../parse-numbers.ts';
import type { JobPriority } from '../../ports/job-queue.ts';

export type PriorityOption = { priority?: JobPriority['priority'] | undefined };

/** Refuses --priority when one process drives its own runs, since nothing waits for workers then. */
export function refuseIdlePriority({ priority }: PriorityOption, { handedOver }: { handedOver: boolean }): void {
  if (priority !== undefined && !handedOver)
    throw usageError(
      '--priority needs a queue that workers share: set TANDEM_QUEUE=redis://host:6379 or postgres://user@host/database.',
    );
}

export type RunOptions = CiOptions &
  PriorityOption &
  TextFlags<'profile' | 'policy' | 'onGate' | 'id' | 'budget'> &
  /** `detach` hands the run to workers. `yes` skips the question about the forecast. `takesOver` is of `--continue`. */
  BooleanFlags<'json' | 'allowUnsandboxed' | 'detach' | 'yes' | 'dryRun' | 'takesOver'> & {
    sandbox?: SandboxChoice | undefined;
    label?: string[] | undefined;
  };

/** Replaces the scenario's own cap by `--budget`. */
export function withBudget(scenario: Scenario, { budget }: RunOptions): Scenario {
  if (budget === undefined) return scenario;
  return { ...scenario, brief: { ...scenario.brief, budget_usd: parseUsd('--budget', budget) } };
}

export async function loadRunConfig(home: Home, options: RunOptions, { env }: Pick<Io, 'env'>): Promise<Config> {
  return loadConfig(home, toConfigLayers(options, env));
}

export function toConfigLayers(options: RunOptions, env: Io['env']): Parameters<typeof loadConfig>[1] {
  const { profile, policy, allowUnsandboxed, sandbox: use } = options;
  const sandbox = omitUndefined({ allow_unsandboxed: allowUnsandboxed === true ? true : undefined, use });
  const agents = policy === undefined ? {} : { agents: forBothAgents({ policy }) };
  return { ...omitUndefined({ profile }), env, flags: { sandbox, ...agents } };
}
