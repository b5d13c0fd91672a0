/** `tandem resume <run>`: goes on where a run stopped: killed, waiting, paused, errored. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openApp } from '../../app/open-app.ts';
import { openStore } from '../../app/open-store.ts';
import { flushRunTelemetry } from '../../app/flush-run-telemetry.ts';
import { findHome, type Home } from '../../config/home.ts';
import { loadScenario, type Scenario } from '../../config/load-scenario.ts';
import { HarnessError } from '../../errors.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import { currentConfig, checkRunConfig, writeRunConfig, readRunConfig } from '../../pipeline/run-config.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { MACHINE_VERSION } from '../../run/event.ts';
import type { RunState } from '../../run/state.ts';
import { openCi, type Ci } from '../ci/ci.ts';
import { resumeTraffic } from '../ci/resume-traffic.ts';
import { finish } from './finish.ts';
import type { Io } from '../io.ts';
import { createLiveScreen } from '../live-screen.ts';
import { commandActor } from '../actor.ts';
import { driveAndReport, configOf, type RunOptions } from './run.ts';
import { readState } from '../../run-folder/snapshot.ts';
import { transact } from '../../run-folder/transact.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import type { EventBody } from '../../run/event.ts';

export type ResumeOptions = RunOptions & { raise?: string | undefined };

export async function resumeCommand(
  name: string,
  options: ResumeOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const home = findHome(io.cwd);
  const own = await configOf(home, options);
  const raiseUsd = raiseOf(options.raise);
  const read = openStore(home);
  const run = await read.store.open(name);
  const state = await readState(run);
  const ci = await openCi(options, io, signal);
  if ('verdict' in state) return ended(run.id, state, read, io, options, ci);
  refuseOtherVersion(run.id, state);
  const screen = createLiveScreen(io);
  const scenario = await scenarioOf(home, run);
  const kept = options.profile === undefined ? await readRunConfig(run) : undefined;
  const config = kept === undefined ? own : { ...own, agents: kept.agents };
  const traffic = await resumeTraffic(ci.plan.traffic, [run]);
  const app = await openApp({ home, config, env: io.env, scenario, progress: screen.progress, ...ci.models, traffic });
  try {
    for (const detail of await checkRunConfig(run, kept, own, app.deps))
      screen.progress({ type: 'state', status: 'notice', detail });
    if (options.profile !== undefined) await writeRunConfig(run, currentConfig(app.deps));
    await wakeUp(run, raiseUsd, commandActor(io));
    return await driveAndReport({ runId: name, resumed: true, app, screen, config, options, io, ci });
  } finally {
    screen.close();
    await app.close();
    ci.close();
  }
}

/** There is nothing left to do but to tell it again. */
async function ended(
  run: string,
  state: RunState,
  read: ReadDeps,
  io: Io,
  options: ResumeOptions,
  ci: Ci,
): Promise<number> {
  await flushRunTelemetry(await read.store.open(run), io.env, io.err);
  const { junit } = ci.plan;
  const end = { json: options.json ?? false, junit, held: ci.held, takeCommands: ci.takeCommands };
  try {
    return await finish(run, state, read, undefined, io, end);
  } finally {
    ci.close();
  }
}

function refuseOtherVersion(run: string, { origin }: RunState): void {
  if (origin.machineVersion === MACHINE_VERSION) return;
  throw new HarnessError(
    'version_mismatch',
    `Run ${run} was made by machine version ${origin.machineVersion}, and this program carries on version ${MACHINE_VERSION} only. ` +
      `It can be shown (tandem status ${run}, tandem report ${run}); to go on, use the version of tandem that made it.`,
  );
}

/** The folder that the run lies in, or for a run that was copied elsewhere the project's scenario of that name. */
async function scenarioOf(home: Home, run: RunFolder): Promise<Scenario> {
  const around = resolve(run.dir, '../..');
  return loadScenario(home, existsSync(join(around, 'scenario.yaml')) ? around : run.scenario);
}

/** A paused run is resumed and an errored one retried: both are events, so that the record says who did it. */
async function wakeUp(run: RunFolder, raiseUsd: number | undefined, actor: string): Promise<void> {
  const choose = ({ state: { status } }: RunSnapshot): EventBody | undefined => {
    if (status === 'paused') return omitUndefined({ type: 'run.resumed' as const, raiseUsd });
    return status === 'errored' ? { type: 'run.retried' } : undefined;
  };
  await transact(run, choose, actor);
}

function raiseOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const usd = Number(text);
  if (!Number.isFinite(usd) || usd <= 0)
    throw new HarnessError('usage', `--raise "${text}": expected US dollars, such as --raise 5.`);
  return usd;
}
