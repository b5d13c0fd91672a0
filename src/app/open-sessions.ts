/** Composes sessions: the model, tools and agent of each, and where they are stored. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFile, type Home } from '../config/home.ts';
import { loadAgent } from '../config/load-agent.ts';
import { loadPrompts } from '../config/load-prompts.ts';
import { findRunScenario } from '../config/load-scenario.ts';
import type { Config } from '../config/schema.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { SessionDeps } from '../pipeline/session/session-deps.ts';
import type { Progress } from '../ports/progress.ts';
import { findRun } from '../run-folder/find-run.ts';
import type { SessionTurns } from '../run/fold-turns.ts';
import { openModelAccess } from './models/open-model-access.ts';
import type { ProjectSetup } from './models/open-models.ts';
import { openFileTools } from './open-file-tools.ts';
import { openConfigured } from './open-sandbox.ts';
import { openStore } from './open-store.ts';
import { toolServers } from './open-tool-servers.ts';

export type SessionApp = {
  deps: SessionDeps;
  simulated: boolean;
  endpoint: string;
  close: () => Promise<void>;
};

export type SessionAppOptions = ProjectSetup & {
  about: Pick<SessionTurns, 'agent' | 'run'>;
  progress: Progress;
  signal: AbortSignal;
};

export async function openSessionApp(options: SessionAppOptions): Promise<SessionApp> {
  const { home, config, env, about, signal } = options;
  const access = await openModelAccess(options);
  try {
    const scenario = { brief: { name: `agents/${about.agent}` }, simulationDir: await findScripts(home, about) };
    const { model, catalogue, simulated, endpoint } = await access.open({ scenario, signal });
    return {
      deps: {
        ...{ model, catalogue, telemetry: access.telemetry },
        clock: { now: () => new Date() },
        fileTools: openFileTools,
        prompts: await loadPrompts(home),
        project: home.project,
        sandbox: openConfigured(config),
        toolServers: toolServers(home, config.mcp, env),
        agentOf: createAgentLookup(home, config),
        // A session may outlive the run that it is about.
        attachedRun: async ({ run }) => run && findRun(openStore(home).store, run.id),
      },
      ...{ simulated, endpoint, close: access.close },
    };
  } catch (error) {
    await access.close();
    throw error;
  }
}

/** Reads each combination of choices once; changed files count when the session is resumed. */
function createAgentLookup(home: Home, config: Config): SessionDeps['agentOf'] {
  const loaded = new Map<string, ReturnType<SessionDeps['agentOf']>>();
  return (now) => {
    const choice = JSON.stringify([now.agent, now.model, now.policy]);
    const agent = loaded.get(choice) ?? loadAgent(home, now.agent, withChoices(config, now));
    loaded.set(choice, agent);
    agent.catch(() => loaded.delete(choice));
    return agent;
  };
}

/** A person's choices in the session override the configuration. */
function withChoices(
  config: Config,
  { agent, model, policy }: Pick<SessionTurns, 'agent' | 'model' | 'policy'>,
): Config {
  const own = { ...config.agents[agent], ...omitUndefined({ model, policy }) };
  return { ...config, agents: { ...config.agents, [agent]: own } };
}

/** Finds the agent's own scripts, else those of the run's scenario, else the ones that every session has. */
async function findScripts(
  home: Home,
  { agent, run }: Pick<SessionTurns, 'agent' | 'run'>,
): Promise<string | undefined> {
  const own = join(dirname(findFile(home, `agents/${agent}/agent.yaml`)), 'simulation');
  if (existsSync(own)) return own;
  if (run === undefined) return undefined;
  return (await findRunScenario(home, { dir: run.dir, scenario: '' }).catch(() => undefined))?.simulationDir;
}
