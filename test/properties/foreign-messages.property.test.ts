/** Whatever messages other people push: every request is one that a strict server takes, nothing vanishes, and a restart changes nothing. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSimulatedPromptCache } from '../../src/adapters/simulated/cache.ts';
import { createFaultPlan } from '../../src/adapters/simulated/outcome.ts';
import { createResponder } from '../../src/adapters/simulated/respond.ts';
import { aiSdk, betaMessagesApi, chatCompletions, openContext, type Context } from '../../src/library/context.ts';
import { isHarnessError } from '../../src/errors.ts';
import { getEntryNumber } from '../../src/transcript/entry.ts';
import { createForeignWriter, foreignMoves, type ApiName, type ForeignMove } from '../support/foreign-moves.ts';
import { POLICY_NAMES } from '../support/policies.ts';
import { propertyRuns } from '../support/property-runs.ts';

type Json = Record<string, unknown>;
type AnyContext = Context<unknown, unknown, Json>;
const MODEL = 'claude-sonnet-5-5';
const read = { name: 'read', description: 'reads', input_schema: { type: 'object' as const } };
const SHAPES: Record<ApiName, unknown> = {
  messages: betaMessagesApi([read]),
  chat: chatCompletions([{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }]),
  ai: aiSdk({ read: { description: 'reads' } }),
};

const open = (api: ApiName, policy: string) =>
  openContext({
    ...{ policy, model: MODEL, system: 'You read.', maxTokens: 4000, keepSteps: 2, trigger: { tokens: 12_000 } },
    ...{ shape: SHAPES[api] as never, now: () => new Date('2026-11-20T12:00:00Z') },
  }) as unknown as Promise<AnyContext>;

function summarise(api: ApiName, request: Json): Promise<unknown> {
  const asked = JSON.stringify((request['messages'] as unknown[]).at(-1));
  const names = [...asked.matchAll(/\\"([a-z_]+)\\": (\[|\\"|\{)/g)];
  const fields = Object.fromEntries(names.map(([, name, kind]) => [name, kind === '[' ? ['Some.'] : 'Some.']));
  const text = `<compact_summary>${JSON.stringify(fields)}</compact_summary>`;
  if (api === 'messages')
    return Promise.resolve({
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
    });
  if (api === 'chat')
    return Promise.resolve({
      model: MODEL,
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: text } }],
    });
  return Promise.resolve({ responseMessages: [{ role: 'assistant', content: text }], finishReason: 'stop', usage: {} });
}

/** Undefined while calls wait for their results, and where nothing is there that could be compacted by force. */
async function ask(context: AnyContext, api: ApiName, force = false): Promise<Json | undefined> {
  try {
    return await context.request((request) => summarise(api, request), { force });
  } catch (error) {
    if (isHarnessError(error, 'usage') && /has no result yet/.test(error.message)) return undefined;
    if (force && isHarnessError(error, 'context_overflow')) return undefined;
    throw error;
  }
}

const respond = createResponder({
  ...{ players: [], cache: createSimulatedPromptCache(), faults: createFaultPlan([]), enforceBinding: true },
  now: () => new Date('2026-11-20'),
});

/** Only the vendor of a field takes it back, and this server is not theirs. */
function withoutVendorFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVendorFields);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).filter(([name]) => !name.startsWith('x_'));
  return Object.fromEntries(known.map(([name, one]) => [name, withoutVendorFields(one)]));
}

/** The rule of the offline model that refuses the request; signatures of thinking are not its own here. */
function refusalOf(api: ApiName, request: Json): string | undefined {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-api-key': 'k',
    authorization: 'Bearer k',
  };
  if (api === 'ai') return findAiFault(request['messages'] as Json[]);
  const { max_tokens: _cap, betas: _betas, ...body } = withoutVendorFields(request) as Json;
  const sent =
    api === 'messages'
      ? withoutForeignThinking(body)
      : JSON.parse(
          JSON.stringify(body).replaceAll(
            /\{"type":"image_url","image_url":\{[^}]*\}\}/g,
            '{"type":"text","text":"image"}',
          ),
        );
  headers['anthropic-version'] = '2026-10-21';
  const path = api === 'messages' ? '/v1/messages/count_tokens' : '/v1/chat/completions';
  const { record } = respond({
    method: 'POST',
    path,
    query: new URLSearchParams(),
    headers,
    body: JSON.stringify(sent),
  });
  const taken = record.rule === undefined || record.rule === 'script' || record.rule.startsWith('thinking_');
  return taken ? undefined : `${record.rule}: ${record.refusal}`;
}

