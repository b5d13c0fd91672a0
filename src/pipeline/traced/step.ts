/** One step of a run as a span of the run's trace. */
import type { Command } from '../../run/command.ts';
import type { StepContext } from '../deps.ts';

/** Contract: settles exactly as `work` does. */
export function tracedStep<T>(
  { run, deps: { telemetry, agents, simulated } }: StepContext,
  command: Command,
  work: () => Promise<T>,
): Promise<T> {
  if (telemetry === undefined || (command.type !== 'design' && command.type !== 'iterate')) return work();
  const [step, agent] =
    command.type === 'design'
      ? [`design.r${command.round}`, agents.init.definition.name]
      : [`execute.i${command.iteration}`, agents.execute.definition.name];
  const facts = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agent,
    'tandem.step': step,
    'tandem.scenario': run.scenario,
    'tandem.round': command.round,
    'tandem.simulated': simulated,
  };
  return telemetry.forRun(run, () => telemetry.span(`step ${step}`, facts, work));
}
