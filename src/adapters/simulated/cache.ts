/**
 * The prompt cache: what of a request is read from it, what is written to it, what is neither (docs/api-rules.md §2.6).
 */
import { automaticMark } from './rules/cache-rules.ts';
import { type Part, type Ttl, totalTokens } from './request/parts.ts';
import type { Submission } from './request/submission.ts';

/** Input tokens; the three kinds add up to the whole request. */
export type InputUsage = {
  input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
};

export type SimulatedPromptCache = { account(submission: Submission, now: Date): InputUsage };

const LOOKBACK = 20;
const LIFE_MS: Readonly<Record<Ttl, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };
/** Expired entries are dropped when there are this many. */
const SWEEP_AT = 5000;

type Entry = { ttl: Ttl; until: number };
/** A marked place: its index, what the prefix up to it weighs, and how long it is to live. */
type Mark = { index: number; tokens: number; ttl: Ttl };

export function createSimulatedPromptCache(): SimulatedPromptCache {
  const entries = new Map<string, Entry>();
  return {
    account(submission, now) {
      const { parts } = submission;
      const marks = marksOf(submission);
      const at = now.getTime();
      sweep(entries, at);
      const hit = longestHit(parts, marks, (digest) => (entries.get(digest)?.until ?? 0) > at);
      const usage = split(parts, marks, hit);
      for (const { index, ttl } of [...marks, ...(hit === -1 ? [] : [{ index: hit, ttl: '5m' as const }])]) {
        touch(entries, parts[index]?.digest ?? '', { ttl, now: at });
      }
      return usage;
    },
  };
}

/** Marks on prefixes that are too short are passed over in silence. */
function marksOf(submission: Submission): Mark[] {
  const automatic = automaticMark(submission);
  let tokens = 0;
  return submission.parts
    .map((part, index): Mark => {
      tokens += part.tokens;
      const ttl = part.marks.at(-1) ?? (automatic?.part === part ? automatic.ttl : undefined);
      return { index: ttl === undefined ? -1 : index, tokens, ttl: ttl ?? '5m' };
    })
    .filter(({ index, tokens }) => index !== -1 && tokens >= submission.model.cacheMinimum);
}

/** From each mark twenty places are looked at, the mark's own counted in. */
function longestHit(parts: readonly Part[], marks: readonly Mark[], isAlive: (digest: string) => boolean): number {
  for (const { index } of marks.toReversed()) {
    for (let place = index; place > index - LOOKBACK && place >= 0; place -= 1) {
      if (isAlive(parts[place]?.digest ?? '')) return place;
    }
  }
  return -1;
}

function split(parts: readonly Part[], marks: readonly Mark[], hit: number): InputUsage {
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

/** An entry lives from the start of the request that wrote or read it; an existing one keeps its own lifetime. */
function touch(entries: Map<string, Entry>, digest: string, { ttl, now }: { ttl: Ttl; now: number }): void {
  const living = entries.get(digest);
  const lasting = living !== undefined && living.until > now && LIFE_MS[living.ttl] > LIFE_MS[ttl] ? living.ttl : ttl;
  entries.set(digest, { ttl: lasting, until: now + LIFE_MS[lasting] });
}

function sweep(entries: Map<string, Entry>, now: number): void {
  if (entries.size < SWEEP_AT) return;
  for (const [digest, { until }] of entries) if (until <= now) entries.delete(digest);
}
