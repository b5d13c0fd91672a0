/** The prompt cache: which part of a request is read from it, written to it, or neither (docs/internals/api-rules.md §2.6). */
import { automaticMark } from './rules/cache-rules.ts';
import { type Part, type Ttl, totalTokens } from './request/parts.ts';
import type { Submission } from './request/submission.ts';

/** Counts input tokens; the three kinds add up to the whole request. */
export type InputUsage = {
  input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
};

export type SimulatedPromptCache = { account(submission: Submission, now: Date): InputUsage };

const LOOKBACK = 20;
const LIFE_MS: Readonly<Record<Ttl, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };
/** The number of entries at which expired ones are dropped. */
const SWEEP_AT = 5000;

type CacheEntry = { ttl: Ttl; until: number };
/** A cache mark: its index, the tokens of the prefix up to it, and its time to live. */
type CacheMark = { index: number; tokens: number; ttl: Ttl };

export function createSimulatedPromptCache(): SimulatedPromptCache {
  const entries = new Map<string, CacheEntry>();
  return {
    account(submission, now) {
      const { parts } = submission;
      const marks = listMarks(submission);
      const at = now.getTime();
      removeExpired(entries, at);
      const hit = longestHit(parts, marks, (digest) => (entries.get(digest)?.until ?? 0) > at);
      const usage = splitUsage(parts, marks, hit);
      for (const { index, ttl } of [...marks, ...(hit === -1 ? [] : [{ index: hit, ttl: '5m' as const }])]) {
        touchEntry(entries, parts[index]?.digest ?? '', { ttl, now: at });
      }
      return usage;
    },
  };
}

/** Marks on prefixes that are too short are ignored silently, as the API does. */
function listMarks(submission: Submission): CacheMark[] {
  const automatic = automaticMark(submission);
  let tokens = 0;
  return submission.parts
    .map((part, index): CacheMark => {
      tokens += part.tokens;
      const ttl = part.marks.at(-1) ?? (automatic?.part === part ? automatic.ttl : undefined);
      return { index: ttl === undefined ? -1 : index, tokens, ttl: ttl ?? '5m' };
    })
    .filter(({ index, tokens }) => index !== -1 && tokens >= submission.model.cacheMinimum);
}

/** Looks back over twenty places from each mark, counting the mark's own. */
function longestHit(parts: readonly Part[], marks: readonly CacheMark[], isAlive: (digest: string) => boolean): number {
  for (const { index } of marks.toReversed()) {
    for (let place = index; place > index - LOOKBACK && place >= 0; place -= 1) {
      if (isAlive(parts[place]?.digest ?? '')) return place;
    }
  }
  return -1;
}

function splitUsage(parts: readonly Part[], marks: readonly CacheMark[], hit: number): InputUsage {
  const total = totalTokens(parts);
  const read = hit === -1 ? 0 : totalTokens(parts.slice(0, hit + 1));
  const created: Record<Ttl, number> = { '5m': 0, '1h': 0 };
  let reached = read;
  for (const { tokens, ttl } of marks.filter(({ index }) => index > hit)) {
    created[ttl] += Math.ceil(tokens) - reached;
    reached = Math.ceil(tokens);
  }
  return {
    input_tokens: total - reached,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: created['5m'] + created['1h'],
    cache_creation: { ephemeral_5m_input_tokens: created['5m'], ephemeral_1h_input_tokens: created['1h'] },
  };
}

/** An entry lives from the start of the request that wrote or read it; an existing entry keeps its own lifetime. */
function touchEntry(entries: Map<string, CacheEntry>, digest: string, { ttl, now }: { ttl: Ttl; now: number }): void {
  const living = entries.get(digest);
  const lasting = living !== undefined && living.until > now && LIFE_MS[living.ttl] > LIFE_MS[ttl] ? living.ttl : ttl;
  entries.set(digest, { ttl: lasting, until: now + LIFE_MS[lasting] });
}

function removeExpired(entries: Map<string, CacheEntry>, now: number): void {
  if (entries.size < SWEEP_AT) return;
  for (const [digest, { until }] of entries) if (until <= now) entries.delete(digest);
}
