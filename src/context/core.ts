/** What one agent's context core is set up with: it stays the same for the whole session. */
import type { Policy } from './policy.ts';
import type { SummaryFields } from './summary.ts';

/** `maxOutput` is the output cap of an ordinary call; `floor` is what `estimateFloor` says of system prompt and tools. */
export type Budget = { window: number; maxOutput: number; floor: number };

/** The texts of `prompts/`; `{{name}}` in them is filled in by code. */
export type Prompts = {
  /** `compaction.md`: asks for the summary. {{fields}} {{facts}} */
  request: string;
  /** `repair.md`: follows the request when the answer before was refused. {{fault}} */
  repair: string;
  /** `compacted.md`: stands in the view where the request stood. {{facts}} */
  standing: string;
  /** `bridge.md`: the user message between the summary and kept steps that do not open with one. */
  bridge: string;
  /** `continue.md`: closes the kept tool loop, whose thinking is gone. */
  note: string;
  /** `fallback.md`: what stands in for a summary. {{what}} {{lines}} */
  fallback: string;
};

export type Core = { policy: Policy; prompts: Prompts; fields: SummaryFields; budget: Budget };
