/** A notice channel that a plugin implements. */
import { describeError } from '../../errors.ts';
import { createNoticeError, type NoticeChannel } from '../../ports/notices.ts';
import { callWithin, type PluginNotices, type PluginOptions } from '../../ports/plugins/plugins.ts';

/** The same time limit as in other channels. */
const SEND_MS = 10_000;

export type PluginChannelSetup = {
  name: string;
  options: PluginOptions;
  /** Loads the plugin's code when there is something to send. */
  load: () => Promise<{ send: PluginNotices; fault: (error: unknown) => Error }>;
};

/** An error of the plugin is a failed delivery, which is tried again like any other. */
export function createPluginChannel({ name, options, load }: PluginChannelSetup): NoticeChannel {
  return {
    name,
    personal: false,
    async send(notice, signal) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)]);
      let nameOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
      try {
        const { send, fault } = await load();
        nameOf = fault;
        await callWithin(within, async () => void (await send(structuredClone(notice), options, within)));
      } catch (error) {
        signal.throwIfAborted();
        throw createNoticeError(describeError(nameOf(error)), { of: 'channel' }, error);
      }
    },
  };
}
