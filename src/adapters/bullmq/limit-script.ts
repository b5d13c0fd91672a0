/** The book of a limited lane in Redis: one script, by the server's clock. It says what `adapters/limits/book.ts` says. */
import type { Redis } from 'ioredis';
import {
  isLimited,
  SLOT_LEASE_MS,
  LONGEST_WAIT_MS,
  type RateLimitRequest,
  type RateLimitStore,
  type RateLimitReason,
} from '../limits/rate-limit-state.ts';

const LOOK_MS = 100;
const WAITING_MS = 5_000;
/** Long after the last window and the last lease, nothing of a lane is left. */
const KEEP_MS = 60 * 60_000;

/** Every key of a lane, so that they are known to the server beforehand. */
const PARTS = ['calls', 'tokens', 'running', 'waiting', 'seen', 'paused'] as const;

/**
 * `calls` and `running` are sorted by time, `waiting` by arrival, next to `seen`; `tokens` is by call. A call that
 * is tried again is listed once more, as `<id>#<time>`.
 */
const SCRIPT = `
local calls, tokens, running, waiting, seen, paused = unpack(KEYS)
local what, id, keep = ARGV[1], ARGV[2], ARGV[3]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function done(ms, why)
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, keep) end
  return { ms, why }
end
if what == 'pause' then
  local till = now + tonumber(ARGV[4])
  if till > tonumber(redis.call('GET', paused) or '0') then redis.call('SET', paused, till) end
  return done(0, '')
end
if what == 'alive' then
  for i = 5, #ARGV do redis.call('ZADD', running, now + ARGV[4], ARGV[i]) end
  return done(0, '')
end
if what == 'leave' then
  redis.call('ZREM', running, id)
  redis.call('ZREM', waiting, id)
  redis.call('ZREM', seen, id)
  local last = redis.call('HGET', tokens, id .. ':last')
  if last then
    if ARGV[4] ~= '' then redis.call('HSET', tokens, last, ARGV[4]) end
    redis.call('HDEL', tokens, id .. ':last')
  end
  return done(0, '')
end
local mine, again, most, requests, limit, window = tonumber(ARGV[4]), ARGV[5] == '1', tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local stop = tonumber(redis.call('GET', paused) or '0')
if most < 0 and requests < 0 and limit < 0 then
  if stop > now then return { stop - now, 'paused' } end
  return { 0, '' }
end
for _, old in ipairs(redis.call('ZRANGEBYSCORE', calls, '-inf', now - window)) do
  local lastOf = string.match(old, '^(.*)#') .. ':last'
  if redis.call('HGET', tokens, lastOf) == old then redis.call('HDEL', tokens, lastOf) end
  redis.call('HDEL', tokens, old)
end
redis.call('ZREMRANGEBYSCORE', calls, '-inf', now - window)
redis.call('ZREMRANGEBYSCORE', running, '-inf', now)
if not again then
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', seen, '-inf', now)) do
    if gone ~= id then
      redis.call('ZREM', waiting, gone)
      redis.call('ZREM', seen, gone)
    end
  end
  if not redis.call('ZSCORE', waiting, id) then
    local newest = redis.call('ZRANGE', waiting, -1, -1, 'WITHSCORES')
    redis.call('ZADD', waiting, (tonumber(newest[2]) or 0) + 1, id)
  end
  redis.call('ZADD', seen, now + ${WAITING_MS}, id)
end
if stop > now then return done(stop - now, 'paused') end
if not again then
  if redis.call('ZRANGE', waiting, 0, 0)[1] ~= id then return done(${LOOK_MS}, 'turn') end
  if most >= 0 and redis.call('ZCARD', running) >= most then return done(${LOOK_MS}, 'concurrency') end
end
local count = redis.call('ZCARD', calls)
if requests >= 0 and count >= requests then
  local due = redis.call('ZRANGE', calls, count - requests, count - requests, 'WITHSCORES')
  return done(due[2] + window - now, 'requests')
end
if limit >= 0 and count > 0 then
  local all = redis.call('ZRANGE', calls, 0, -1, 'WITHSCORES')
  local over = mine - limit
  local used = {}
  for i = 1, #all, 2 do
    used[i] = tonumber(redis.call('HGET', tokens, all[i]) or '0')
    over = over + used[i]
  end
  local due = over > 0 and all[#all] or nil
  for i = 1, #all, 2 do
    if over <= 0 then break end
    over = over - used[i]
    if over <= 0 then due = all[i + 1] end
  end
  if due then return done(due + window - now, 'tokens') end
end
local last = redis.call('HGET', tokens, id .. ':last')
if last then redis.call('HSET', tokens, last, 0) end
local name = id .. '#' .. now .. '-' .. count
redis.call('ZADD', calls, now, name)
redis.call('HSET', tokens, name, mine, id .. ':last', name)
redis.call('ZREM', waiting, id)
redis.call('ZREM', seen, id)
redis.call('ZADD', running, now + ${SLOT_LEASE_MS}, id)
return done(0, '')
`;

export function limitsInRedis(redis: Redis, space: string): RateLimitStore {
  return {
    ask: async (lane, ask) => {
      const keys = PARTS.map((part) => `${space}:limits:{${lane}}:${part}`);
      const answer = await redis.eval(SCRIPT, keys.length, ...keys, ...argumentsOf(ask));
      const [ms, why] = answer as [number, string];
      return ms <= 0
        ? { waitMs: 0 }
        : { waitMs: Math.min(Math.max(1, ms), LONGEST_WAIT_MS), why: why as RateLimitReason };
    },
  };
}

/** A number below zero is no limit. */
function argumentsOf(ask: RateLimitRequest): (string | number)[] {
  switch (ask.type) {
    case 'enter': {
      const { concurrency = -1, requestsPerMinute = -1, tokensPerMinute = -1 } = ask.limit;
      const limits = isLimited(ask.limit) ? [concurrency, requestsPerMinute, tokensPerMinute] : [-1, -1, -1];
      return ['enter', ask.id, KEEP_MS, ask.tokens, ask.again ? '1' : '0', ...limits, ask.windowMs];
    }
    case 'leave':
      return ['leave', ask.id, KEEP_MS, ask.tokens ?? ''];
    case 'alive':
      return ['alive', '', KEEP_MS, SLOT_LEASE_MS, ...ask.ids];
    case 'pause':
      return ['pause', '', KEEP_MS, ask.ms];
    default:
      return ask satisfies never;
  }
}
