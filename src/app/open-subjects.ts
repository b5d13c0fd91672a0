/** Opens subjects that are no models; imported for scenarios that name one. */
import type { Home } from '../config/home.ts';
import { findPlugin, loadPlugins } from '../config/load-plugins.ts';
import type { SubjectHosts } from '../ports/subject.ts';

export function subjectHosts(home: Home): SubjectHosts {
  return {
    command: async (options) => (await import('../adapters/subjects/command-subject.ts')).commandSubject(options),
    http: async (options) => (await import('../adapters/subjects/post-turn.ts')).httpSubject(options),
    openai: async (options) => (await import('../adapters/subjects/openai-subject.ts')).openaiSubject(options),
    plugin: async ({ plugin, options }) => {
      const plugins = await loadPlugins(home);
      const open = findPlugin(plugins, { kind: 'subjects', name: plugin }, 'scenario.yaml: subject.plugin');
      const fault = (error: unknown) => plugins.fault('subjects', plugin, error);
      const { pluginSubject } = await import('../adapters/plugins/plugin-subject.ts');
      return pluginSubject({ open, options, fault });
    },
  };
}
