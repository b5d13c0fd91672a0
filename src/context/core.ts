/** What one agent's context core is set up with: it stays the same for the whole session. */
import type { Policy } from './policy.ts';
import type { SummaryFields } from './summary/summary.ts';

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
  /** What a policy puts its summaries into. {{body}}, or its fields by name; {{start}} {{cutoff}} */
  wrap?: string;
  /** Follows the request when the new summary takes the place of the archives. */
  merge?: string;
  /** `dropped.md`: what a policy that asks no model says of what left. {{lines}} */
  dropped?: string;
  /** `chunk.md`: one part of a span that is too long for one request. {{part}} {{parts}} {{before}} {{lines}} */
  chunk?: string;
  /** The instructions of the API's own summary. */
  server?: string;
  /** What the layers of S1.1 and S4.2 are put into. {{file}} {{text}} · {{skills}} · {{memories}} · {{todos}} */
  law?: string;
  skills?: string;
  memory?: string;
  recap?: string;
  /** Texts that always stand in the conversation (S4.2). */
  inject?: readonly string[];
};

/** Where it is not said, the careful answer counts. */
export type ModelTraits = {
  /** The model takes system messages in the middle of a conversation (docs/api-rules.md §2.1). */
  systemMessages?: boolean;
};

export type Core = {
  policy: Policy;
  prompts: Prompts;
  fields: SummaryFields;
  budget: Budget;
  model?: ModelTraits;
};

/** A policy may ask for a summary of its own form, whoever the agent is. */
export function fieldsOf({ policy, fields }: Core): SummaryFields {
  return policy.summary.fields ?? fields;
}
