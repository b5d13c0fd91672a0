/** How a sub-agent runs: its parent's model and policy, tools of its own, and its cost on the parent's account (S3.5). */
import type { Model, ModelFacts } from '../ports/model.ts';
import type { Progress } from '../ports/progress.ts';
import type { ToolHost } from '../ports/tool-host.ts';
import { createFitter, type Stopwatch } from './compactor.ts';
import type { LoadedAgent } from './definition.ts';
import { runTurn, type TurnDeps } from './loop.ts';
import type { RunSubagent } from './tools/subagent.ts';

export type SubagentParts = {
  agent: LoadedAgent;
  facts: ModelFacts;
  /** The tools that exist; a sub-agent gets those that the agent's definition names for it, and starts from none. */
  hosts: readonly ToolHost[];
  modelFor: (lane: string) => Model;
  reminders: TurnDeps['reminders'];
  progress: Progress;
  stopwatch?: Stopwatch;
};

export function createSubagentRunner(parts: SubagentParts): RunSubagent {
  const { agent, facts, progress, reminders, stopwatch } = parts;
  const watch = stopwatch === undefined ? {} : { stopwatch };
  const allowed = new Set(agent.definition.subagent?.tools ?? []);
  const hosts = parts.hosts.map((host) => ({
    ...host,
    definitions: host.definitions.filter(({ name }) => allowed.has(name)),
  }));
  return async (child, task, maxSteps, signal) => {
    const { lane } = child;
    const model = parts.modelFor(lane);
    const tools = hosts.flatMap(({ definitions }) => definitions);
    const fitter = createFitter({ agent, facts, tools, model, progress, ...watch });
    const deps: TurnDeps = {
      agent: `${agent.definition.name}/${lane}`,
      model,
      hosts,
      fitter,
      maxSteps,
      reminders,
      progress,
    };
    return runTurn(child, { origin: 'harness', text: task }, deps, signal);
  };
}
