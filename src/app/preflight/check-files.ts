/** Checks before a run that all its files can be read and are valid, and that its output places can be written. */
import { accessSync, constants, existsSync, statSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Home } from '../../config/home.ts';
import { collectFindings, type Finding } from '../../config/findings.ts';
import { loadAgent } from '../../config/load-agent.ts';
import { loadConfig } from '../../config/load-config.ts';
import { loadPrompts } from '../../config/load-prompts.ts';
import { checkSources, loadScenario, type Scenario } from '../../config/load-scenario.ts';
import { loadReviewers } from '../../config/reviewers.ts';
import { describeError } from '../../errors.ts';
import { checkPlugins } from './check-plugins.ts';
import { checkScenario } from './check-scenario.ts';

export type FilesToCheck = {
  home: Home;
  /** The name or path of the scenario. */
  name: string;
  config: Parameters<typeof loadConfig>[1];
  env: Readonly<Record<string, string | undefined>>;
  /** Maps a flag to the absolute path of a file that the command will write. */
  outputs: Readonly<Record<string, string | undefined>>;
};

export type CheckedFiles = { findings: Finding[]; scenario: Scenario | undefined };

export async function checkFiles({ home, name, config: layers, env, outputs }: FilesToCheck): Promise<CheckedFiles> {
  const findings: Finding[] = [];
  const config = await collectFindings(findings, 'config/default.yaml', () => loadConfig(home, layers));
  const scenario = await collectFindings(findings, name, () => loadScenario(home, name, { copy: false }));
  if (scenario !== undefined) {
    await collectFindings(findings, name, () => checkSources(scenario));
    findings.push(...(await checkScenario(scenario, env)), ...(await checkPlugins(home, scenario)));
  }
  if (config !== undefined)
    for (const agent of ['init', 'execute'])
      await collectFindings(findings, `agents/${agent}`, () => loadAgent(home, agent, config));
  await collectFindings(findings, 'prompts/', () => loadPrompts(home));
  await collectFindings(findings, 'config/reviewers.yaml', () => loadReviewers(home));
  for (const [flag, path] of Object.entries(outputs)) {
    const fault = path === undefined ? undefined : whyNotWritable(path);
    if (fault !== undefined) findings.push({ level: 'error', where: flag, what: fault, remedy: 'name another place' });
  }
  return { findings, scenario };
}

/** File system types of /proc and /sys, which the kernel makes and which hold no files. */
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
    return `${path} cannot be written: ${describeError(error)}`;
  }
}

function existingAbove(path: string): string {
  const parent = dirname(path);
  return existsSync(parent) || parent === path ? parent : existingAbove(parent);
}
