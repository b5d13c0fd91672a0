/** Checks before a run that the plugins of the scenario's subject and graders exist and can be loaded. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../config/findings.ts';
import type { Home } from '../../config/home.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import { findPlugin, loadPlugins } from '../../config/load-plugins.ts';
import { findLine } from '../../config/yaml-file.ts';
import { isHarnessError } from '../../errors.ts';
import { PLUGIN_PREFIX } from '../../ports/plugins/plugins.ts';

export async function checkPlugins(home: Home, { brief, dir }: Scenario): Promise<Finding[]> {
  const { subject, graders } = brief;
  const named = [
    { kind: 'subjects' as const, name: subject.plugin, at: ['subject', 'plugin'] },
    {
      kind: 'graders' as const,
      name: graders?.model?.startsWith(PLUGIN_PREFIX) === true ? graders.model.slice(PLUGIN_PREFIX.length) : undefined,
      at: ['graders', 'model'],
    },
  ].flatMap(({ kind, name, at }) => (name === undefined ? [] : [{ kind, name, at }]));
  if (named.length === 0) return [];
  const text = await readFile(join(dir, 'scenario.yaml'), 'utf8');
  const findings: Finding[] = [];
  for (const { kind, name, at } of named) {
    const where = `scenarios/${brief.name}/scenario.yaml:${findLine(text, at)}`;
    try {
      findPlugin(await loadPlugins(home), { kind, name }, at.join('.'));
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      findings.push({ level: 'error', where, what: error.message });
    }
  }
  return findings;
}
