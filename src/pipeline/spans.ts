/** Steps, trials and tool calls of a run as spans of the run's trace; nothing here changes what is done. */
import type { EvaluateInput } from '../evaluation/evaluate.ts';
import { NO_TELEMETRY, type Telemetry } from '../ports/telemetry.ts';
import type { ToolAnswer, ToolHost } from '../ports/tools/tool-host.ts';
import { stepName, type Command } from '../run/command.ts';
import type { StepContext } from './deps.ts';
import type { SessionContext } from './session/session-deps.ts';

export function tracedTrial(telemetry: Telemetry, iteration: number): NonNullable<EvaluateInput['aroundTrial']> {
  return (sample, trial, work) => {
    const facts = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'subject',
      'tandem.sample': sample,
      'tandem.trial': trial,
      'tandem.iteration': iteration,
    };
    return telemetry.span(`sample ${sample}`, facts, async (addFacts) => {
      const done = await work();
      const { outcome, stop, costUsd } = done.result;
      addFacts({
        'tandem.sample.outcome': outcome,
        'tandem.sample.stop': stop,
        'tandem.cost_usd': costUsd,
        'tandem.sample.tools': done.tools,
        ...(outcome === 'unscored' ? { 'error.type': 'unscored' } : {}),
      });
      return done;
    });
  };
}

export function tracedTools(host: ToolHost, agent: string, telemetry: Telemetry | undefined): ToolHost {
  if (telemetry === undefined) return host;
  const facts = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.agent.name': agent };
  const traced = (name: string, id: string | undefined, work: () => Promise<ToolAnswer>) => {
    const about = { ...facts, 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': id };
    return telemetry.span(`execute_tool ${name}`, about, async (addFacts) => {
      const answer = await work();
      if (answer.is_error) addFacts({ 'error.type': 'tool_error' });
      return answer;
    });
  };
  return {
    ...host,
    call: (name, input, signal) => traced(name, undefined, () => host.call(name, input, signal)),
    callBlock: ({ id, name, input }, signal) => traced(name, id, () => host.call(name, input, signal)),
  };
}

/** Contract: settles exactly as `work` does. */
export function tracedStep<T>(
  { run, deps: { telemetry, agents, simulated } }: StepContext,
  command: Command,
  work: () => Promise<T>,
): Promise<T> {
  if (telemetry === undefined || (command.type !== 'design' && command.type !== 'iterate')) return work();
  const step = stepName(command);
  const { definition } = command.type === 'design' ? agents.init : agents.execute;
  const facts = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': definition.name,
    'tandem.step': step,
    'tandem.scenario': run.scenario,
    'tandem.round': command.round,
    'tandem.simulated': simulated,
  };
  return telemetry.forRun(run, () => telemetry.span(`step ${step}`, facts, work));
}

/** One turn of a session, in the one trace of that session. Contract: settles exactly as `work` does. */
export function tracedTurn<T>(
  { folder: { id }, deps: { telemetry = NO_TELEMETRY } }: SessionContext,
  { agent, turn }: { agent: string; turn: number },
  work: () => Promise<T>,
): Promise<T> {
  const facts = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent, 'tandem.turn': turn };
  return telemetry.forFolder({ name: id, birth: id }, () => telemetry.span(`turn ${turn}`, facts, work));
}
