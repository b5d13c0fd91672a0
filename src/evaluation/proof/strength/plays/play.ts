/** One way through a sample that the proofs judge: its gold path, a sabotage that must be refused, or a variation that must pass. */
import type { Stage } from '../../../components/call-tool.ts';
import type { LoadedSample } from '../../../components/components.ts';
import type { TrialRecord } from '../../../components/trial-record.ts';

/** Must pass, as gold does. */
const FAIR_KINDS = [
  'gold',
  'drop-lookup',
  'repeat-lookup',
  'repeat-refused',
  'reorder',
  'other-words',
  'other-spelling',
] as const;

/** The change that was made to the gold path; all others must be refused. */
export type PlayKind =
  | (typeof FAIR_KINDS)[number]
  | 'nothing'
  | 'wrong'
  | 'corrupt-end'
  | 'remove-call'
  | 'change-argument'
  | 'repeat-effect'
  | 'extra-call'
  | 'hide-failure'
  | 'undeclared-tool'
  | 'damage-words'
  | 'false-words';

export type Play = {
  kind: PlayKind;
  /** In words, unique in its sample: `remove-call 3 issue_refund`. */
  name: string;
  /** The tool whose call was changed. */
  tool?: string;
  played: TrialRecord;
};

export function mustPass({ kind }: Pick<Play, 'kind'>): boolean {
  return FAIR_KINDS.some((one) => one === kind);
}

/** Everything that is needed to make the plays of one sample. */
export type PlayGround = {
  loaded: LoadedSample;
  stage: Stage;
  gold: TrialRecord;
  /** Tools that change nothing, by the design. */
  readOnly: ReadonlySet<string>;
  /** Tools that a rule of the sample may demand to be asked first: a path without them is not as right. */
  demandedReads: ReadonlySet<string>;
  values: ArgumentValues;
};

/** `tool.argument` -> the values that samples and examples give it. */
export type ArgumentValues = ReadonlyMap<string, readonly unknown[]>;
