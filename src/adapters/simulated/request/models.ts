/** The models that the simulator knows, and what each accepts (docs/internals/api-rules.md §1.1 and §1.2). */

export const THINKING_TYPES = ['adaptive', 'between_tools', 'disabled', 'enabled'] as const;
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
type ThinkingType = (typeof THINKING_TYPES)[number];
type Effort = (typeof EFFORTS)[number];

export type ModelCard = {
  id: string;
  /** Other names of the same model, such as the one without a date. */
  aliases: string[];
  window: number;
  maxOutput: number;
  /** RFC 3339 days; an unpublished release date is the epoch, as in the Models endpoint. */
  released: string;
  deprecated?: string;
  retires?: string;
  /** The tokenizer of 4.7 and later makes about 30 % more tokens from the same text. */
  tokenFactor: number;
  /** A shorter prefix is silently not cached. Unpublished minimums are taken as 4,096. */
  cacheMinimum: number;
  thinking: {
    accepts: ThinkingType[];
    byDefault: boolean;
    /** True when `disabled` is accepted up to effort high only. */
    disabledNeedsEffort?: boolean;
    /** True for preserved thinking: a block is bound to everything before it (docs/internals/api-rules.md §2.5). */
    bound: boolean;
    /** True when `display: omitted` is the default: the block comes back with its signature and no text. */
    omitted: boolean;
    /** True when thinking of earlier turns counts as input; older models strip it. */
    retained: boolean;
  };
  efforts: Effort[];
  samplingFixed: boolean;
  prefill: boolean;
  forcedChoice: boolean;
  systemMessages: boolean;
  /** Listed among the models that count a task budget down. */
  taskBudget: boolean;
};

/** The newest kind of model: bound thinking that is always on, a million tokens, and none of the old parameters. */
const NEWEST: Omit<ModelCard, 'id'> = {
  aliases: [],
  window: 1_000_000,
  maxOutput: 128_000,
  released: '1970-01-01',
  tokenFactor: 1.3,
  cacheMinimum: 4096,
  thinking: { accepts: ['adaptive'], byDefault: true, bound: true, omitted: true, retained: true },
  efforts: [...EFFORTS],
  samplingFixed: true,
  prefill: false,
  forcedChoice: false,
  systemMessages: true,
  taskBudget: true,
};
const UNBOUND: Omit<ModelCard, 'id'> = {
  ...NEWEST,
  thinking: { ...NEWEST.thinking, bound: false },
  forcedChoice: true,
};
const OPUS_4_8: Omit<ModelCard, 'id'> = {
  ...UNBOUND,
  cacheMinimum: 1024,
  thinking: { ...UNBOUND.thinking, accepts: ['adaptive', 'disabled'], byDefault: false },
};
const MODELS_4_6: Omit<ModelCard, 'id'> = {
  ...UNBOUND,
  tokenFactor: 1,
  thinking: { ...OPUS_4_8.thinking, accepts: ['adaptive', 'enabled', 'disabled'], omitted: false },
  efforts: ['low', 'medium', 'high', 'max'],
  samplingFixed: false,
  systemMessages: false,
  taskBudget: false,
};
const MODELS_4_5: Omit<ModelCard, 'id'> = {
  ...MODELS_4_6,
  window: 200_000,
  maxOutput: 64_000,
  thinking: { ...MODELS_4_6.thinking, accepts: ['enabled', 'disabled'], retained: false },
  efforts: [],
  prefill: true,
};

/** The newest model first, as the Models endpoint lists them. */
export const MODELS: readonly ModelCard[] = [
  { ...NEWEST, id: 'claude-fable-5-2', taskBudget: false },
  { ...NEWEST, id: 'claude-mythos-5-2', taskBudget: false },
  {
    ...NEWEST,
    id: 'claude-haiku-5-5',
    released: '2026-10-07',
    thinking: { ...NEWEST.thinking, accepts: ['adaptive', 'disabled'], disabledNeedsEffort: true },
  },
  { ...NEWEST, id: 'claude-opus-5-5', released: '2026-09-22' },
  {
    ...NEWEST,
    id: 'claude-sonnet-5-5',
    thinking: { ...NEWEST.thinking, accepts: ['adaptive', 'between_tools'] },
  },
  { ...NEWEST, id: 'claude-fable-5-1' },
  { ...NEWEST, id: 'claude-mythos-5-1' },
  {
    ...UNBOUND,
    id: 'claude-opus-5',
    cacheMinimum: 512,
    thinking: { ...UNBOUND.thinking, accepts: ['adaptive', 'disabled'], disabledNeedsEffort: true },
  },
  { ...UNBOUND, id: 'claude-fable-5', cacheMinimum: 512 },
  { ...UNBOUND, id: 'claude-mythos-5', cacheMinimum: 512 },
  {
    ...UNBOUND,
    id: 'claude-sonnet-5',
    cacheMinimum: 1024,
    systemMessages: false,
    taskBudget: false,
    thinking: { ...UNBOUND.thinking, accepts: ['adaptive', 'disabled'] },
  },
  { ...OPUS_4_8, id: 'claude-opus-4-8' },
  { ...OPUS_4_8, id: 'claude-opus-4-7', cacheMinimum: 2048, systemMessages: false },
  { ...MODELS_4_6, id: 'claude-sonnet-4-6', cacheMinimum: 1024 },
  { ...MODELS_4_6, id: 'claude-opus-4-6' },
  {
    ...UNBOUND,
    id: 'claude-mythos-preview',
    taskBudget: false,
    // The day of the announcement is not published, so the usual sixty days' notice is assumed.
    deprecated: '2026-05-01',
    retires: '2026-06-30',
  },
  {
    ...MODELS_4_5,
    id: 'claude-opus-4-5-20251101',
    aliases: ['claude-opus-4-5'],
    released: '2025-11-01',
    thinking: { ...MODELS_4_5.thinking, retained: true },
    efforts: ['low', 'medium', 'high'],
  },
  { ...MODELS_4_5, id: 'claude-haiku-4-5-20251001', aliases: ['claude-haiku-4-5'], released: '2025-10-01' },
  {
    ...MODELS_4_5,
    id: 'claude-sonnet-4-5-20250929',
    aliases: ['claude-sonnet-4-5'],
    cacheMinimum: 1024,
    released: '2025-09-29',
    deprecated: '2026-10-01',
    retires: '2026-11-30',
  },
];

/** Finds a card by id or alias. Ids must match exactly: a dot in place of a dash is another name. */
export function findModelCard(name: string): ModelCard | undefined {
  return MODELS.find((card) => card.id === name || card.aliases.includes(name));
}

export function getLifecycle(card: ModelCard, now: Date): 'active' | 'deprecated' | 'retired' {
  if (card.retires !== undefined && now >= new Date(card.retires)) return 'retired';
  return card.deprecated !== undefined && now >= new Date(card.deprecated) ? 'deprecated' : 'active';
}
