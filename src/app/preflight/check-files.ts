/** Checks before a run that all its files can be read and are valid, and that its output places can be written. */
import type { Home } from '../../config/home.ts';
import { collectFindings, type Finding } from '../../config/findings.ts';
import { loadAgent } from '../../config/load-agent.ts';
import { loadConfig } from '../../config/load-config.ts';
import { loadPrompts } from '../../config/load-prompts.ts';
import { checkSources, loadScenario, type Scenario } from '../../config/load-scenario.ts';
import { loadReviewers } from '../../config/reviewers.ts';
import { findFolderFault, findOutputFault, JUNIT_FILE } from '../../disk/named-output.ts';
import { checkPlugins } from './check-plugins.ts';
import { checkScenario } from './check-scenario.ts';

export type FilesToCheck = {
  home: Home;
  /** The name or path of the scenario. */
  name: string;
  config: Parameters<typeof loadConfig>[1];
  env: Readonly<Record<string, string | undefined>>;
  /** The absolute paths that the command will write: the first is a file, the second a folder. */
  outputs: Readonly<Partial<Record<'--junit' | '--record', string | undefined>>>;
};

export type CheckedFiles = { findings: Finding[]; scenario: Scenario | undefined };

export async function checkFiles({ home, name, config: layers, env, outputs }: FilesToCheck): Promise<CheckedFiles> {
  const findings: Finding[] = [];
  const config = await collectFindings(findings, 'config/default.yaml', () => loadConfig(home, layers));
  const scenario = await collectFindings(findings, name, () => loadScenario(home, name, { copy: false }));
  if (scenario !== undefined) {
    await collectFindings(findings, name, async () => checkSources(scenario));
    findings.push(...(await checkScenario(scenario, env)), ...(await checkPlugins(home, scenario)));
  }
  if (config !== undefined)
    for (const agent of ['init', 'execute'])
      await collectFindings(findings, `agents/${agent}`, () => loadAgent(home, agent, config));
  await collectFindings(findings, 'prompts/', () => loadPrompts(home));
  await collectFindings(findings, 'config/reviewers.yaml', () => loadReviewers(home));
  for (const [flag, path] of Object.entries(outputs)) {
    if (path === undefined) continue;
    const { project } = home;
    const fault =
      flag === '--record' ? findFolderFault(path, project) : findOutputFault({ flag, path, project, kind: JUNIT_FILE });
    if (fault !== undefined) findings.push({ level: 'error', where: flag, what: fault, remedy: 'name another place' });
  }
  return { findings, scenario };
}
