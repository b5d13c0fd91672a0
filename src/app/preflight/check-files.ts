/** Before a run: every file that it is made of can be read and fits, and every place that it will write to is one. All at once. */
import { accessSync, constants, existsSync, statSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Home } from '../../config/home.ts';
import { collected, type Finding } from '../../config/findings.ts';
import { loadAgent } from '../../config/load-agent.ts';
import { loadConfig } from '../../config/load-config.ts';
import { loadPrompts } from '../../config/load-prompts.ts';
import { checkSources, loadScenario, type Scenario } from '../../config/load-scenario.ts';
import { loadReviewers } from '../../config/reviewers.ts';
import { messageOf } from '../../errors.ts';
import { checkPlugins } from './check-plugins.ts';
import { checkScenario } from './check-scenario.ts';

export type FilesToCheck = {
  home: Home;
  /** Name or path of the scenario. */
  name: string;
  config: Parameters<typeof loadConfig>[1];
  env: Readonly<Record<string, string | undefined>>;
  /** Flag -> absolute path of a file that the command will write. */
  outputs: Readonly<Record<string, string | undefined>>;
};

export type CheckedFiles = { findings: Finding[]; scenario: Scenario | undefined };

export async function checkFiles({ home, name, config: layers, env, outputs }: FilesToCheck): Promise<CheckedFiles> {
  const findings: Finding[] = [];
  const config = await collected(findings, 'config/default.yaml', () => loadConfig(home, layers));
  const scenario = await collected(findings, name, () => loadScenario(home, name, { copy: false }));
  if (scenario !== undefined) {
    await collected(findings, name, () => checkSources(scenario));
    findings.push(...(await checkScenario(scenario, env)), ...(await checkPlugins(home, scenario)));
  }
  if (config !== undefined)
    for (const agent of ['init', 'execute'])
      await collected(findings, `agents/${agent}`, () => loadAgent(home, agent, config));
  await collected(findings, 'prompts/', () => loadPrompts(home));
  await collected(findings, 'config/reviewers.yaml', () => loadReviewers(home));
  for (const [flag, path] of Object.entries(outputs)) {
    const fault = path === undefined ? undefined : whyNotWritable(path);
    if (fault !== undefined) findings.push({ level: 'error', where: flag, what: fault, remedy: 'name another place' });
  }
  return { findings, scenario };
}

/** Made by the kernel, not for files: /proc and /sys. */
const NO_PLACE: readonly number[] = [0x9f_a0, 0x62_65_65_72];

function whyNotWritable(path: string): string | undefined {
  try {
    if (existsSync(path) && statSync(path).isDirectory()) return `${path} is a folder.`;
    const nearest = existingAbove(path);
    if (!statSync(nearest).isDirectory()) return `${nearest} is no folder.`;
    if (NO_PLACE.includes(statfsSync(nearest).type)) return `${nearest} is no place for files.`;
    accessSync(existsSync(path) ? path : nearest, constants.W_OK);
    return undefined;
  } catch (error) {
    return `${path} cannot be written: ${messageOf(error)}`;
  }
}

function existingAbove(path: string): string {
  const parent = dirname(path);
  return existsSync(parent) || parent === path ? parent : existingAbove(parent);
}
