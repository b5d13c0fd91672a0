/** What the API says is left of an organization's limits: `anthropic-ratelimit-*` of any answer (docs/api-rules.md §3). */
import type { ProviderAllowance, ProviderAllowances } from '../../ports/limits.ts';

const NAMES = {
  requests: 'requests',
  tokens: 'tokens',
  inputTokens: 'input-tokens',
  outputTokens: 'output-tokens',
} as const satisfies Record<keyof ProviderAllowances, string>;

/** Undefined when no header says anything of use. */
export function allowancesOf(headers: Headers | undefined): ProviderAllowances | undefined {
  const found = Object.entries(NAMES).flatMap(([kind, name]) => {
    const limit = wholeNumber(headers?.get(`anthropic-ratelimit-${name}-limit`));
    const remaining = wholeNumber(headers?.get(`anthropic-ratelimit-${name}-remaining`));
    if (limit === undefined || remaining === undefined || limit === 0) return [];
    const allowance: ProviderAllowance = { limit, remaining: Math.min(limit, remaining) };
    return [[kind, allowance] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function wholeNumber(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}
