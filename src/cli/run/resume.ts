/** `tandem resume <run>`: continues a run that was stopped, waits, is paused, or ended with an error. */
import { basename } from 'node:path';
import { openApp } from '../../app/open-app.ts';
import { openStore } from '../../app/open-store.ts';
import { flushRunTelemetry } from '../../app/open-telemetry.ts';
import { findHome } from '../../config/home.ts';
import { refuseErrors } from '../../config/findings.ts';
import { findRunScenario, type Scenario } from '../../config/load-scenario.ts';
import { HarnessError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { currentConfig, checkRunConfig, writeRunConfig, readRunConfig } from '../../pipeline/run-config.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { checkStart } from '../../pipeline/check-start.ts';
import {
  readReplacement,
  writeReplacement,
  type ScenarioReplacement,
} from '../../pipeline/control/replace-scenario.ts';
import { JUDGING_VERSIONS, listJudgingChanges } from '../../evaluation/judging-versions.ts';
import { MACHINE_VERSION, type EventBody } from '../../run/event.ts';
import { RULES_VERSION } from '../../scenario/attribution/problem-code.ts';
import type { RunState } from '../../run/state.ts';
import { discardLastAnswer } from '../../pipeline/spending/write-off-abandoned.ts';
import { type Call, type BooleanFlags, type TextFlags, type Io, commandActor } from '../command-context.ts';
import { openCi, resumeTraffic } from '../ci/ci.ts';
import { finishRun } from './finish.ts';
import { createLiveScreen } from '../live-screen.ts';
import { parseUsd } from '../parse-numbers.ts';
import { isForMany, orderMany, type ManyFlags } from '../runs/order-many.ts';
import { driveAndReport, runCommand } from './run.ts';
import { loadRunConfig, type RunOptions } from './settings.ts';
import { readEvents, readState, transact, refuseDamagedTranscripts } from '../../run-folder/snapshot.ts';
import { findRun } from '../../run-folder/find-run.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';

export type ResumeOptions = RunOptions & TextFlags<'raise' | 'take'> & BooleanFlags<'discardLastAnswer'>;

/** With `--id <id> --continue` the same command line starts a run, and continues it the next time. */
export async function runOrContinue(scenario: string, options: RunOptions, call: Call): Promise<number> {
  if (options.id === undefined)
    throw usageError('--continue needs --id <run-id>: the run that this job begins or goes on with.');
  const dir = await findBegunRun(options.id, call.io);
  return dir === undefined
    ? runCommand(scenario, { ...options, takesOver: true }, call)
    : resumeCommand(dir, options, call);
}

/** Requires the full id, since a prefix could match another run; a run without a first event counts as not begun. */
async function findBegunRun(id: string, io: Io): Promise<string | undefined> {
  const run = await findRun(openStore(findHome(io.cwd)).store, id);
  return run?.id === id && (await run.list('events')).length > 0 ? run.dir : undefined;
}

/** With --where the chosen runs are left to workers. */
export async function resumeOneOrMany(
  name: string | undefined,
  options: ResumeOptions & ManyFlags,
  call: Call,
): Promise<number> {
  if (!isForMany(name, options)) return resumeCommand(name ?? '', options, call);
  return orderMany('resume', options, call);
}

export async function resumeCommand(name: string, options: ResumeOptions, { io, signal }: Call): Promise<number> {
  const home = findHome(io.cwd);
  const own = await loadRunConfig(home, options, io);
  const raiseUsd = options.raise === undefined ? undefined : parseUsd('--raise', options.raise);
  const { store } = openStore(home);
  const run = await store.open(name);
  const state = await readState(run);
  const ci = await openCi(options, io, signal);
  if ('verdict' in state) {
    await flushRunTelemetry(run, io.env, io.err);
    return finishRun({ run, state, endpoint: undefined, io, ci, json: options.json }).finally(ci.close);
  }
  refuseOtherVersion(run.id, state);
  await refuseDamagedTranscripts(run, await readEvents(run));
  const screen = createLiveScreen(io);
  const scenario = await findRunScenario(home, run);
  const today = takeToday(run.id, state, options.take);
  if (today === undefined) for (const line of describeJudges(run.id, state)) io.err(terminalText(`judged   ${line}`));
  const file = today === undefined ? options.take : undefined;
  const taken = file === undefined ? undefined : await readTakenScenario(run, state, { scenario, file });
  const recorded = options.profile === undefined ? await readRunConfig(run) : undefined;
  const config = { ...own, agents: (recorded ?? own).agents };
  const traffic = await resumeTraffic(ci.plan.traffic, [run]);
  const app = await openApp({ home, config, env: io.env, scenario, progress: screen.progress, ...ci.models, traffic });
  io.log?.follow(() => app.deps.telemetry?.here());
  try {
    for (const detail of await checkRunConfig(run, { stored: recorded, own }, app.deps))
      screen.progress({ type: 'state', status: 'notice', detail });
    if (taken !== undefined) {
      refuseErrors(await checkStart(scenario.brief, app.deps, signal));
      for (const change of taken.changes) io.err(`taken    ${change}`);
      await writeReplacement(run, taken);
    }
    if (options.profile !== undefined) await writeRunConfig(run, currentConfig(app.deps));
    const discarded = options.discardLastAnswer === true ? await discardLastAnswer(run, state) : undefined;
    if (discarded !== undefined) io.err(`The answer ${discarded} is discarded: the call is made and paid again.`);
    await recordResume(run, { raiseUsd, discarded, taken, today }, commandActor(io));
    return await driveAndReport({ dir: run.dir, resumed: true, app, screen, config, options, io, ci });
  } finally {
    screen.close();
    await app.close();
    ci.close();
  }
}

/** Only a stopped run can take a new scenario: the files of a running one are in use. */
async function readTakenScenario(
  run: RunFolder,
  state: RunState,
  { scenario, file }: { scenario: Scenario; file: string },
): Promise<ScenarioReplacement> {
  if (basename(file) !== 'scenario.yaml')
    throw usageError(
      `--take "${file}": a run can take scenario.yaml, today's rules with --take proof, or today's users with --take user.`,
    );
  refuseUnlessStopped(run.id, state);
  return readReplacement(run, scenario);
}

/** Returns what the run takes over of today's judges in place of those that it began with. */
function takeToday(run: string, state: RunState, take: string | undefined): TakenToday | undefined {
  if (take !== 'proof' && take !== 'user') return undefined;
  refuseUnlessStopped(run, state);
  const { rules = 1 } = state.origin;
  if (take === 'proof' && rules < RULES_VERSION) return { rules: RULES_VERSION };
  if (take === 'user' && listJudgingChanges(state.origin).length > 0)
    return { user: 'auto', judging: JUDGING_VERSIONS };
  throw usageError(`--take ${take}: run ${run} is judged by today's ${take === 'proof' ? 'rules' : 'users'} already.`);
}

/** Says by whose rules a run of an earlier version goes on, and how it takes over today's. */
function describeJudges(run: string, { origin }: RunState): string[] {
  const { rules = 1 } = origin;
  const ways = `stop the run and give tandem resume ${run} --take`;
  const proof =
    rules < RULES_VERSION
      ? [
          `by the rules of the proof that it began with (${rules}; today's: ${RULES_VERSION}); to take today's over, ${ways} proof`,
        ]
      : [];
  return [
    ...proof,
    ...listJudgingChanges(origin).map((change) => `${change}; to take all of today's over, ${ways} user`),
  ];
}

type TakenToday = { rules?: number; user?: 'auto'; judging?: Record<string, string> };

function refuseUnlessStopped(run: string, { status }: RunState): void {
  if (status !== 'paused' && status !== 'errored')
    throw usageError(`Run ${run} is ${status}: stop it first with tandem pause ${run}.`);
}

function refuseOtherVersion(run: string, { origin }: RunState): void {
  if (origin.machineVersion <= MACHINE_VERSION) return;
  throw new HarnessError(
    'version_mismatch',
    `Run ${run} was made by a newer Tandem (machine version ${origin.machineVersion}; this one carries on up to ${MACHINE_VERSION}): update to go on. ` +
      `It can be shown (tandem status ${run}, tandem report ${run}).`,
  );
}

/** Changes that the resuming event records; it says whether the run was resumed or retried, and by whom. */
type ResumeChanges = {
  raiseUsd: number | undefined;
  discarded: string | undefined;
  taken: ScenarioReplacement | undefined;
  today: TakenToday | undefined;
};

async function recordResume(
  run: RunFolder,
  { raiseUsd, discarded, taken, today }: ResumeChanges,
  actor: string,
): Promise<void> {
  const changed = { discarded, ...today, scenarioDigest: taken?.scenarioDigest, changes: taken?.changes };
  const choose = ({ state: { status } }: RunSnapshot): EventBody | undefined => {
    if (status === 'paused') return omitUndefined({ type: 'run.resumed' as const, raiseUsd, ...changed });
    return status === 'errored' ? omitUndefined({ type: 'run.retried' as const, ...changed }) : undefined;
  };
  await transact(run, choose, actor);
}
