/** The library's entry point for tests: an offline Messages API that plays scripts, and the contracts of the ports. */
import { createPluginChannel } from '../adapters/plugins/plugin-channel.ts';
import { pluginGrader } from '../adapters/plugins/plugin-grader.ts';
import { pluginSubject } from '../adapters/plugins/plugin-subject.ts';
import type { NoticeChannel } from '../ports/notices.ts';
import type { PluginGrader, PluginNotices, PluginOptions, PluginSubject } from '../ports/plugins/plugins.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { SubjectHost } from '../ports/subject.ts';
import type { Model } from '../ports/model.ts';
import type { GraderSpec } from '../scenario/grader.ts';
import { openConfined } from './open-sandbox.ts';

export { startSimulator, type Script, type Simulator, type SimulatorOptions } from './models/offline-model.ts';
export type { ContractCase } from './contracts/contract-case.ts';
export { graderCases } from './contracts/grader-cases.ts';
export { noticesCases, type ChannelUnderTest } from './contracts/notices-cases.ts';
export { sandboxCases } from './contracts/sandbox-cases.ts';
export { subjectCases, type OpenSubject } from './contracts/subject-cases.ts';

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
/** Opens the best sandbox of this machine, which a sandbox plugin receives as `shipped`. */
export function shippedSandbox(): Promise<Sandbox> {
  return openConfined({});
}
