/** `tandem upgrade-check`: predicts what this version would do to the existing runs, before a worker touches one. */
import { openStore } from '../../app/open-store.ts';
import { findHome, type Home } from '../../config/home.ts';
import { loadAgent } from '../../config/load-agent.ts';
import { loadConfig } from '../../config/load-config.ts';
import { loadPrompts } from '../../config/load-prompts.ts';
import { readProgramVersion } from '../../disk/newer-program.ts';
import { HarnessError, isHarnessError } from '../../errors.ts';
import { packageVersion } from '../../own-file.ts';
import { currentConfig, readRunConfig } from '../../pipeline/run-config.ts';
import { parseCallStep } from '../../pipeline/spending/paid-model.ts';
import { openConfined } from '../../app/open-sandbox.ts';
import { verifyComponents } from '../../evaluation/proof/verify-components.ts';
import { listJudgingChanges } from '../../evaluation/judging-versions.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { readBrief } from '../../pipeline/start-run.ts';
import type { RunFolder, RunStore } from '../../ports/run-store.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { currentDesignDir, designDir, outputDir } from '../../run/layout.ts';
import { readDesign } from '../../run-folder/read-design.ts';
import { RULES_VERSION, separateByRules } from '../../scenario/attribution/problem-code.ts';
import { decide } from '../../run/decide.ts';
import { MACHINE_VERSION } from '../../run/event.ts';
import type { RunState } from '../../run/state.ts';
import { findSnapshot, readState, refuseDamagedTranscripts } from '../../run-folder/snapshot.ts';
import { type Call, type JsonFlag, EXIT } from '../command-context.ts';

/** `ended` runs are still shown; `update` ones were made by a newer version; `damaged` ones cannot continue. */
type UpgradeOutcome = 'ended' | 'goes_on' | 'goes_on_changed' | 'update' | 'damaged';
export type CheckedRun = {
  run: string;
  scenario: string;
  status: string;
  by: string;
  outcome: UpgradeOutcome;
  why: string;
  /** Version of the rules that its components are proven by, where today's refuse more; and what these would refuse. */
  rules?: number;
  refused?: string[];
  /** Changes in how it is judged since it began. */
  judged?: string[];
};

export async function upgradeCheckCommand(options: JsonFlag, { io, signal }: Call): Promise<number> {
  const home = findHome(io.cwd);
  const runs = await checkRuns(home);
  for (const run of runs) await addRefusals(run, openStore(home).store, signal);
  const isStuck = runs.some(({ outcome }) => outcome === 'update' || outcome === 'damaged');
  if (options.json === true)
    io.out(JSON.stringify({ version: packageVersion(), machineVersion: MACHINE_VERSION, runs }));
  else {
    io.out(`Tandem ${packageVersion()}, machine version ${MACHINE_VERSION}: ${formatOverview(runs)}.`);
    for (const { run, status, by, why, rules, refused, judged = [] } of runs.filter(
      ({ outcome }) => outcome !== 'ended',
    )) {
      io.out(`${run.padEnd(24)} ${status.padEnd(18)} made by ${by.padEnd(8)} ${why}`);
      if (rules !== undefined) io.out(terminalText(formatRules(run, rules, refused)));
      for (const change of judged) io.out(terminalText(`  ${change}: tandem resume ${run} --take user`));
    }
  }
  return isStuck ? EXIT.notMet : EXIT.met;
}

function formatRules(run: string, rules: number, refused: readonly string[] | undefined): string {
  const begun = `  it is judged by the rules of the proof that it began with (${rules}; today's: ${RULES_VERSION})`;
  if (refused === undefined) return `${begun}; it has no components yet that today's rules could refuse`;
  if (refused.length === 0) return `${begun}; today's rules would refuse nothing of its components`;
  return `${begun}; tandem resume ${run} --take proof would refuse: ${refused.join('; ')}`;
}

/** Proves the newest components of a run that goes on by earlier rules, and lists what only today's would refuse. */
async function addRefusals(checked: CheckedRun, store: RunStore, signal: AbortSignal): Promise<void> {
  if (checked.outcome !== 'goes_on' && checked.outcome !== 'goes_on_changed') return;
  const run = await store.open(checked.run);
  const { origin } = await readState(run);
  const { rules = 1 } = origin;
  const judged = listJudgingChanges(origin);
  if (judged.length > 0) checked.judged = judged;
  if (rules >= RULES_VERSION) return;
  Object.assign(checked, omitUndefined({ rules, refused: await findRefusals(run, rules, signal) }));
}

