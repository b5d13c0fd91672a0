/** The library's door to an evaluation without agents: the components of a folder, and a subject of your own. */
import type { SandboxChoice } from '../config/schema.ts';
import type { EvaluateInput, SampleDone } from '../evaluation/evaluate.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Problem, Results } from '../scenario/result.ts';
import type { FolderProof } from './folder-proof.ts';
import { openConfined } from './open-confined.ts';

export type FolderToProve = {
  /** Absolute path of a folder with `tools/`, `checkers/` and `samples/`. */
  dir: string;
  /** As in `scenario.yaml`. */
  brief: unknown;
  /** As in `business_rules.yaml` and `format_spec.yaml`. */
  rules: unknown;
  format: unknown;
  /** What `proveFolder` gave: as long as it is about these very components, they are not proven again. JSON. */
  proof?: unknown;
  sandbox?: SandboxChoice;
  /** Accept code that cannot be confined on this machine. */
  allowUnsandboxed?: boolean;
  signal?: AbortSignal;
};

/** No proof: the problems say why. With one, problems are doubts that stop nothing. */
export type FolderProven = { proof?: FolderProof; problems: Problem[] };

export type FolderToEvaluate = FolderToProve &
  Pick<EvaluateInput, 'modelFor' | 'host'> & {
    /** Samples played at a time; as many again may be waiting for their verdict. */
    concurrency: number;
    /** Dollars per million tokens; default: nothing is counted. */
    price?: EvaluateInput['price'];
    /** Tokens that the subject's model may answer at most. Default: 4096. */
    maxTokens?: number;
    onSample?: (done: SampleDone) => void;
  };

/** No results: the problems say why nothing was played. */
export type FolderEvaluated = FolderProven & { results?: Results };

/** Contract: rejects with `config_invalid` when brief, rules, format or proof do not fit. No subject is needed. */
export async function proveFolder(input: FolderToProve): Promise<FolderProven> {
  const sandbox = opening(input);
  const { proveWith } = await rest();
  return proveWith(sandbox, input);
}

/**
 * Writes `traces/` and `results.json` into the folder. Contract: rejects as `proveFolder` and `evaluate` do. Components that
 * do not prove themselves are problems, and nothing is played.
 */
export async function evaluateFolder(input: FolderToEvaluate): Promise<FolderEvaluated> {
  const sandbox = opening(input);
  const { evaluateWith } = await rest();
  return evaluateWith(sandbox, input);
}

/** The hosts of the sandbox start on another core while the rest is being loaded. */
function opening({ sandbox: choice, allowUnsandboxed, dir }: FolderToProve): Promise<Sandbox> {
  const sandbox = openConfined({ choice, allowUnsandboxed, trusted: true, folder: dir });
  sandbox.catch(() => undefined);
  return sandbox;
}

/** An import holds up everything until its files are read: the hosts are to be on their way before. */
async function rest() {
  await new Promise((resolve) => setImmediate(resolve));
  return import('./evaluate-with.ts');
}
