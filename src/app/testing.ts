/** The library's entry point for tests: an offline Messages API that plays scripts, a relay that injects faults, and the contracts of the ports. */
import { join } from 'node:path';
import { createPluginChannel } from '../adapters/plugins/plugin-channel.ts';
import { pluginGrader } from '../adapters/plugins/plugin-grader.ts';
import { openPluginQueue } from '../adapters/plugins/plugin-queue.ts';
import { openPluginStore, type PluginRunStore } from '../adapters/plugins/plugin-store.ts';
import { pluginSubject } from '../adapters/plugins/plugin-subject.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { NoticeChannel } from '../ports/notices.ts';
import type {
  PluginGrader,
  PluginNotices,
  PluginOptions,
  PluginSubject,
  QueueItems,
  StoreLines,
} from '../ports/plugins/plugins.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { SubjectHost } from '../ports/subject.ts';
import type { Model } from '../ports/model.ts';
import type { GraderSpec } from '../scenario/grader.ts';
import { openConfined } from './open-sandbox.ts';

export {
  startFaultRelay,
  startSimulator,
  type FaultRelay,
  type FaultRelayOptions,
  type Script,
  type Simulator,
  type SimulatorOptions,
} from './models/offline-model.ts';
export type { ContractCase } from './contracts/contract-case.ts';
export { artifactsCases, type ArtifactsUnderTest } from './contracts/artifacts-cases.ts';
export { batchesCases, type BatchesUnderTest } from './contracts/batches-cases.ts';
export { graderCases } from './contracts/grader-cases.ts';
export { imagesCases } from './contracts/images-cases.ts';
export { jobQueueCases } from './contracts/job-queue-cases.ts';
export { journalCases, type JournalUnderTest } from './contracts/journal-cases.ts';
export { limitsCases, type LimitsUnderTest, type LimitTimes } from './contracts/limits-cases.ts';
export { memoryCases } from './contracts/memory-cases.ts';
export { modelCases, type ContractAnswer, type ModelUnderTest, type OpenModel } from './contracts/model-cases.ts';
export { noticesCases, type ChannelUnderTest } from './contracts/notices-cases.ts';
export { queueItemsCases, type ItemsUnderTest } from './contracts/queue-items-cases.ts';
export { runStoreCases, type StoreUnderTest } from './contracts/run-store-cases.ts';
export { sandboxCases } from './contracts/sandbox-cases.ts';
export { subjectCases, type OpenSubject } from './contracts/subject-cases.ts';
export { toolHostCases, type ToolHostUnderTest } from './contracts/tool-host-cases.ts';

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Returns a plugin as Tandem uses it: behind the port, with all its checks. */
export function subjectOf(open: PluginSubject, options: PluginOptions = {}): SubjectHost {
  return pluginSubject({ open, options, fault: toError });
}
export function graderOf(judge: PluginGrader): (grader: GraderSpec) => Model {
  return pluginGrader({ judge, fault: toError });
}
export function channelOf(send: PluginNotices, options: PluginOptions = {}): NoticeChannel {
  return createPluginChannel({ name: 'plugin', options, load: async () => ({ send, fault: toError }) });
}
export function storeOf(lines: StoreLines, project: string): PluginRunStore {
  const files = { roots: [join(project, 'scenarios')], clock: { now: () => new Date() }, worker: 'a-worker' };
  return openPluginStore({ ...files, project, load: async () => ({ lines, fault: toError }) });
}
/** Makes a queue that retries at once what may be retried, with three tries at most. */
export function queueOf(items: QueueItems): JobQueue {
  return openPluginQueue({
    ...{
      items,
      fault: toError,
      shown: 'plugin',
      lanes: ['init', 'execute'],
      concurrency: { init: 4, execute: 4, samples: 4 },
    },
    ...{ tries: 3, minDelayMs: 0, holdMs: 30_000, mostStarts: 6 },
    ...{ onRetry: () => undefined, onGaveUp: async () => undefined, onNotice: () => undefined },
  });
}
/** Opens the best sandbox of this machine, which a sandbox plugin receives as `shipped`. */
export function shippedSandbox(): Promise<Sandbox> {
  return openConfined({});
}
