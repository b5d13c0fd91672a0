/** Loads the channels of plugins from the project's `tandem.config.ts` when there is something to send. */
import type { ChannelOptions } from '../../adapters/notices/open-channels.ts';
import type { Home } from '../../config/home.ts';

export function pluginChannels(home: Home): NonNullable<ChannelOptions['plugin']> {
  return async (name) => {
    const { threadedPlugin } = await import('../plugins/threads.ts');
    const { code: send, fault } = await threadedPlugin(
      home,
      { kind: 'notices', name },
      'config/reviewers.yaml: notices',
    );
    return { send, fault };
  };
}
