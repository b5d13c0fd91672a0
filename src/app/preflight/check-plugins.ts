/** Checks before a run that the plugin of the scenario's subject exists and can be loaded. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../config/findings.ts';
import type { Home } from '../../config/home.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import { findPlugin, loadPlugins } from '../../config/load-plugins.ts';
import { findLine } from '../../config/yaml-file.ts';
import { isHarnessError } from '../../errors.ts';
import { PLUGIN_PREFIX, describeRemovedGrader } from '../../ports/plugins/plugins.ts';

export async function checkPlugins(home: Home, { brief, dir }: Scenario): Promise<Finding[]> {
  const findings: Finding[] = [];
  const addFinding = async (at: string[], what: string): Promise<void> => {
    const line = findLine(await readFile(join(dir, 'scenario.yaml'), 'utf8'), at);
    findings.push({ level: 'error', where: `scenarios/${brief.name}/scenario.yaml:${line}`, what });
  };
  const { subject, graders } = brief;
  try {
    if (subject.plugin !== undefined)
      findPlugin(await loadPlugins(home), { kind: 'subjects', name: subject.plugin }, 'subject.plugin');
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    await addFinding(['subject', 'plugin'], error.message);
  }
  const model = graders?.model;
  if (model?.startsWith(PLUGIN_PREFIX) === true) await addFinding(['graders', 'model'], describeRemovedGrader(model));
  return findings;
}
