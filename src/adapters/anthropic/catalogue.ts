/** The model catalogue: window and lifecycle from the Models endpoint, prices and habits from the table. */
import { APIError, type Anthropic } from '@anthropic-ai/sdk';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { ModelCatalogue, ModelFacts } from '../../ports/model.ts';
import { createClient, type EndpointOptions } from './endpoint.ts';
import { judgeFailure } from './failure.ts';
import { findRow, toPrice, type ModelRow, type ModelTable } from '../../ports/model-table.ts';

/** Something a person should know about a model; nothing stops because of it. */
export type ModelNotice = { model: string; kind: 'deprecated' | 'retired' | 'table'; message: string };

export type CatalogueOptions = EndpointOptions & {
  table: ModelTable;
  /** How messages name the table: `config/models.yaml`. */
  tableFile: string;
  /** Called once per model and kind. */
  onNotice?: (notice: ModelNotice) => void;
  now?: () => Date;
};

/** The fields that are used of the endpoint's answer; every one may be missing on other servers. */
const ModelInfo = z.object({
  id: z.string(),
  max_input_tokens: z.int().positive().nullish(),
  max_tokens: z.int().positive().nullish(),
  lifecycle: z.string().nullish(),
  retires_at: z.string().nullish(),
  capabilities: z
    .object({
      thinking: z
        .object({ types: z.object({ adaptive: z.object({ supported: z.boolean() }).nullish() }).nullish() })
        .nullish(),
    })
    .nullish(),
});
type ModelInfo = z.infer<typeof ModelInfo>;

/** The longest wait for the endpoint; after that the table is used. */
const LONGEST_ANSWER_MS = 10_000;

/**
 * Contract: asks the endpoint once per model and caches the answer. `config_invalid` for a model that the endpoint
 * does not serve, that neither knows, or that has no known price; `model_refused` when the key is refused;
 * `model_unavailable` when the endpoint is down and the table does not contain the model. Else the table is used.
 */
export function createCatalogue(options: CatalogueOptions): ModelCatalogue {
  const client = createClient({ ...options, timeoutMs: Math.min(options.timeoutMs, LONGEST_ANSWER_MS) });
  const known = new Map<string, ModelFacts>();
  const notified = new Set<string>();
  const notify = (notice: ModelNotice) => {
    const key = `${notice.model} ${notice.kind}`;
    if (!notified.has(key)) options.onNotice?.(notice);
    notified.add(key);
  };
  return {
    async describe(model, signal) {
      signal.throwIfAborted();
      const facts =
        known.get(model) ?? (await fetchModelFacts(model, { ...options, client, onNotice: notify }, signal));
      known.set(model, facts);
      return facts;
    },
  };
}

type LookupOptions = CatalogueOptions & { client: Anthropic; onNotice: (notice: ModelNotice) => void };

async function fetchModelFacts(model: string, options: LookupOptions, signal: AbortSignal): Promise<ModelFacts> {
  const answer = await options.client.models.retrieve(model, null, { signal }).then(
    (info) => ({ info: ModelInfo.safeParse(info).data }),
    (error: unknown) => ({ error }),
  );
  signal.throwIfAborted();
  if ('error' in answer) {
    const { error: thrown } = answer;
    if (thrown instanceof APIError && thrown.status === 404 && thrown.type === 'not_found_error') {
      await refuseUnknown(model, options, signal);
      const bare = `${options.baseUrl} answers 404 for it, as a gateway does that has no Models endpoint.`;
      return toFactsFromTable(model, new HarnessError('infrastructure', bare), options);
    }
    const { error } = judgeFailure(thrown, options, Date.now());
    if (error.details['status'] === 401) throw error;
    return toFactsFromTable(model, error, options);
  }
  if (answer.info !== undefined) return toFactsFromEndpoint(model, answer.info, options);
  const odd = `${options.baseUrl} does not describe it as a Messages API would.`;
  return toFactsFromTable(model, new HarnessError('infrastructure', odd), options);
}

