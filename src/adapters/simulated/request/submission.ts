/** A well-formed request as the rules see it: its model, turns, thinking and parts. */
import type { ApiEndpoint } from '../rules/body-rules.ts';
import { type Prefixes, computePrefixes, type Part, requestParts } from './parts.ts';
import type { ModelCard } from './models.ts';
import type { ApiRequest, ContentBlock } from './shape.ts';
import { isSignatureIntact, readSeal, isAtSignedPosition } from './thinking-signature.ts';
import { type MergedTurn, mergeTurns } from './turns.ts';

export type Version = '2023-06-01' | '2026-10-21';

/** How the API treats a thinking block whose conversation has changed (docs/internals/api-rules.md §2.5). */
export type OnMismatch = 'error' | 'drop_block' | 'ignore';

export type ReceivedRequest = {
  endpoint: ApiEndpoint;
  request: ApiRequest;
  version: Version;
  betas: ReadonlySet<string>;
  model: ModelCard;
  /** True when the prefix of bound thinking is checked although the request does not ask for it. */
  enforceBinding: boolean;
};

export type Submission = ReceivedRequest & {
  turns: readonly MergedTurn[];
  prefixes: Prefixes;
  thoughts: readonly Thought[];
  onMismatch: OnMismatch;
  /** The request in the order in which the model reads it, for tokens and cache. */
  parts: readonly Part[];
};

export function createSubmission(received: ReceivedRequest): Submission {
  const { request, model } = received;
  const turns = mergeTurns(request.messages);
  const prefixes = computePrefixes(request, turns);
  const onMismatch = mismatchBehaviour(received);
  const thoughts = judgeThoughts(turns, prefixes, model);
  const dropped = thoughts.filter((thought) => isDropped(thought, onMismatch)).map(({ at }) => at);
  const parts = requestParts({ request, model, turns, dropped: new Set(dropped) });
  return { ...received, turns, prefixes, thoughts, onMismatch, parts };
}

function mismatchBehaviour({ request, enforceBinding }: ReceivedRequest): OnMismatch {
  const binding =
    request.thinking !== undefined && 'block_binding' in request.thinking ? request.thinking.block_binding : undefined;
  return binding?.prefix_mismatch_behavior ?? (enforceBinding ? 'error' : 'ignore');
}

/** Another model's thinking is always dropped silently; moved thinking only when the request says so. */
export function isDropped({ verdict }: Thought, onMismatch: OnMismatch): boolean {
  return verdict === 'other_model' || (verdict === 'moved' && onMismatch === 'drop_block');
}

/** Thinking is on when the request asks for it, or when the model thinks by default. */
export function isThinking({ request, model }: Pick<Submission, 'request' | 'model'>): boolean {
  const type = request.thinking?.type;
  return type === undefined ? model.thinking.byDefault : type === 'adaptive' || type === 'enabled';
}

/** A thinking block of the request, and whether it is unchanged and at the place where it was issued. */
type Thought = {
  at: string;
  type: 'thinking' | 'redacted_thinking';
  /** The index of its turn. */
  turn: number;
  /** `other_model`: signed for another model, which this one cannot read; `moved`: content before it has changed. */
  verdict: 'good' | 'forged' | 'other_model' | 'moved';
};

function judgeThoughts(turns: readonly MergedTurn[], prefixes: Prefixes, model: ModelCard): Thought[] {
  return turns.flatMap(({ blocks }, turn) =>
    blocks.flatMap(({ at, block }, place): Thought[] => {
      if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return [];
      const verdict = judgeThought(block, prefixes.before[turn]?.[place] ?? '', model);
      return [{ at, type: block.type, turn, verdict }];
    }),
  );
}

/** The simulator never issues redacted blocks, so none can be genuine. */
function judgeThought(block: ContentBlock, prefix: string, model: ModelCard): Thought['verdict'] {
  const seal = block.type === 'thinking' ? readSeal(block.signature) : undefined;
  if (block.type !== 'thinking' || seal === undefined || !isSignatureIntact(seal, block.thinking)) return 'forged';
  if (seal.model !== model.id) return 'other_model';
  return model.thinking.bound && !isAtSignedPosition(seal, prefix) ? 'moved' : 'good';
}
