/** Starts a new run: its folder, a frozen copy of the scenario's content, and its first event. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { parseYaml } from '../config/yaml-file.ts';
import type { Scenario } from '../config/load-scenario.ts';
import type { RunFolder, ReadDeps } from '../ports/run-store.ts';
import { HarnessError } from '../errors.ts';
import { findRun } from '../run-folder/find-run.ts';
import { readState } from '../run-folder/snapshot.ts';
import { MACHINE_VERSION, type Labels } from '../run/event.ts';
import { JUDGING_VERSIONS } from '../evaluation/judging-versions.ts';
import { RULES_VERSION } from '../scenario/attribution/problem-code.ts';
import { Brief } from '../scenario/brief.ts';
import type { Forecast } from '../scenario/forecast/forecast.ts';
import { writeForecast } from './forecast/saved-forecast.ts';
import { writeRunConfig, type RunConfig } from './run-config.ts';

export type StartOptions = {
  actor: string;
  configDigest: string;
  simulated: boolean;
  id?: string;
  /** Takes over a run of that id that has no first event, for a command that is repeated after a kill. */
  takesOver?: boolean | undefined;
  /** Settings with which every process must carry the run on. */
  stored?: RunConfig;
  labels?: Labels | undefined;
  /** Expected cost, saved with the run so that it can be compared afterwards. */
  forecast?: Forecast | undefined;
};

/** The folder holds copies of `scenario.yaml`, the files that Init may read, and the law: later edits have no effect. */
export async function startRun(scenario: Scenario, options: StartOptions, deps: ReadDeps): Promise<RunFolder> {
  const id = options.id ?? newRunId(deps.clock.now());
  const left = options.takesOver === true ? await findUnbegunRun(id, scenario, deps) : undefined;
  const run = left ?? (await deps.store.create(scenario.dir, id));
  await beginRun(run, scenario, options);
  return run;
}

async function findUnbegunRun(id: string, { brief }: Scenario, { store }: ReadDeps): Promise<RunFolder | undefined> {
  const run = await findRun(store, id);
  if (run?.id !== id || run.scenario !== brief.name) return undefined;
  return (await run.list('events')).length === 0 ? run : undefined;
}

/** Begins the run in an existing folder without an event, such as one whose creator died. */
export async function beginRun(run: RunFolder, scenario: Scenario, options: StartOptions): Promise<void> {
  await run.write('scenario/scenario.yaml', scenario.text);
  for (const { path, bytes } of scenario.files) await run.write(`scenario/${path}`, bytes);
  const { law } = scenario;
  if (law !== undefined) await run.write(`scenario/${law.file}`, law.bytes);
  if (options.stored !== undefined) await writeRunConfig(run, options.stored);
  if (options.forecast !== undefined) await writeForecast(run, options.forecast);
  const { target, gate, max_iterations: maxIterations, max_rounds: maxRounds, patience, budget_usd } = scenario.brief;
  const limits = { target, gate, maxIterations, maxRounds, patience, budgetUsd: budget_usd };
  await run.journal.append(
    {
      type: 'run.created',
      machineVersion: MACHINE_VERSION,
      scenario: scenario.brief.name,
      scenarioDigest: scenario.digest,
      configDigest: options.configDigest,
      limits,
      simulated: options.simulated,
      user: 'auto',
      rules: RULES_VERSION,
      judging: JUDGING_VERSIONS,
      ...(options.labels === undefined ? {} : { labels: options.labels }),
    },
    options.actor,
    0,
  );
}

const NamedUser = z.looseObject({ user: z.unknown().optional() });

/** Returns the scenario as it was when the run began. */
export async function readBrief(run: RunFolder): Promise<Brief> {
  const text = await run.read('scenario/scenario.yaml');
  if (text === undefined) {
    throw new HarnessError(
      'data_corrupt',
      `${run.dir}/scenario/scenario.yaml is missing: this folder is not a whole run.`,
    );
  }
  const brief = parseYaml(text, Brief, 'scenario/scenario.yaml');
  const { user } = parseYaml(text, NamedUser, 'scenario/scenario.yaml');
  if (user !== undefined || (await readState(run)).origin.user !== undefined) return brief;
  // A run keeps the users with which it began.
  return { ...brief, user: { ...brief.user, simulator: 'scripted' } };
}

/** `20261120-181502-a1b2c3`: sorts by time. */
export function newRunId(now: Date): string {
  const stamp = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${randomBytes(3).toString('hex')}`;
}