/** Thinking that another vendor has signed would be refused here for its missing signature. */
function withoutForeignThinking(body: Json): Json {
  const messages = (body['messages'] as { role: string; content: Json[] }[]).map(({ role, content }) => ({
    role,
    content: content.filter(({ type, signature }) => type !== 'thinking' || signature !== undefined),
  }));
  return { ...body, messages };
}

/** Each call is answered in the tool message after it, and no other result is there. */
function findAiFault(messages: readonly Json[]): string | undefined {
  let waiting: unknown[] = [];
  for (const { role, content } of messages) {
    const parts = Array.isArray(content) ? (content as Json[]) : [{ type: 'text', text: content }];
    if (parts.length === 0) return 'a message without content';
    if (role === 'tool') {
      for (const { toolCallId } of parts) {
        if (!waiting.includes(toolCallId)) return `the result ${String(toolCallId)} has no call`;
        waiting = waiting.filter((id) => id !== toolCallId);
      }
      continue;
    }
    if (waiting.length > 0) return `the call ${String(waiting[0])} has no result`;
    const calls = parts.filter(({ type, providerExecuted }) => type === 'tool-call' && providerExecuted !== true);
    if (calls.some(({ input }) => typeof input !== 'object' || input === null)) return 'an input is no object';
    waiting = calls.map(({ toolCallId }) => toolCallId);
    if (new Set(waiting).size < waiting.length) return 'two calls have one id';
  }
  return undefined;
}

/** Marks that are neither in the request nor in an entry that a compaction has covered or shortened, by its own record. */
function listLost(context: AnyContext, request: Json, pushed: readonly { marks: string[]; of: string }[]): string[] {
  const sent = JSON.stringify(request);
  const compactions = context.entries.flatMap((entry) => (entry.type === 'compaction' ? [entry] : []));
  const covered = Math.max(0, ...compactions.map(({ coversThrough }) => Number(coversThrough.slice(1) || 0)));
  const left = new Set(compactions.flatMap((one) => one.left ?? []));
  const shortened = new Set(
    compactions.flatMap((one) => [...Object.keys(one.shortened), ...Object.keys(one.inputs ?? {})]),
  );
  return pushed.flatMap(({ marks, of }) =>
    marks.filter((mark) => {
      if (sent.includes(mark)) return false;
      const holders = context.entries.filter(
        (entry) => entry.type === 'message' && JSON.stringify(entry.message).includes(mark),
      );
      const isNamed = ({ id }: { id: string }) => new RegExp(`\\b${id}\\b`).test(sent);
      if (of === 'human') return !holders.some(isNamed);
      return !holders.some(
        (entry) =>
          getEntryNumber(entry) <= covered ||
          left.has(entry.id) ||
          isNamed(entry) ||
          [...shortened].some((id) => JSON.stringify(entry).includes(`"${id}"`)),
      );
    }),
  );
}

async function play(api: ApiName, policy: string, moves: readonly ForeignMove[], restarts: boolean) {
  let context = await open(api, policy);
  const writer = createForeignWriter(api);
  const pushed: ReturnType<typeof writer.write> = [];
  const requests: Json[] = [];
  const begin: ForeignMove = { kind: 'words', as: 'text' };
  for (const move of [begin, ...moves, begin]) {
    if (restarts) {
      const saved = context.save();
      context = await open(api, policy);
      context.load(saved);
    }
    for (const one of writer.write(move)) {
      context.push(one.message);
      pushed.push(one);
    }
    const request = await ask(context, api, move.kind === 'compact');
    if (request !== undefined) requests.push(request);
  }
  return { context, pushed, requests };
}

const CASES = POLICY_NAMES.flatMap((policy) =>
  (['messages', 'chat', 'ai'] as const).flatMap((api) =>
    api !== 'messages' && policy === 'native' ? [] : [{ policy, api }],
  ),
);

describe.each(CASES)('$api under $policy', ({ policy, api }) => {
  test('every request is taken, nothing vanishes, and save and load change nothing', async () => {
    await fc.assert(
      fc.asyncProperty(foreignMoves, async (moves) => {
        const { context, pushed, requests } = await play(api, policy, moves, false);
        expect(requests.map((request) => refusalOf(api, request)).filter(Boolean)).toEqual([]);
        const last = requests.at(-1) ?? {};
        expect(listLost(context, last, pushed)).toEqual([]);
        const again = await play(api, policy, moves, true);
        expect(again.requests).toEqual(requests);
      }),
      propertyRuns(40, 1 / 14),
    );
  });
});
