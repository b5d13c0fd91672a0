/** `GET /v1/models` and `GET /v1/models/{id}`: the API's facts about its models (docs/internals/api-rules.md §5.3). */
import { type ModelCard, EFFORTS, THINKING_TYPES, findModelCard, getLifecycle, MODELS } from './request/models.ts';
import { listPage, type ListPage } from './outcome.ts';
import type { ApiError } from './request/refusal.ts';

/** Describes one model; a retired model stays in the catalogue, an unknown one is a 404. */
export function describeModel(id: string, now: Date): Record<string, unknown> | ApiError {
  const card = findModelCard(id);
  return card === undefined ? { status: 404, type: 'not_found_error', message: `model: ${id}` } : modelInfo(card, now);
}

/** Returns one page; without a `lifecycle` filter it leaves out retired models. */
export function listModels(query: URLSearchParams, now: Date): ListPage | ApiError {
  const wanted = [...query.getAll('lifecycle'), ...query.getAll('lifecycle[]')];
  const stages = wanted.length === 0 ? ['active', 'deprecated'] : wanted;
  const all = MODELS.filter((card) => stages.includes(getLifecycle(card, now)));
  return listPage(all, query, (card) => modelInfo(card, now));
}

function modelInfo(card: ModelCard, now: Date): Record<string, unknown> {
  const lifecycle = getLifecycle(card, now);
  const noted = lifecycle === 'active' ? undefined : card;
  return {
    type: 'model',
    id: card.id,
    display_name: displayName(card.id),
    created_at: `${card.released}T00:00:00Z`,
    max_input_tokens: card.window,
    max_tokens: card.maxOutput,
    lifecycle,
    deprecated_at: noted?.deprecated === undefined ? null : `${noted.deprecated}T00:00:00Z`,
    retires_at: noted?.retires === undefined ? null : `${noted.retires}T00:00:00Z`,
    line: card.id.split('-')[1] ?? null,
    capabilities: describeCapabilities(card),
  };
}

/** Turns `claude-opus-4-5-20251101` into `Claude Opus 4.5 (simulated)`. */
function displayName(id: string): string {
  const [, line = '', ...rest] = id.split('-');
  const version = rest.filter((part) => part.length < 8).join('.');
  return `Claude ${line.charAt(0).toUpperCase()}${line.slice(1)} ${version || 'Preview'} (simulated)`;
}

function describeCapabilities(card: ModelCard): Record<string, unknown> {
  const yes = { supported: true };
  const no = { supported: false };
  return {
    batch: no,
    citations: no,
    code_execution: no,
    context_management: { ...no, clear_thinking_20251015: no, clear_tool_uses_20250919: no, compact_20260112: no },
    effort: { supported: card.efforts.length > 0, ...describeEach(EFFORTS, card.efforts) },
    image_input: yes,
    pdf_input: yes,
    server_tools: { ...no, code_execution: no, web_search: no },
    structured_outputs: yes,
    thinking: { ...yes, types: describeEach(THINKING_TYPES, card.thinking.accepts) },
  };
}

function describeEach<Name extends string>(all: readonly Name[], supported: readonly Name[]): Record<string, object> {
  return Object.fromEntries(all.map((name) => [name, { supported: supported.includes(name) }]));
}
