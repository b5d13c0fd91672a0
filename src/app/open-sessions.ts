/** Sessions composed: the model, the tools and the agent of each, and where they lie. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFile, type Home } from '../config/home.ts';
import { loadAgent } from '../config/load-agent.ts';
import { loadPrompts } from '../config/load-prompts.ts';
import { scenarioOfRun } from '../config/load-scenario.ts';
import type { Config } from '../config/schema.ts';
import { loadReviewers, permissionsFor } from '../config/reviewers.ts';
import { isHarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { AttachedRun } from '../pipeline/session/run-files.ts';
import type { SessionDeps } from '../pipeline/session/session-deps.ts';
import type { Progress } from '../ports/progress.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { SessionNow } from '../run/fold-turns.ts';
import { openModelAccess } from './models/open-model-access.ts';
import { openFileTools } from './open-file-tools.ts';
import { openConfined } from './open-sandbox.ts';
import { openStore } from './open-store.ts';
import { toolServers } from './open-tool-servers.ts';

export type SessionApp = {
  deps: SessionDeps;
  simulated: boolean;
  endpoint: string;
  close: () => Promise<void>;
};

export type SessionAppOptions = {
  home: Home;
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  about: Pick<SessionNow, 'agent' | 'run'>;
  progress: Progress;
  signal: AbortSignal;
};

export async function openSessionApp(options: SessionAppOptions): Promise<SessionApp> {
  const { home, config, env, about, signal } = options;
  const access = await openModelAccess(options);
  const { use: choice, allow_unsandboxed: allowUnsandboxed } = config.sandbox;
  let sandbox: Promise<Sandbox> | undefined;
  try {
    const scenario = { brief: { name: `agents/${about.agent}` }, simulationDir: await scriptsOf(home, about) };
    const { model, catalogue, simulated, endpoint } = await access.open({ scenario, signal });
    return {
      deps: {
        ...{ model, catalogue, telemetry: access.telemetry },
        clock: { now: () => new Date() },
        fileTools: openFileTools,
        prompts: await loadPrompts(home),
        project: home.project,
        sandbox: () => (sandbox ??= openConfined({ choice, allowUnsandboxed })),
        toolServers: toolServers(home, config.mcp, env),
        agentOf: agentsOf(home, config),
        attachedRun: ({ run }) => attachedRunOf(home, run),
      },
      ...{ simulated, endpoint, close: access.close },
    };
  } catch (error) {
    await access.close();
    throw error;
  }
}

/** A session outlives the run that it is about. */
async function attachedRunOf(home: Home, about: SessionNow['run']): Promise<AttachedRun | undefined> {
  if (about === undefined) return undefined;
  try {
    const run = await openStore(home).store.open(about.id);
    return { run, deciders: permissionsFor(await loadReviewers(home), run.scenario).deciders };
  } catch (error) {
    if (isHarnessError(error, 'not_found')) return undefined;
    throw error;
  }
}

/** Read once for each choice: files that change meanwhile count when the session is taken up again. */
function agentsOf(home: Home, config: Config): SessionDeps['agentOf'] {
  const loaded = new Map<string, ReturnType<SessionDeps['agentOf']>>();
  return (now) => {
    const choice = JSON.stringify([now.agent, now.model, now.policy]);
    const agent = loaded.get(choice) ?? loadAgent(home, now.agent, withChoices(config, now));
    loaded.set(choice, agent);
    agent.catch(() => loaded.delete(choice));
    return agent;
  };
}

/** What a person chose in the session wins over the configuration. */
function withChoices(config: Config, { agent, model, policy }: Pick<SessionNow, 'agent' | 'model' | 'policy'>): Config {
  const own = { ...config.agents[agent], ...omitUndefined({ model, policy }) };
  return { ...config, agents: { ...config.agents, [agent]: own } };
}

/** The agent's own scripts, else those of the run's scenario, else the ones that every session has. */
async function scriptsOf(home: Home, { agent, run }: Pick<SessionNow, 'agent' | 'run'>): Promise<string | undefined> {
  const own = join(dirname(findFile(home, `agents/${agent}/agent.yaml`)), 'simulation');
  if (existsSync(own)) return own;
  if (run === undefined) return undefined;
  return (await scenarioOfRun(home, { dir: run.dir, scenario: '' }).catch(() => undefined))?.simulationDir;
}