function toFactsFromEndpoint(model: string, info: ModelInfo, options: LookupOptions): ModelFacts {
  const row = findRow(options.table, model) ?? findRow(options.table, info.id);
  if (info.lifecycle === 'deprecated' || info.lifecycle === 'retired') {
    options.onNotice(lifecycleNotice(model, info.lifecycle, info.retires_at?.slice(0, 10)));
  }
  return {
    ...toModelFacts(model, options, { row, window: info.max_input_tokens, maxOutput: info.max_tokens }),
    ...(row?.thinking === 'ask' && info.capabilities?.thinking?.types?.adaptive?.supported !== false
      ? { thinking: 'adaptive' }
      : {}),
    source: 'endpoint',
  };
}

/** For a server without a Models endpoint, or one that is down now; only the latter may answer a later try. */
function toFactsFromTable(model: string, failure: HarnessError, options: LookupOptions): ModelFacts {
  const row = findRow(options.table, model);
  if (row === undefined) {
    throw new HarnessError(
      failure.retryable ? 'model_unavailable' : 'config_invalid',
      `${options.tableFile} does not hold the model "${model}", and the endpoint did not describe it: ${failure.message} ` +
        `${failure.retryable ? 'Run again later, add' : 'Add'} the model to the table, or use one of: ${formatModelList(Object.keys(options.table.models))}.`,
      { retryable: failure.retryable, details: { model }, cause: failure },
    );
  }
  const message = `Window and output limit of ${model} come from ${options.tableFile}: ${failure.message}`;
  options.onNotice({ model, kind: 'table', message });
  if (row.retires !== undefined) {
    const today = (options.now?.() ?? new Date()).toISOString().slice(0, 10);
    options.onNotice(lifecycleNotice(model, row.retires <= today ? 'retired' : 'deprecated', row.retires));
  }
  return {
    ...toModelFacts(model, options, { row }),
    ...(row.thinking === 'ask' ? { thinking: 'adaptive' } : {}),
    source: 'table',
  };
}

function toModelFacts(
  model: string,
  { tableFile }: CatalogueOptions,
  found: { row: ModelRow | undefined; window?: number | null | undefined; maxOutput?: number | null | undefined },
): Pick<ModelFacts, 'id' | 'window' | 'maxOutput' | 'boundThinking' | 'systemMessages' | 'taskBudget' | 'price'> {
  const { row } = found;
  const price = row === undefined ? undefined : toPrice(row);
  if (row === undefined || price === undefined) {
    const remedy = row === undefined ? 'Add an entry for the model.' : 'Add `price` to its entry.';
    const message = `${tableFile}: models.${model}: no price is known, so no budget can be enforced. ${remedy}`;
    throw new HarnessError('config_invalid', message, { details: { model, path: tableFile } });
  }
  return {
    id: model,
    window: found.window ?? row.window,
    maxOutput: found.maxOutput ?? row.max_output,
    boundThinking: row.bound_thinking,
    ...(row.system_messages ? { systemMessages: true } : {}),
    ...(row.task_budget ? { taskBudget: true } : {}),
    price,
  };
}

/**
 * A gateway without a Models endpoint may answer 404 in the API's own shape. So the model is unknown only when the
 * endpoint lists others, and does not count tokens for this one either.
 */
async function refuseUnknown(model: string, options: LookupOptions, signal: AbortSignal): Promise<void> {
  const { client, baseUrl } = options;
  const served = await client.models.list({ limit: 100 }, { signal }).then(
    (page) => page.data.map(({ id }) => id),
    () => undefined,
  );
  signal.throwIfAborted();
  if (served === undefined || served.includes(model)) return;
  const messages = [{ role: 'user' as const, content: 'x' }];
  const counted = await client.messages.countTokens({ model, messages }, { signal }).then(
    ({ input_tokens: tokens }) => typeof tokens === 'number',
    () => false,
  );
  signal.throwIfAborted();
  if (counted) return;
  const message = `The endpoint does not serve a model "${model}". ${baseUrl} lists: ${formatModelList(served)}.`;
  throw new HarnessError('config_invalid', message, { details: { model } });
}

function lifecycleNotice(model: string, kind: 'deprecated' | 'retired', day: string | undefined): ModelNotice {
  const when = day === undefined ? '' : kind === 'retired' ? ` since ${day}` : ` and is retired on ${day}`;
  const what = kind === 'retired' ? 'Calls of it fail' : 'New accounts cannot use it';
  return { model, kind, message: `The model ${model} is ${kind}${when}. ${what}: choose another.` };
}

function formatModelList(models: readonly string[]): string {
  return models.length === 0 ? '(none)' : [...models].sort().join(', ');
}