async function findRefusals(run: RunFolder, rules: number, signal: AbortSignal): Promise<string[] | undefined> {
  const state = await readState(run);
  const round = state.designs.at(-1)?.round;
  const own = (await run.artifacts.live()).find((name) => name.startsWith(`execute.i${state.iteration}@`));
  const ended = state.iterations.at(-1)?.outputDir;
  const dir =
    own === undefined
      ? ended && (await run.artifacts.committed(ended))?.dir
      : run.artifacts.attemptAt(own, outputDir(state.iteration)).out;
  const designed = round === undefined ? undefined : await run.artifacts.committed(currentDesignDir(state, round));
  if (dir === undefined || round === undefined || designed === undefined) return undefined;
  const { parts } = await readDesign(designed.dir, designDir(round));
  if (parts === undefined) return undefined;
  const { samples, user } = await readBrief(run);
  const design = { round, digest: designed.digest, ...parts };
  const sandbox = await openConfined({ folder: dir });
  const demands = { dir, design, samplesWanted: samples.min, user: user.simulator, sandbox, rules, signal };
  const { remarks = [] } = await verifyComponents(demands);
  return separateByRules(remarks, rules).later.map(({ code, message }) => `${code}: ${message}`);
}

const WORDS: Readonly<Record<UpgradeOutcome, string>> = {
  ended: 'have ended and are shown as ever',
  goes_on: 'go on as they are',
  goes_on_changed: 'go on with other prompts, policies or agents than they were begun with',
  update: 'wait for a newer Tandem',
  damaged: 'are damaged',
};

export function formatOverview(runs: readonly CheckedRun[]): string {
  const counts = Map.groupBy(runs, ({ outcome }) => outcome);
  const parts = Object.entries(WORDS).flatMap(([outcome, words]) => {
    const many = counts.get(outcome as UpgradeOutcome)?.length ?? 0;
    return many === 0 ? [] : [`${many} ${words}`];
  });
  return parts.join(', ') || 'no runs yet';
}

export async function checkRuns(home: Home): Promise<CheckedRun[]> {
  const { store } = openStore(home);
  const config = await loadConfig(home, {});
  const agents = { init: await loadAgent(home, 'init', config), execute: await loadAgent(home, 'execute', config) };
  const here = currentConfig({ config, agents, prompts: await loadPrompts(home) }).agentsDigest;
  const found: CheckedRun[] = [];
  for (const folder of await store.list()) {
    const run = store.at(folder);
    const by = (await readProgramVersion(run)) ?? 'unknown';
    const base = { run: folder.id, scenario: folder.scenario, by };
    try {
      const snapshot = await findSnapshot(run);
      if (snapshot === undefined) continue;
      const { state, events } = snapshot;
      if (!('verdict' in state)) await refuseDamagedTranscripts(run, events);
      found.push({ ...base, status: state.status, ...(await predictOutcome(run, state, here)) });
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      found.push({ ...base, ...toUnreadableRun(error) });
    }
  }
  return found;
}

function toUnreadableRun(error: HarnessError): Pick<CheckedRun, 'status' | 'outcome' | 'why'> {
  const isNewer = error.code === 'version_mismatch';
  return { status: isNewer ? 'newer' : 'unreadable', outcome: isNewer ? 'update' : 'damaged', why: error.message };
}

async function predictOutcome(
  run: RunFolder,
  state: RunState,
  here: string,
): Promise<Pick<CheckedRun, 'outcome' | 'why'>> {
  if ('verdict' in state) return { outcome: 'ended', why: 'it is shown as ever' };
  const next = decide(state);
  if (next.type === 'wait' && next.for === 'other_version') return { outcome: 'update', why: next.why };
  if ((await readRunConfig(run))?.agentsDigest === here)
    return { outcome: 'goes_on', why: 'with the agents, prompts and policies that it was begun with' };
  const cost = await sumStepCost(run, state);
  const again = cost === 0 ? '' : `; up to $${cost.toFixed(2)} of answers of the step under way are paid again`;
  const why = `its agents go on with what is installed here, and drop their earlier thinking once${again}`;
  return { outcome: 'goes_on_changed', why };
}

/** Sums the cost of an unfinished step, whose answers must be requested again when the requests change. */
async function sumStepCost(run: RunFolder, state: RunState): Promise<number> {
  const designed = new Set(state.designs.map(({ round }) => `design.r${round}`));
  const done = new Set(state.iterations.map(({ iteration }) => `execute.i${iteration}`));
  const calls = await run.spending.list();
  const open = calls.filter(({ call }) => {
    const step = parseCallStep(call);
    return step !== call && step !== 'chat' && !designed.has(step) && !done.has(step);
  });
  return open.reduce((sum, { usd }) => sum + usd, 0);
}
