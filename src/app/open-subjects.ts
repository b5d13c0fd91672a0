/** Opens subjects that are no models, and graders of plugins; imported for scenarios that name one. */
import type { Home } from '../config/home.ts';
import type { OpenGrader } from '../ports/plugins/plugins.ts';
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

export function pluginGraders(home: Home): OpenGrader {
  return async (plugin) => {
    const { threadedPlugin } = await import('./plugins/threads.ts');
    const { code: judge, fault } = await threadedPlugin(home, { kind: 'graders', name: plugin }, 'graders: model');
    const { pluginGrader } = await import('../adapters/plugins/plugin-grader.ts');
    return pluginGrader({ judge, fault });
  };
}
