/** The cases of the port, in our own runner. */
import { describe, test } from 'vitest';
import { jobQueueCases } from './cases/job-queue-cases.ts';
import type { JobQueue } from '../../src/ports/job-queue.ts';

export function jobQueueContract(name: string, open: () => Promise<JobQueue>): void {
  describe(`job-queue contract: ${name}`, () => {
    for (const { title, run } of jobQueueCases(open)) test(title, run);
  });
}
