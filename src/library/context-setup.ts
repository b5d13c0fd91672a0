/** Loads everything a context works with: the policy with the caller's changes, its texts, and the model's facts. */
import type { FittedModel } from '../agent/build-request.ts';
import { withTrigger } from '../agent/definition.ts';
import type { FittedAgent } from '../agent/compaction/request-fitter.ts';
import { findFile, type Home } from '../config/home.ts';
import { loadCore } from '../config/load-core.ts';
import { readYamlFile } from '../config/yaml-file.ts';
import { createConfigError, HarnessError, usageError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { findRow, ModelTable, toPrice } from '../ports/model-table.ts';
import type { ContextModel, ContextOptions } from './context-types.ts';

/** Loads the policy with the caller's changes, and its texts. */
export async function loadFittedAgent<G, A, R>(home: Home, options: ContextOptions<G, A, R>): Promise<FittedAgent> {
  const { policy: wanted = 'two-agent', shape, keepSteps, trigger } = options;
  if (typeof (shape as unknown) !== 'object')
    throw usageError('openContext needs a `shape`: messagesApi(tools), chatCompletions(tools) or aiSdk(tools).');
  const { policy, prompts, fields } = await loadCore(home, wanted);
  if (shape.betas !== true && (policy.summary.by === 'server' || policy.thinking === 'drop_block'))
    throw createConfigError(
      `The policy "${policy.name}" uses betas of the Messages API: take betaMessagesApi(tools) and client.beta.messages.`,
    );
  // A removed image must be readable through a tool, which only the caller can offer: `prompts.pointer` asks for it.
  const { pointer: _pointer, ...texts } = prompts;
  // Results point to `recall` only when the caller has that tool.
  const canRecall = shape.tools.some(({ name }) => name === 'recall');
  const longResult = canRecall ? {} : { longResult: { ...policy.longResult, fullText: LEFT } };
  return {
    definition: { name: 'own', max_tokens: options.maxTokens ?? 16_000 },
    systemPrompt: options.system?.trim() === '' ? '' : (options.system ?? '').toWellFormed(),
    policy: {
      ...policy,
      ...longResult,
      ...(keepSteps === undefined ? {} : { keep: { ...policy.keep, steps: keepSteps } }),
      trigger: withTrigger(policy.trigger, trigger),
    },
    fields: options.fields ?? fields,
    prompts: { ...texts, ...omitUndefined(options.prompts ?? {}) },
  };
}

const LEFT = 'entry {{id}}, which has left the context';

const TABLE = 'config/models.yaml';

/** Callers in JavaScript have no compiler that says so. */
function checkModel<Model extends Exclude<ContextModel, string>>(model: Model | undefined): Model {
  if (model !== undefined && Number.isFinite(model.window) && Number.isFinite(model.maxOutput)) return model;
  throw usageError(`openContext needs a \`model\`: a name of ${TABLE}, or { id, window, maxOutput } in tokens.`);
}

export async function getModelFacts(home: Home, model: ContextModel): Promise<FittedModel> {
  if (typeof model !== 'string') return { boundThinking: false, ...checkModel(model) };
  const table = await readYamlFile(findFile(home, TABLE), ModelTable, TABLE);
  const row = findRow(table, model);
  if (row === undefined)
    throw new HarnessError(
      'config_invalid',
      `${TABLE} does not hold the model "${model}": give { id, window, maxOutput } instead, or one of ${Object.keys(table.models).join(', ')}.`,
      { details: { model } },
    );
  return {
    ...{ id: model, window: row.window, maxOutput: row.max_output, boundThinking: row.bound_thinking },
    ...(row.system_messages ? { systemMessages: true } : {}),
    ...(row.thinking === 'ask' ? { thinking: 'adaptive' as const } : {}),
    ...omitUndefined({ price: toPrice(row) }),
  };
}
