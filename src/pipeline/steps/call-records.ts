/** Writes the record of every model call while an agent works: next to its transcript, and to the counters. */
import type { CallLog } from '../../agent/call-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

export type CallRecordsOf = Pick<CallLog, 'step' | 'ids'> & {
  /** Whose file it is. */
  agent: string;
  /** Another agent whose conversation this one goes on from. */
  after?: string;
};

type CallLogContext = { run: Pick<RunFolder, 'transcripts'>; clock: Clock; telemetry: Telemetry | undefined };

/** Sub-agents' calls and calls for summaries are in the same file. */
export async function openCallLog(
  { agent, after, ...of }: CallRecordsOf,
  { run, clock, telemetry }: CallLogContext,
): Promise<CallLog> {
  const files = after === undefined ? [agent] : [after, agent];
  const before = await Promise.all(files.map((name) => run.transcripts.calls(name)));
  const dates = new Map(before.flat().map(({ entry, answeredAt }) => [entry, answeredAt]));
  return {
    ...of,
    now: () => clock.now(),
    timeOf: (entry) => dates.get(entry),
    write: async (call) => {
      await run.transcripts.record(agent, [call]);
      if (call.outcome === undefined) return;
      if (call.entry !== undefined) dates.set(call.entry, call.answeredAt);
      telemetry?.count('tandem.context.calls', 1, {
        'gen_ai.agent.name': call.agent,
        'gen_ai.request.model': call.model,
        'tandem.context.policy': call.limit?.policy,
        'tandem.call.outcome': call.outcome,
      });
    },
  };
}
