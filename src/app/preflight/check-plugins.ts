/** Checks before a run that the plugin of the scenario's subject exists and can be loaded. */
import type { Finding } from '../../config/findings.ts';
import type { Home } from '../../config/home.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import { findPlugin, loadPlugins } from '../../config/load-plugins.ts';
import { findLine } from '../../config/yaml-file.ts';
import { isHarnessError } from '../../errors.ts';
import { PLUGIN_PREFIX, describeRemovedGrader } from '../../ports/plugins/plugins.ts';

export async function checkPlugins(home: Home, { brief, text }: Scenario): Promise<Finding[]> {
  const findings: Finding[] = [];
  const addFinding = (at: string[], what: string): void => {
    findings.push({ level: 'error', where: `scenarios/${brief.name}/scenario.yaml:${findLine(text, at)}`, what });
  };
  const { subject, graders } = brief;
  try {
    if (subject.plugin !== undefined)
      findPlugin(await loadPlugins(home), { kind: 'subjects', name: subject.plugin }, 'subject.plugin');
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    addFinding(['subject', 'plugin'], error.message);
  }
  const model = graders?.model;
  if (model?.startsWith(PLUGIN_PREFIX) === true) addFinding(['graders', 'model'], describeRemovedGrader(model));
  return findings;
}
