/** The library's entry point for an evaluation without agents: the components of a folder, and your own subject. */
import type { Sandbox } from '../../ports/sandbox.ts';
import type { FolderEvaluated, FolderProven, FolderToEvaluate, FolderToProve } from './evaluate-with.ts';
import { limitYoungGeneration } from '../../evaluation/v8-heap-limits.ts';
import { openConfined } from '../open-sandbox.ts';

export type { FolderEvaluated, FolderProven, FolderToEvaluate, FolderToProve } from './evaluate-with.ts';

/** Contract: rejects with `config_invalid` when brief, rules, format or proof do not fit. No subject is needed. */
export async function proveFolder(input: FolderToProve): Promise<FolderProven> {
  const sandbox = openFolderSandbox(input);
  const { proveWith } = await loadEvaluation();
  return proveWith(sandbox, input);
}

/**
 * Writes `traces/` and `results.json` into the folder. Contract: rejects as `proveFolder` and `evaluate` do. Unproven
 * components are problems, and nothing is played.
 */
export async function evaluateFolder(input: FolderToEvaluate): Promise<FolderEvaluated> {
  limitYoungGeneration();
  const sandbox = openFolderSandbox(input);
  const { evaluateWith } = await loadEvaluation();
  return evaluateWith(sandbox, input);
}

/** Starts the hosts of the sandbox on another core while the rest is being loaded. */
function openFolderSandbox(input: FolderToProve): Promise<Sandbox> {
  const { sandbox: choice, allowUnsandboxed, dir, brief, scenarioDir = dir } = input;
  const confined = openConfined({ choice, allowUnsandboxed, folder: dir });
  const isServed = typeof brief === 'object' && brief !== null && 'tools' in brief && brief.tools !== undefined;
  const sandbox = isServed ? withServers(confined, brief, scenarioDir) : confined;
  sandbox.catch(() => undefined);
  return sandbox;
}

/** Loads nothing unless the brief names a server; a malformed brief is refused later, where all of it is read. */
async function withServers(confined: Promise<Sandbox>, brief: unknown, dir: string): Promise<Sandbox> {
  const { Brief } = await import('../../scenario/brief.ts');
  const { toolWorlds } = await import('../open-tool-worlds.ts');
  const { tools } = Brief.safeParse(brief).data ?? {};
  return tools === undefined ? confined : toolWorlds(process.env)(tools, dir).serve(await confined);
}

/** Imports block this process while they load, so the hosts must have been started before. */
async function loadEvaluation() {
  await new Promise((resolve) => setImmediate(resolve));
  return import('./evaluate-with.ts');
}
