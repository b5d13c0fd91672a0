/** Plans the runs of a batch: new ones over scenarios, or those of an earlier batch that continues. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listNames, type Home } from '../config/home.ts';
import { loadScenario, type Scenario } from '../config/load-scenario.ts';
import { isDeviceName } from '../disk/confine.ts';
import { usageError } from '../errors.ts';
import { findBatch, planRuns, readBatch, writeBatch, type Batch } from './batch.ts';
import type { BatchStore } from '../ports/batches.ts';
import { newRunId } from '../pipeline/start-run.ts';
import { omitUndefined } from '../omit-undefined.ts';

/** This limit is far above any intended number, so that a typo in --runs costs nothing. */
const MOST_RUNS = 5000;

export type BatchPlan = {
  /** Names, paths and patterns of scenarios. */
  patterns: readonly string[];
  /** Number of runs of each scenario. */
  runs: number;
  budgetUsd: number | undefined;
  priority?: Batch['priority'];
  /** The id of the batch to continue. */
  resume: string | undefined;
  id: string | undefined;
  /** Continue the batch of that `id` when it exists. */
  continue: boolean | undefined;
  profile: string | undefined;
  policy: string | undefined;
  actor: string;
};

/** Returns a new batch, or an existing one, perhaps with a new cap. */
export async function planBatch(plan: BatchPlan, home: Home, batches: BatchStore): Promise<Batch> {
  const { resume, id } = plan;
  if (resume !== undefined) return continueBatch(await readBatch(batches, resume), plan, batches);
  const found = id === undefined ? undefined : await findBatch(batches, id);
  if (found !== undefined && plan.continue === true) return continueBatch(found, { ...plan, patterns: [] }, batches);
  if (found !== undefined)
    throw usageError(`A batch ${id} exists already: go on with it by tandem batch --resume ${id}.`);
  return createBatch(plan, home, batches);
}

async function createBatch(
  { patterns, runs, actor, profile, policy, budgetUsd, priority, ...plan }: BatchPlan,
  home: Home,
  batches: BatchStore,
): Promise<Batch> {
  const scenarios = await findScenarios(patterns, home);
  if (scenarios.length * runs > MOST_RUNS)
    throw usageError(
      `${scenarios.length} scenarios × --runs ${runs} are more than ${MOST_RUNS} runs: make several batches.`,
    );
  const now = new Date();
  const id = plan.id ?? newRunId(now);
  refuseBatchId(id);
  const named = scenarios.map(({ brief, dir }) => ({ name: brief.name, dir }));
  const batch: Batch = {
    ...{ version: 1, id, createdAt: now.toISOString(), actor },
    ...omitUndefined({ profile, policy, budgetUsd, priority }),
    runs: planRuns({ id, project: home.project, each: runs }, named),
  };
  await writeBatch(batches, batch);
  return batch;
}

/** An id is the name of a folder. */
export function refuseBatchId(id: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/.test(id))
    throw usageError(`--id ${JSON.stringify(id)}: expected letters, digits and dashes, at most 80.`);
  if (isDeviceName(id)) throw usageError(`--id ${JSON.stringify(id)}: it is a device on Windows. Choose another one.`);
}

async function continueBatch(batch: Batch, { patterns, budgetUsd }: BatchPlan, batches: BatchStore): Promise<Batch> {
  if (patterns.length > 0)
    throw usageError(`Batch ${batch.id} has its scenarios already: leave ${patterns.join(' ')} out.`);
  if (budgetUsd === undefined || budgetUsd === batch.budgetUsd) return batch;
  const changed = { ...batch, budgetUsd };
  await writeBatch(batches, changed);
  return changed;
}

/** Resolves names, paths and `*`/`?` patterns to the project's scenarios; each appears once, in the order given. */
export async function findScenarios(patterns: readonly string[], home: Home): Promise<Scenario[]> {
  const found = new Map<string, Scenario>();
  for (const name of scenarioNames(patterns, home)) {
    const scenario = await loadScenario(home, name);
    found.set(scenario.dir, found.get(scenario.dir) ?? scenario);
  }
  return [...found.values()];
}

/** Returns the scenarios as names or paths, without reading them. */
export function scenarioNames(patterns: readonly string[], home: Home): string[] {
  if (patterns.length === 0)
    throw usageError("Say which scenarios: tandem batch 'scenarios/*', or tandem batch --resume <batch>.");
  return patterns.flatMap((pattern) => (/[*?]/.test(pattern) ? matchScenarios(pattern, home) : [pattern]));
}

function matchScenarios(pattern: string, home: Home): string[] {
  const folder = join(home.project, 'scenarios');
  const own = listNames({ ...home, shipped: home.project }, 'scenarios').filter((name) =>
    existsSync(join(folder, name, 'scenario.yaml')),
  );
  const bare = pattern.replace(/^\.\//, '').replace(/\/(scenario\.yaml)?$/, '');
  const matches = toRegExp(bare);
  const hits = own.filter((name) => [name, `scenarios/${name}`, join(folder, name)].some((path) => matches.test(path)));
  if (hits.length > 0) return hits;
  const known = own.join(', ') || 'none yet';
  throw usageError(`No scenario of ${folder} matches "${pattern}". There are: ${known}.`);
}

/** A `*` stops at a slash, as it does in a shell. */
function toRegExp(pattern: string): RegExp {
  const source = pattern
    .split(/([*?])/)
    .map((part) =>
      part === '*' ? '[^/]*' : part === '?' ? '[^/]' : part.replace(/[\\^$.|+()[\]{}]/g, String.raw`\$&`),
    );
  return new RegExp(`^${source.join('')}$`);
}
