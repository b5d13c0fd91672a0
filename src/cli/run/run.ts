/** `tandem run <scenario>`: one run, from its brief to a verdict. */
import { sha256 } from '../../disk/sha256.ts';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp, type App } from '../../app/open-app.ts';
import { formatLawNotice } from '../../agent/layers.ts';
import { checkRun } from '../../app/preflight/check-run.ts';
import { formatFindings, refuseErrors } from '../../config/findings.ts';
import { findHome, type Home } from '../../config/home.ts';
import { loadScenario, type Scenario } from '../../config/load-scenario.ts';
import { OnGate, POLICIES, type Config } from '../../config/schema.ts';
import { usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import {
  refuseUnsafePolicy,
  answerByPolicy,
  sendDecision,
  waitForDecision,
  type WaitingAtGate,
} from '../../pipeline/drive/answer-gates.ts';
import { stateOf, driveToRest, nameToDrive } from '../../pipeline/drive/drive.ts';
import { createForecastDeps, forecastRun } from '../../pipeline/forecast/forecast-run.ts';
import { currentConfig } from '../../pipeline/run-config.ts';
import { startRun } from '../../pipeline/start-run.ts';
import { handOver } from '../../run-folder/hand-over.ts';
import { readState } from '../../run-folder/snapshot.ts';
import { findCarrier } from '../../run-folder/work-mark.ts';
import type { Deps } from '../../pipeline/deps.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import { commandActor, type Call, printAnswer, isUsageError, PromptLeft, type Io } from '../command-context.ts';
import { openCi, type Ci } from '../ci/ci.ts';
import { finishRun, shortenPath, formatRunReference, nextSteps } from './finish.ts';
import { parseLabels } from '../runs/choose-runs.ts';
import { loadRunConfig, refuseIdlePriority, withBudget, type RunOptions } from './settings.ts';
import { confirmForecast } from './forecast.ts';
import { refuseBadFiles, validateCommand } from './preflight.ts';
import { createLiveScreen, type LiveScreen } from '../live-screen.ts';
import { cleanAtStart } from '../sessions/clean.ts';
import { randomUUID } from 'node:crypto';
import { readPack } from '../../gate/read-pack.ts';

export async function runCommand(name: string, options: RunOptions, { io, signal }: Call): Promise<number> {
  const home = findHome(io.cwd);
  if (options.dryRun === true) return validateCommand(name, options, { io, signal });
  const checked = await refuseBadFiles({ home, name, options }, io);
  const config = await loadRunConfig(home, options, io);
  // A shipped scenario is copied into the project first; any other one stays as it was checked.
  const isOwn = checked?.dir.startsWith(join(home.project, 'scenarios')) === true;
  const scenario = withBudget(isOwn ? checked : await loadScenario(home, name), options);
  try {
    return await runScenario(scenario, { home, config, options }, { io, signal });
  } catch (error) {
    // Exit code 2 promises that nothing was written, so an unused copy of the scenario is removed.
    // The copy stays when it holds a run, such as one of another command.
    const isUnused = scenario.copied && !existsSync(join(scenario.dir, 'runs'));
    if (isUnused && isUsageError(error)) await rm(scenario.dir, { recursive: true, force: true });
    throw error;
  }
}

type RunSettings = { home: Home; config: Config; options: RunOptions };

async function runScenario(
  scenario: Scenario,
  { home, config, options }: RunSettings,
  { io, signal }: Call,
): Promise<number> {
  await cleanAtStart(home, io.err);
  if (scenario.copied)
    io.err(`Copied the shipped scenario to ${shortenPath(scenario.dir, io.cwd)}; its runs are stored there.`);
  const ci = await openCi(options, io, signal);
  await ci.refuseUsedRecording();
  const onGate = parseOnGate(config, options, io);
  const screen = createLiveScreen(io);
  const app = await openApp({ home, config, env: io.env, scenario, progress: screen.progress, ...ci.models });
  io.log?.follow(() => app.deps.telemetry?.here());
  try {
    if (options.detach === true && !app.deps.handedOver)
      throw usageError('--detach needs a queue that workers share: set TANDEM_QUEUE=redis://host:6379.');
    refuseIdlePriority(options, app.deps);
    if (options.detach !== true) refuseUnsafePolicy(app, onGate);
    // A replay sends nothing, and stops at a call that its recording lacks.
    const isReplay = ci.plan.traffic.replay !== undefined;
    const forecast = await forecastRun(scenario, createForecastDeps(app.deps, signal));
    if (!isReplay) {
      const findings = await checkRun({ scenario, app, forecast, isHere: options.detach !== true }, signal);
      refuseErrors(findings);
      for (const line of formatFindings(findings)) io.err(line);
    }
    const terms = { budgetUsd: scenario.brief.budget_usd, simulated: isReplay || app.deps.simulated, yes: options.yes };
    await confirmForecast(forecast, terms, { io, signal });
    printLawNotices(scenario, app.deps.agents, io);
    const origin = {
      ...{ actor: commandActor(io), configDigest: digestOfConfig(config), stored: currentConfig(app.deps), forecast },
      simulated: app.deps.simulated,
      ...omitUndefined({ id: options.id, takesOver: options.takesOver, labels: parseLabels(options.label) }),
    };
    const run = await startRun(scenario, origin, app.deps);
    const deps = { ...app.deps, turn: omitUndefined({ priority: options.priority }) };
    if (options.detach === true) return await leaveToWorkers(run, deps, { io, ...options });
    const driven = { dir: run.dir, resumed: false, app: { ...app, deps } };
    return await driveAndReport({ ...driven, screen, config, options, io, ci });
  } finally {
    screen.close();
    await app.close();
    ci.close();
  }
}

function printLawNotices({ law }: Scenario, agents: Deps['agents'], io: Io): void {
  const notices = Object.values(agents).map(({ policy }) => law && formatLawNotice(law, policy));
  for (const notice of new Set(notices)) if (notice !== undefined) io.err(notice);
}

async function leaveToWorkers(
  run: RunFolder,
  deps: Deps,
  { io, json, onGate }: { io: Io } & Pick<RunOptions, 'json' | 'onGate'>,
): Promise<number> {
  await handOver(run.id, deps);
  if (onGate?.startsWith('auto:') === true)
    io.err(`${onGate} answers no gate of this run: workers leave gates to people (tandem gates).`);
  const lines = [`Run ${run.id} is handed to the workers. Its progress: tandem status ${run.id}`];
  return printAnswer(io, { json, value: { run: run.id, folder: run.dir, status: 'created' }, lines });
}

/** `dir` is the folder of the run, because two runs may share an id. */
type RunToDrive = Pick<RunToFollow, 'app' | 'screen' | 'io'> &
  Omit<RunSettings, 'home'> & { dir: string; resumed: boolean; ci: Ci };

/** Drives the run, answers its gates and reports the end; shared with `resume`. */
export async function driveAndReport({ dir, resumed, config, options, ...open }: RunToDrive): Promise<number> {
  const { app, screen, io, ci } = open;
  const run = await app.deps.store.open(dir);
  const { endpoint, simulated } = app.deps;
  const { target } = (await readState(run)).origin.limits;
  const where = { run: run.id, folder: run.dir, scenario: run.scenario, endpoint, simulated, resumed, target };
  app.deps.progress({ type: 'run', ...where });
  const onGate = parseOnGate(config, options, io);
  const following = { run, app, screen, io, onGate, actor: commandActor(io), gateTimeoutMs: ci.plan.gateTimeoutMs };
  const state = await followUntilRest(ci, following).catch(async (error: unknown) => {
    screen.close();
    if (error instanceof PromptLeft || ci.slice.signal.aborted)
      for (const line of nextSteps(await formatRunReference(run, io), await readState(run), {
        carrier: await findCarrier(run),
      }))
        io.err(line);
    throw error;
  });
  screen.close();
  return finishRun({ run, state, endpoint, io, ci, json: options.json, profile: options.profile });
}

/** Follows the run until it rests or the time slice is used up. */
async function followUntilRest(ci: Ci, following: RunToFollow): Promise<RunState> {
  try {
    return await followRun(following, ci.slice.signal);
  } catch (error) {
    if (!ci.slice.used()) throw error;
    return stateOf(following.run.dir, following.app.deps);
  }
}

function parseOnGate(config: Config, options: RunOptions, io: Io): OnGate {
  if (options.onGate === undefined) return io.ask === undefined ? config.on_gate.no_tty : config.on_gate.tty;
  const parsed = OnGate.safeParse(options.onGate);
  if (!parsed.success)
    throw usageError(`--on-gate "${options.onGate}": expected exit, wait, prompt or ${POLICIES.join(', ')}.`);
  if (parsed.data === 'prompt' && io.ask === undefined) throw usageError(NO_TERMINAL);
  return parsed.data;
}

export function digestOfConfig(config: Config): string {
  return sha256(JSON.stringify(config));
}

const NO_TERMINAL = '--on-gate prompt needs a terminal. Use --on-gate exit or wait, and decide with tandem gates.';

type RunToFollow = {
  run: RunFolder;
  app: App;
  screen: LiveScreen;
  io: Io;
  onGate: OnGate;
  actor: string;
  /** Time limit of `wait`; unlimited when undefined. */
  gateTimeoutMs?: number | undefined;
};

/** Resolves with the state in which the run comes to rest. */
async function followRun(following: RunToFollow, signal: AbortSignal): Promise<RunState> {
  refuseUnsafePolicy(following.app, following.onGate);
  const name = await nameToDrive(following.run, following.app.deps);
  for (;;) {
    const state = await driveToRest(name, following.app.deps, signal);
    if (state.status !== 'awaiting_approval' || !(await answerGate(state, following, signal))) return state;
  }
}

/** Returns false when gates are not answered here, so that the command ends with exit code 4. */
async function answerGate(
  state: WaitingAtGate,
  { run, app, screen, io, onGate, actor, gateTimeoutMs }: RunToFollow,
  signal: AbortSignal,
): Promise<boolean> {
  const base = { run: run.dir, gate: state.gate.id, digest: state.gate.digest, nonce: randomUUID() };
  if (onGate === 'exit') return false;
  if (onGate === 'wait') return waitForDecision(state, app.deps, { run: run.dir, timeoutMs: gateTimeoutMs, signal });
  if (onGate !== 'prompt') return answerByPolicy(run.dir, state, { app, onGate });
  if (io.ask === undefined) throw usageError(NO_TERMINAL);
  const pack = await readPack(run, state.gate.id);
  const { reviewGate, forgetMarks } = await import('../gates/review-gate.ts');
  const gate = { run, state, pack, moment: {}, marks: forgetMarks(), left: 0 };
  const answer = await screen.suspended(() => reviewGate(gate, io, signal));
  if (typeof answer === 'string') return false;
  await sendDecision({ ...base, ...answer, actor, via: 'terminal' }, app);
  return true;
}
