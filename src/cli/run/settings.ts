/** The flags of a run, and what they make of its configuration and its scenario. */
import type { Home } from '../../config/home.ts';
import { forAgents, loadConfig } from '../../config/load-config.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import type { Config, SandboxChoice } from '../../config/schema.ts';
import { usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Switches, Texts } from '../call.ts';
import type { CiOptions } from '../ci/options.ts';
import type { Io } from '../io.ts';
import { dollars, durationMs } from '../numbers.ts';
import type { Turn } from '../../ports/job-queue.ts';

/** Calls of subjects and users in batches, at half price. */
export type EconomyOptions = Switches<'economy'> & Texts<'liveAfter'>;

export type PriorityOption = { priority?: Turn['priority'] | undefined };

/** Where one process carries its own runs, nothing waits for workers. */
export function refuseIdlePriority({ priority }: PriorityOption, { handedOver }: { handedOver: boolean }): void {
  if (priority !== undefined && !handedOver)
    throw usageError(
      '--priority needs a queue that workers share: set TANDEM_QUEUE=redis://host:6379 or postgres://user@host/database.',
    );
}

export type RunOptions = CiOptions &
  EconomyOptions &
  PriorityOption &
  Texts<'profile' | 'policy' | 'onGate' | 'id' | 'budget'> &
  /** `detach`: hand the run to the workers and return. `yes`: do not ask about a high forecast. `takesOver`: of `--continue`. */
  Switches<'json' | 'allowUnsandboxed' | 'detach' | 'yes' | 'dryRun' | 'takesOver'> & {
    sandbox?: SandboxChoice | undefined;
  };

/** `--budget` in the place of the scenario's own cap. */
export function withBudget(scenario: Scenario, { budget }: RunOptions): Scenario {
  if (budget === undefined) return scenario;
  return { ...scenario, brief: { ...scenario.brief, budget_usd: dollars('--budget', budget) } };
}

export async function configOf(home: Home, options: RunOptions, { env }: Pick<Io, 'env'>): Promise<Config> {
  return loadConfig(home, configLayers(options, env));
}

export function configLayers(options: RunOptions, env: Io['env']): Parameters<typeof loadConfig>[1] {
  const { profile, policy, allowUnsandboxed, sandbox: use } = options;
  const economy = economyFlags(options);
  const sandbox = omitUndefined({ allow_unsandboxed: allowUnsandboxed === true ? true : undefined, use });
  const agents = policy === undefined ? {} : { agents: forAgents({ policy }) };
  return { ...omitUndefined({ profile }), env, flags: { sandbox, economy, ...agents } };
}

/** `--live-after` alone is for what is economical already. */
function economyFlags({ economy, liveAfter }: EconomyOptions): Partial<Config['economy']> {
  const live_after_minutes = liveAfter === undefined ? undefined : durationMs('--live-after', liveAfter) / 60_000;
  return omitUndefined({ on: economy === true ? true : undefined, live_after_minutes });
}
