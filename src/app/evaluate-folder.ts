/** The library's door to an evaluation without agents: the components of a folder, and a subject of your own. */
import type { SandboxChoice } from '../config/schema.ts';
import type { EvaluateInput, SampleDone } from '../evaluation/evaluate.ts';
import type { Problem, Results } from '../scenario/result.ts';
import { openConfined } from './open-confined.ts';

export type FolderToEvaluate = Pick<EvaluateInput, 'modelFor' | 'host'> & {
  /** Absolute path of a folder with `tools/`, `checkers/` and `samples/`; `traces/` and `results.json` are written into it. */
  dir: string;
  /** As in `scenario.yaml`. */
  brief: unknown;
  /** As in `business_rules.yaml` and `format_spec.yaml`. */
  rules: unknown;
  format: unknown;
  /** Samples played at a time; as many again may be waiting for their verdict. */
  concurrency: number;
  /** Dollars per million tokens; default: nothing is counted. */
  price?: EvaluateInput['price'];
  /** Tokens that the subject's model may answer at most. Default: 4096. */
  maxTokens?: number;
  /** False = they have proved themselves already, by `tandem verify-components`. Default: true. */
  verify?: boolean;
  sandbox?: SandboxChoice;
  /** Accept code that cannot be confined on this machine. */
  allowUnsandboxed?: boolean;
  onSample?: (done: SampleDone) => void;
  signal?: AbortSignal;
};

/** No results: the problems say why nothing was played. */
export type FolderEvaluated = { results?: Results; problems: Problem[] };

/**
 * Contract: rejects with `config_invalid` when brief, rules or format do not fit, and as `evaluate` does. Components that do
 * not prove themselves are problems, and nothing is played.
 */
export async function evaluateFolder(input: FolderToEvaluate): Promise<FolderEvaluated> {
  // The hosts of the sandbox start on another core while the rest is being loaded.
  const opening = openConfined({
    choice: input.sandbox,
    allowUnsandboxed: input.allowUnsandboxed,
    trusted: true,
    folder: input.dir,
  });
  opening.catch(() => undefined);
  // An import holds up everything until its files are read: the hosts are to be on their way before.
  await new Promise((resolve) => setImmediate(resolve));
  const { evaluateWith } = await import('./evaluate-with.ts');
  return evaluateWith(opening, input);
}
