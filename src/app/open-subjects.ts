/** Which adapter opens each kind of subject that is no model, and graders of plugins; imported for the scenarios that name one. */
import type { Home } from '../config/home.ts';
import { findPlugin, loadPlugins } from '../config/load-plugins.ts';
import type { OpenGrader } from '../ports/plugins/plugins.ts';
import type { SubjectHosts } from '../ports/subject.ts';

export function subjectHosts(home: Home): SubjectHosts {
  return {
    command: async (options) => (await import('../adapters/subjects/command-subject.ts')).commandSubject(options),
    http: async (options) => (await import('../adapters/subjects/http-subject.ts')).httpSubject(options),
    openai: async (options) => (await import('../adapters/subjects/openai-subject.ts')).openaiSubject(options),
    plugin: async ({ plugin, options }) => {
      const plugins = await loadPlugins(home);
      const open = findPlugin(plugins, { kind: 'subjects', name: plugin }, 'scenario.yaml: subject.plugin');
      const { pluginSubject } = await import('../adapters/plugins/plugin-subject.ts');
      return pluginSubject({ open, options, fault: (error) => plugins.fault('subjects', plugin, error) });
    },
  };
}

export function pluginGraders(home: Home): OpenGrader {
  return async (plugin) => {
    const plugins = await loadPlugins(home);
    const judge = findPlugin(plugins, { kind: 'graders', name: plugin }, 'graders: model');
    const { pluginGrader } = await import('../adapters/plugins/plugin-grader.ts');
    return pluginGrader({ judge, fault: (error) => plugins.fault('graders', plugin, error) });
  };
}
