/** The draft of a cut, which the passes change: the retained units and their edits. */
import { getResultText } from '../../transcript/transcript-lines.ts';
import { listToolUses, type ToolResultBlock, type ToolUseBlock } from '../../transcript/message.ts';
import type { Unit } from '../../transcript/step.ts';
import type { PassSpec } from '../pass-spec.ts';
import type { Policy } from '../policy.ts';

export type CutDraft = {
  /** The first unit that stays; `units.length` when none does, 0 when nothing is cut off. */
  keepFrom: number;
  /** tool_use id -> the text that replaces the result. */
  shortened: Record<string, string>;
  /** tool_use id -> the input that replaces the call's input. */
  inputs: Record<string, Record<string, unknown>>;
  /** Entries after the cut that leave. */
  left: ReadonlySet<string>;
  /** Entry -> the text that replaces its images. */
  pointers: Record<string, string>;
  /** The covered units are to be summarised. */
  summarise: boolean;
};

export type PassContext<Spec extends PassSpec = PassSpec> = {
  units: readonly Unit[];
  policy: Policy;
  /** Most messages after a compaction, when the policy limits them (S3.2). */
  messages: number;
  /** Entries that no rule may drop: the first task, the current one (S2.3). */
  pinned: ReadonlySet<string>;
  /** The numbers of this line of the policy. */
  spec: Spec;
  /** Passes of plugins, by name; absent: there are none. */
  plugins?: PluginPasses | undefined;
};

/** One attempt of a pass, and its text for the receipt. */
export type PassAttempt = { draft: CutDraft; detail: string };

/** Yields its attempts from the mildest on; the plan takes the first that fits, else the next pass continues from the last. */
export type Pass<Name extends PassSpec['pass'] = PassSpec['pass']> = (
  draft: CutDraft,
  bench: PassContext<Extract<PassSpec, { pass: Name }>>,
) => Iterable<PassAttempt>;

export type PluginPasses = Readonly<Record<string, Pass<'plugin'>>>;

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
    for (const call of listToolUses(message)) calls.set(call.id, call);
    return message.content.flatMap((block): ToolResultAt[] => {
      if (block.type !== 'tool_result') return [];
      const call = calls.get(block.tool_use_id);
      const path = call?.input['file_path'];
      return [{ id, block, call, path: typeof path === 'string' ? path : undefined, text: getResultText(block) }];
    });
  });
}

/** The first units of the turns: messages of a person or the harness, and the very first unit. */
export function turnStarts(units: readonly Unit[]): number[] {
  return units.flatMap(({ kind }, place) => (kind === 'prompt' || place === 0 ? [place] : []));
}

/** The first unit of the latest `turns` turns; 0 when there are fewer. */
export function startOfLatest(units: readonly Unit[], turns: number): number {
  return turns === 0 ? units.length : (turnStarts(units).at(-turns) ?? 0);
}
