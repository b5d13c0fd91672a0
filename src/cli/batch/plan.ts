/** Which runs `tandem batch` is about: a new batch over scenarios, or an old one that goes on. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, type Home } from '../../config/home.ts';
import { loadScenario, type Scenario } from '../../config/load-scenario.ts';
import { HarnessError } from '../../errors.ts';
import { findBatch, planRuns, readBatch, writeBatch, type Batch } from '../../batch/batch.ts';
import { newRunId } from '../../pipeline/start-run.ts';
import { commandActor } from '../actor.ts';
import type { BatchOptions } from './options.ts';
import type { Io } from '../io.ts';

/** Far beyond what anybody means, and a typo in --runs costs nothing. */
const MOST_RUNS = 5000;

/** The batch on disk, made or raised as the flags say. */
export async function planBatch(
  patterns: readonly string[],
  options: BatchOptions,
  home: Home,
  io: Io,
): Promise<Batch> {
  const { resume, id } = options;
  if (resume !== undefined) return goOn(await readBatch(home.project, resume), patterns, options, home);
  const found = id === undefined ? undefined : await findBatch(home.project, id);
  if (found !== undefined && options.continue === true) return goOn(found, [], options, home);
  if (found !== undefined)
    throw new HarnessError('usage', `A batch ${id} exists already: go on with it by tandem batch --resume ${id}.`);
  return begin(patterns, options, home, io);
}

async function begin(patterns: readonly string[], options: BatchOptions, home: Home, io: Io): Promise<Batch> {
  const scenarios = await findScenarios(patterns, home);
  if (scenarios.length * options.runs > MOST_RUNS)
    throw new HarnessError(
      'usage',
      `${scenarios.length} scenarios × --runs ${options.runs} are more than ${MOST_RUNS} runs: make several batches.`,
    );
  const now = new Date();
  const id = options.id ?? newRunId(now);
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/.test(id))
    throw new HarnessError('usage', `--id ${JSON.stringify(id)}: expected letters, digits and dashes, at most 80.`);
  const named = scenarios.map(({ brief, dir }) => ({ name: brief.name, dir }));
  const batch: Batch = {
    version: 1,
    id,
    createdAt: now.toISOString(),
    actor: commandActor(io),
    ...(options.profile === undefined ? {} : { profile: options.profile }),
    ...(options.budgetUsd === undefined ? {} : { budgetUsd: options.budgetUsd }),
    runs: planRuns({ id, project: home.project, each: options.runs }, named),
  };
  await writeBatch(home.project, batch);
  return batch;
}

async function goOn(
  batch: Batch,
  patterns: readonly string[],
  { budgetUsd }: BatchOptions,
  home: Home,
): Promise<Batch> {
  if (patterns.length > 0)
    throw new HarnessError('usage', `Batch ${batch.id} has its scenarios already: leave ${patterns.join(' ')} out.`);
  if (budgetUsd === undefined || budgetUsd === batch.budgetUsd) return batch;
  const raised = { ...batch, budgetUsd };
  await writeBatch(home.project, raised);
  return raised;
}

/** Names, paths, and patterns with `*` and `?` over the project's own scenarios; each once, in the order of the words. */
export async function findScenarios(patterns: readonly string[], home: Home): Promise<Scenario[]> {
  if (patterns.length === 0)
    throw new HarnessError(
      'usage',
      "Say which scenarios: tandem batch 'scenarios/*', or tandem batch --resume <batch>.",
    );
  const names = patterns.flatMap((pattern) => (/[*?]/.test(pattern) ? matching(pattern, home) : [pattern]));
  const found = new Map<string, Scenario>();
  for (const name of names) {
    const scenario = await loadScenario(home, name);
    found.set(scenario.dir, found.get(scenario.dir) ?? scenario);
  }
  return [...found.values()];
}

function matching(pattern: string, home: Home): string[] {
  const folder = join(home.project, 'scenarios');
  const own = namesIn({ ...home, shipped: home.project }, 'scenarios').filter((name) =>
    existsSync(join(folder, name, 'scenario.yaml')),
  );
  const bare = pattern.replace(/^\.\//, '').replace(/\/(scenario\.yaml)?$/, '');
  const matches = asExpression(bare);
  const hits = own.filter((name) => [name, `scenarios/${name}`, join(folder, name)].some((path) => matches.test(path)));
  if (hits.length > 0) return hits;
  const known = own.join(', ') || 'none yet';
  throw new HarnessError('usage', `No scenario of ${folder} matches "${pattern}". There are: ${known}.`);
}

/** `*` stops at a slash, as it does in a shell. */
function asExpression(pattern: string): RegExp {
  const source = pattern
    .split(/([*?])/)
    .map((part) =>
      part === '*' ? '[^/]*' : part === '?' ? '[^/]' : part.replace(/[\\^$.|+()[\]{}]/g, String.raw`\$&`),
    );
  return new RegExp(`^${source.join('')}$`);
}
