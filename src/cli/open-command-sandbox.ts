/** Opens the sandbox for a command that runs generated code, as its options require, and reports its gaps. */
import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { openConfined } from '../app/open-sandbox.ts';
import { toolWorlds } from '../app/open-tool-worlds.ts';
import { findHome } from '../config/home.ts';
import { loadScenario } from '../config/load-scenario.ts';
import type { SandboxChoice } from '../config/schema.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import { SERVED_ENDING } from '../scenario/component.ts';
import type { Io } from './command-context.ts';

export type SandboxFlags = { sandbox?: SandboxChoice | undefined; allowUnsandboxed?: boolean | undefined };

/**
 * Opens it for components in `dir`, with the tool servers of their scenario. Only a scenario of this project counts: a
 * server is a program that runs as you, while agents write in run folders and strangers in folders elsewhere.
 */
export async function sandboxOver(dir: string, flags: SandboxFlags, io: Io): Promise<Sandbox> {
  const { sandbox: choice, allowUnsandboxed } = flags;
  const sandbox = await openConfined({ choice, allowUnsandboxed });
  for (const gap of sandbox.gaps) io.err(`sandbox ${sandbox.kind}: ${gap}`);
  const tools = await readdir(join(dir, 'tools')).catch((): string[] => []);
  if (!tools.some((name) => name.endsWith(SERVED_ENDING))) return sandbox;
  const home = findHome(io.cwd);
  const root = await realpath(join(home.project, 'scenarios')).catch(() => home.project);
  const [name = '..'] = relative(root, await realpath(dir)).split(sep);
  if (home.distrusted !== undefined || !existsSync(join(root, name, 'scenario.yaml'))) return sandbox;
  const { brief, dir: scenarioDir } = await loadScenario(home, join(root, name), { copy: false });
  return brief.tools === undefined ? sandbox : toolWorlds(io.env)(brief.tools, scenarioDir).serve(sandbox);
}
