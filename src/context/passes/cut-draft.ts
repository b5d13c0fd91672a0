/** What a pass works on: which units stay, and how what stays is edited. */
import { resultText } from '../../transcript/transcript-lines.ts';
import { toolUses } from '../../transcript/message.ts';
import type { ToolResultBlock, ToolUseBlock } from '../../transcript/message.ts';
import type { Unit } from '../../transcript/step.ts';
import type { PassSpec } from '../pass-spec.ts';
import type { Policy } from '../policy.ts';

export type CutDraft = {
  /** The first unit that stays; `units.length` when none does, 0 when nothing is cut off. */
  keepFrom: number;
  /** tool_use id -> what stands instead of the result. */
  shortened: Record<string, string>;
  /** tool_use id -> what stands instead of the call's input. */
  inputs: Record<string, Record<string, unknown>>;
  /** Entries that leave, although they stand after the cut. */
  left: ReadonlySet<string>;
  /** Entry -> what stands instead of its images. */
  pointers: Record<string, string>;
  /** What was cut off is to be summarised. */
  summarise: boolean;
};

export type PassContext<Spec extends PassSpec = PassSpec> = {
  units: readonly Unit[];
  policy: Policy;
  /** Messages that may stand after a compaction, where the policy counts them (S3.2). */
  messages: number;
  /** Entries that no rule may drop: the first task, the current one (S2.3). */
  pinned: ReadonlySet<string>;
  /** The numbers of this line of the policy. */
  spec: Spec;
};

/** One try of a pass, and what to say about it in the receipt. */
export type PassAttempt = { draft: CutDraft; detail: string };

/** Yields its tries from the mildest on; the ladder stops at the first that fits and goes on from the last otherwise. */
export type Pass<Name extends PassSpec['pass'] = PassSpec['pass']> = (
  draft: CutDraft,
  bench: PassContext<Extract<PassSpec, { pass: Name }>>,
) => Iterable<PassAttempt>;

export function emptyDraft(): CutDraft {
  return { keepFrom: 0, shortened: {}, inputs: {}, left: new Set(), pointers: {}, summarise: false };
}

/** A result of a unit with its call, its entry, and the file that the call names, if it names one. */
export type ToolResultAt = {
  id: string;
  block: ToolResultBlock;
  call: ToolUseBlock | undefined;
  path: string | undefined;
  text: string;
};

export function toolResultsIn(unit: Unit): ToolResultAt[] {
  const calls = new Map<string, ToolUseBlock>();
  return unit.entries.flatMap(({ id, message }) => {
    for (const call of toolUses(message)) calls.set(call.id, call);
    return message.content.flatMap((block): ToolResultAt[] => {
      if (block.type !== 'tool_result') return [];
      const call = calls.get(block.tool_use_id);
      const path = call?.input['file_path'];
      return [{ id, block, call, path: typeof path === 'string' ? path : undefined, text: resultText(block) }];
    });
  });
}

/** Where the turns begin: with what a person or the harness said, or with the first unit. */
export function turnStarts(units: readonly Unit[]): number[] {
  return units.flatMap(({ kind }, place) => (kind === 'prompt' || place === 0 ? [place] : []));
}

/** The first unit of the latest `turns` turns; everything when there are not so many. */
export function startOfLatest(units: readonly Unit[], turns: number): number {
  return turns === 0 ? units.length : (turnStarts(units).at(-turns) ?? 0);
}
