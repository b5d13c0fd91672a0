/** A project in a temporary folder with the template scenario, opened in this process against the offline model. */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApp, type App } from '../../src/app/open-app.ts';
import { initCommand } from '../../src/cli/serve/init.ts';
import type { Io } from '../../src/cli/command-context.ts';
import { findHome } from '../../src/config/home.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { loadScenario, type Scenario } from '../../src/config/load-scenario.ts';
import { decideGate, type Decision } from '../../src/gate/decide.ts';
import { driveToRest } from '../../src/pipeline/drive/drive.ts';
import { startRun } from '../../src/pipeline/start-run.ts';
import type { ProgressEvent } from '../../src/ports/progress.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import type { RunState } from '../../src/run/state.ts';

const NAME = 'small-desk';
export const live = new AbortController().signal;

export type Project = {
  dir: string;
  /** Replaces text in a file of the scenario; throws when it does not stand there. */
  edit: (file: string, from: string, to: string) => Promise<void>;
  open: (onEvent?: (event: ProgressEvent) => void) => Promise<App>;
  remove: () => Promise<void>;
};

export function quietIo(cwd: string, env: Record<string, string> = {}): Io & { said: string[] } {
  const said: string[] = [];
  const note = (line: string): void => void said.push(line);
  return {
    said,
    out: note,
    err: note,
    draw: note,
    screen: undefined,
    ask: undefined,
    env: { USER: 'tester', ...env },
    cwd,
  };
}

export async function makeProject(): Promise<Project> {
  const dir = await mkdtemp(join(tmpdir(), 'tandem-run-'));
  await mkdir(join(dir, 'scenarios'));
  // The strength of proofs has tests of its own.
  await mkdir(join(dir, 'config'));
  await writeFile(join(dir, 'config/default.yaml'), 'version: 1\nstrength: { seconds: 0 }\n');
  await initCommand(NAME, {}, quietIo(dir));
  const folder = join(dir, 'scenarios', NAME);
  return {
    dir,
    edit: async (file, from, to) => {
      const text = await readFile(join(folder, file), 'utf8');
      if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
      await writeFile(
        join(folder, file),
        text.replaceAll(from, () => to),
      );
    },
    open: async (onEvent) =>
      (await openOn(dir, NAME, { flags: { retry: { min_delay_ms: 1, max_delay_ms: 2 } } }, onEvent)).app,
    remove: async () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** The app on a scenario of a project folder, and what begins runs of it. */
export async function openOn(
  dir: string,
  name: string,
  layers: Parameters<typeof loadConfig>[1],
  onEvent: (event: ProgressEvent) => void = () => undefined,
): Promise<{ app: App; begin: (id: string) => Promise<RunFolder> }> {
  const home = findHome(dir);
  const config = await loadConfig(home, layers);
  const scenario = await loadScenario(home, name);
  const app = await openApp({ home, config, env: {}, scenario, progress: onEvent, signal: live });
  return { app, begin: (id) => beginOf(scenario, app, id) };
}

export async function begin(project: Project, app: App, id = 'run-1'): Promise<RunFolder> {
  return beginOf(await loadScenario(findHome(project.dir), NAME), app, id);
}

function beginOf(scenario: Scenario, { deps }: App, id: string): Promise<RunFolder> {
  return startRun(scenario, { actor: 'user:starter', configDigest: 'test', simulated: deps.simulated, id }, deps);
}

export async function decide(
  app: App,
  state: RunState,
  decision: Decision['decision'],
  more: Partial<Decision> = {},
): Promise<void> {
  if (state.status !== 'awaiting_approval') throw new Error(`no gate is open: ${state.status}`);
  const { id: gate, digest } = state.gate;
  const asked = {
    run: 'run-1',
    gate,
    digest,
    decision,
    comment: '',
    actor: 'user:ada',
    via: 'test',
    nonce: `n-${gate}`,
    confirm: 'accept',
    ...more,
  };
  await decideGate(asked, { starterMayDecide: true, policyMayDecide: false }, app.deps);
}

/** Drives to rest and approves every gate on the way. */
export async function approveAll(app: App, run: string, signal = live): Promise<RunState> {
  for (;;) {
    const state = await driveToRest(run, app.deps, signal);
    if (state.status !== 'awaiting_approval') return state;
    await decide(app, state, 'approve', { run });
  }
}
