/** The setup of one agent's context core: the same for the whole session. */
import type { PluginPasses } from './passes/cut-draft.ts';
import type { Policy } from './policy.ts';
import type { SummaryFields } from './summary/summary.ts';

/** `maxOutput` is the output cap of an ordinary call; `floor` is the `estimateFloor` of system prompt and tools. */
export type Budget = { window: number; maxOutput: number; floor: number };

/** The texts of `prompts/`; `{{name}}` in them is filled in by code. */
export type Prompts = {
  /** `compaction.md`: requests the summary. {{fields}} {{facts}} */
  request: string;
  /** `repair.md`: follows the request when the last answer was refused. {{fault}} */
  repair: string;
  /** `compacted.md`: replaces the request in the view. {{facts}} */
  standing: string;
  /** `bridge.md`: the user message between the summary and retained steps that do not open with one. */
  bridge: string;
  /** `continue.md`: closes the retained tool loop, whose thinking is gone. */
  note: string;
  /** `fallback.md`: replaces a summary. {{what}} {{lines}} */
  fallback: string;
  /** A policy's template for summaries. {{body}}, or its fields by name; {{start}} {{cutoff}} */
  wrap?: string;
  /** Follows the request when the new summary replaces the archives. */
  merge?: string;
  /** `dropped.md`: the text for removed messages of a policy without a model. {{lines}} */
  dropped?: string;
  /** `chunk.md`: one part of a span that is too long for one request. {{part}} {{parts}} {{before}} {{lines}} */
  chunk?: string;
  /** The instructions of the API's own summary. */
  server?: string;
  /** Templates of the layers of S1.1 and S4.2. {{file}} {{text}} · {{source}} {{rules}} · {{skills}} · {{memories}} · {{todos}} */
  law?: string;
  rules?: string;
  /** What is left of a task budget. {{left}} {{total}} */
  budget?: string;
  skills?: string;
  memory?: string;
  recap?: string;
  /** `pointer.md`: follows the message whose images became pointers. {{ids}} */
  pointer?: string;
  /** Texts that are always in the conversation (S4.2). */
  inject?: readonly string[];
};

/** An absent trait means no. */
export type ModelTraits = {
  /** The model takes system messages in the middle of a conversation (docs/internals/api-rules.md §2.1). */
  systemMessages?: boolean;
  /** Thinking is bound to every message before it: none of them may vanish between two rewrites (docs/internals/api-rules.md §2.5). */
  boundThinking?: boolean;
};

export type Core = {
  policy: Policy;
  prompts: Prompts;
  fields: SummaryFields;
  budget: Budget;
  model?: ModelTraits;
  /** Passes that the policy takes from plugins. */
  passes?: PluginPasses;
  /** When an entry was written, for a transcript that has no times itself (S1.9). */
  timeOf?: (entry: string) => string | undefined;
};

/** The summary fields of the policy, else those of the agent. */
export function fieldsOf({ policy, fields }: Core): SummaryFields {
  return policy.summary.fields ?? fields;
}
