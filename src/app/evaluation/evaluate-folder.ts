/** The library's entry point for an evaluation without agents: the components of a folder, and your own subject. */
import type { Sandbox } from '../../ports/sandbox.ts';
import type { FolderEvaluated, FolderProven, FolderToEvaluate, FolderToProve } from './evaluate-with.ts';
import { keepYoungSmall } from '../../evaluation/lean-heap.ts';
import { openConfined } from '../open-sandbox.ts';

export type { FolderEvaluated, FolderProven, FolderToEvaluate, FolderToProve } from './evaluate-with.ts';

/** Contract: rejects with `config_invalid` when brief, rules, format or proof do not fit. No subject is needed. */
export async function proveFolder(input: FolderToProve): Promise<FolderProven> {
  const sandbox = opening(input);
  const { proveWith } = await rest();
  return proveWith(sandbox, input);
}

/**
 * Writes `traces/` and `results.json` into the folder. Contract: rejects as `proveFolder` and `evaluate` do. Unproven
 * components are problems, and nothing is played.
 */
export async function evaluateFolder(input: FolderToEvaluate): Promise<FolderEvaluated> {
  keepYoungSmall();
  const sandbox = opening(input);
  const { evaluateWith } = await rest();
  return evaluateWith(sandbox, input);
}

/** The hosts of the sandbox start on another core while the rest is being loaded. */
function opening({ sandbox: choice, allowUnsandboxed, dir }: FolderToProve): Promise<Sandbox> {
  const sandbox = openConfined({ choice, allowUnsandboxed, folder: dir });
  sandbox.catch(() => undefined);
  return sandbox;
}

/** Imports block this process while they load, so the hosts must be starting before. */
async function rest() {
  await new Promise((resolve) => setImmediate(resolve));
  return import('./evaluate-with.ts');
}
