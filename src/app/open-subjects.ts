/** Opens subjects that are no models; imported for scenarios that name one. */
import type { Home } from '../config/home.ts';
import type { SubjectHosts } from '../ports/subject.ts';

export function subjectHosts(home: Home): SubjectHosts {
  return {
    command: async (options) => (await import('../adapters/subjects/command-subject.ts')).commandSubject(options),
    http: async (options) => (await import('../adapters/subjects/http-subject.ts')).httpSubject(options),
    openai: async (options) => (await import('../adapters/subjects/openai-subject.ts')).openaiSubject(options),
    plugin: async ({ plugin, options }) => {
      const { threadedPlugin } = await import('./plugins/threads.ts');
      const where = 'scenario.yaml: subject.plugin';
      const { code: open, fault } = await threadedPlugin(home, { kind: 'subjects', name: plugin }, where);
      const { pluginSubject } = await import('../adapters/plugins/plugin-subject.ts');
      return pluginSubject({ open, options, fault });
    },
  };
}
