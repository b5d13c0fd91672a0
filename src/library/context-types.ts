/** The options of `openContext`, and the context that it returns. */
import type { Trigger } from '../agent/definition.ts';
import type { FittedModel } from '../agent/build-request.ts';
import type { Policy, Prompts, SummaryFields } from '../context/index.ts';
import type { Progress } from '../ports/progress.ts';
import type { CompactionReceipt } from '../transcript/compaction-receipt.ts';
import type { Entry, RefusedEntry } from '../transcript/entry.ts';
import type { Shape } from './shapes/shape.ts';

/** A name in `config/models.yaml`, or any model. Absent traits mean no; without a price no cost is computed. */
export type ContextModel = string | (Pick<FittedModel, 'id' | 'window' | 'maxOutput'> & Partial<FittedModel>);

export type ContextOptions<Given, Answer, Request> = {
  /** A file of `config/context/` in the working directory or this package, or a policy; `two-agent` by default. */
  policy?: string | Policy;
  model: ContextModel;
  /** `messagesApi(tools)`, `chatCompletions(tools)`, `aiSdk(tools)`, or a shape of your own. */
  shape: Shape<Given, Answer, Request>;
  system?: string;
  /** Output cap of a call; 16,000 by default, and never more than the model's. */
  maxTokens?: number;
  /** Overrides of the policy. */
  trigger?: Trigger;
  keepSteps?: number;
  /** Fields that a summary must fill; by default the policy's, or else those in `prompts/summary_fields.yaml`. */
  fields?: SummaryFields;
  /** Replacements for texts in `prompts/`. */
  prompts?: Partial<Prompts>;
  /** Folder where your own `config/` and `prompts/` are looked up first; the working directory by default. */
  folder?: string;
  /** Called for each new entry; entries that were stored one by one are what `load` reads. */
  onEntry?: (entry: Entry) => void;
  onProgress?: Progress;
  now?: () => Date;
};

export type RequestOptions = {
  /** Compacts now, as after an answer that says that the request was too long. */
  force?: boolean;
  signal?: AbortSignal;
};

/** A compaction that was made or refused. */
export type ContextReceipt =
  | ({ entry: string; outcome: 'compacted' } & CompactionReceipt)
  | ({ entry: string; outcome: 'refused' } & Pick<RefusedEntry, 'cause' | 'detail' | 'usage'>);

/** A call of the caller's own client. */
export type ClientCall<Answer, Request> = (request: Request, signal: AbortSignal) => Promise<Answer>;

export type Context<Given, Answer, Request> = {
  /**
   * Adds a message, or a whole answer, whose usage then counts. `from` tells who wrote a user message without results:
   * a person's words open a turn and are carried over every compaction word for word, a reminder's until the next turn.
   */
  push(given: Given | Answer, from?: 'human' | 'harness' | 'reminder'): void;
  /**
   * Pins a rule: it is in the system prompt of every request from now on, whatever is compacted. Throws `context_overflow`
   * when the rules have more tokens than `layers.rulesTokens` of the policy. After an answer it costs the prompt cache once.
   */
  push(rule: string, from: 'rule'): void;
  /**
   * Takes the last push back, with all that came after it, as after an aborted call. The next entry has the id of the first one
   * that left, and `load` reads a file with both. Throws `usage` where nothing was pushed since the context was opened.
   */
  takeBack(): void;
  /**
   * Builds the next request: compacted if due, marked for the cache, validated. `call` makes a call for a summary, if
   * one is needed. Throws `usage` while calls wait for their results, `context_overflow` when nothing makes it fit, and
   * `protocol_violation` instead of returning a request that the API would refuse.
   */
  request(call: ClientCall<Answer, Request>, options?: RequestOptions): Promise<Request>;
  /**
   * Builds the next request and makes the call. Where the endpoint refuses a field that another vendor has written, the
   * request is sent once more without it, `onProgress` says so, and later requests leave it out. Pushes nothing.
   */
  send(call: ClientCall<Answer, Request>, options?: RequestOptions): Promise<Answer>;
  /** All compactions, oldest first. */
  readonly receipts: readonly ContextReceipt[];
  /** All entries of the conversation; none is ever removed. */
  readonly entries: readonly Entry[];
  /** Returns a full entry by the id that shortened results and facts name: the answer of a tool named `recall`. */
  recall(id: string): string | undefined;
  save(): string;
  /** Continues from a `save`. Throws `data_corrupt`, naming a line that cannot be read, and then changes nothing. */
  load(saved: string): void;
};
