/** Metrics of the queue in a worker: jobs by lane and state over all workers, and steps that run here. */
import type { SharedQueue } from '../../adapters/bullmq/bullmq-queue.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

export function gaugeQueue({ signs }: SharedQueue, telemetry: Telemetry): void {
  telemetry.gauge({
    name: 'tandem.queue.jobs',
    unit: '{job}',
    about: 'Jobs in the shared queue, over all workers.',
    read: async () =>
      (await signs.counts()).flatMap(({ lane, ...states }) =>
        Object.entries(states).map(([state, value]) => ({
          value,
          facts: { 'tandem.lane': lane, 'tandem.job.state': state },
        })),
      ),
  });
  telemetry.gauge({
    name: 'tandem.worker.running',
    unit: '{job}',
    about: 'Steps and samples that run in this worker now.',
    read: async () =>
      [...signs.tally()].map(([lane, { running }]) => ({ value: running, facts: { 'tandem.lane': lane } })),
  });
}
