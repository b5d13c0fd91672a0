/** Talks to a simulator over plain HTTP, and says by which rule it was refused. */
import { z } from 'zod';
import type { RequestRecord } from '../../../src/adapters/simulated/respond.ts';
import type { ScriptInput } from '../../../src/adapters/simulated/scripts/script.ts';
import { startSimulator, type Simulator, type SimulatorOptions } from '../../../src/adapters/simulated/start.ts';

export type Json = Record<string, unknown>;

const HEADERS: Record<string, string> = {
  'content-type': 'application/json',
  'x-api-key': 'any',
  'anthropic-version': '2026-10-21',
};

/** Every answer of `TESTER` is one word, whatever stands in the conversation, as long as a user said `go`. */
export const TESTER: ScriptInput = {
  version: 1,
  who: 'tester',
  match: { system_includes: 'tester' },
  turns: [{ name: 'only', marker: 'go', steps: [{ say: 'Done.' }] }],
};

export const BASE = {
  model: 'claude-opus-5-5',
  max_tokens: 1000,
  system: 'tester',
  messages: [{ role: 'user', content: 'go' }],
};
export const TOOL = { name: 'read', description: 'Reads.', input_schema: { type: 'object', properties: {} } };

export const user = (...content: (string | Json)[]): Json => ({ role: 'user', content: content.map(block) });
export const assistant = (...content: (string | Json)[]): Json => ({ role: 'assistant', content: content.map(block) });
export const use = (id: string, input: Json = {}): Json => ({ type: 'tool_use', id, name: 'read', input });
export const result = (id: string, content = 'ok'): Json => ({ type: 'tool_result', tool_use_id: id, content });
const block = (content: string | Json): Json =>
  typeof content === 'string' ? { type: 'text', text: content } : content;

/** A simulator that is closed when the test is done with it. */
export async function withSimulator<Value>(
  options: Partial<SimulatorOptions>,
  run: (simulator: Simulator) => Promise<Value>,
): Promise<Value> {
  const simulator = await startSimulator({ simulationDir: undefined, ...options });
  try {
    return await run(simulator);
  } finally {
    await simulator.close();
  }
}

export type Sent = { headers?: Record<string, string | undefined>; path?: string; method?: string };
export type Got = { status: number; body: Json; headers: Headers; record: RequestRecord | undefined };

export async function post(
  simulator: Simulator,
  body: unknown,
  { headers, path = '/v1/messages', method = 'POST' }: Sent = {},
): Promise<Got> {
  const merged = Object.entries({ ...HEADERS, ...headers }).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const response = await fetch(simulator.url + path, {
    method,
    headers: merged,
    ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const answer = z.record(z.string(), z.unknown()).parse(await response.json());
  return { status: response.status, body: answer, headers: response.headers, record: simulator.requests.at(-1) };
}

export const Reply = z.object({
  id: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string(),
  usage: z.looseObject({
    input_tokens: z.number(),
    cache_read_input_tokens: z.number(),
    cache_creation_input_tokens: z.number(),
    output_tokens: z.number(),
  }),
});
export type Reply = z.infer<typeof Reply>;

/** Sends what must be accepted, and gives the message that came back. */
export async function ask(simulator: Simulator, body: unknown, sent: Sent = {}): Promise<Reply> {
  const got = await post(simulator, body, sent);
  if (got.status !== 200) throw new Error(`refused by ${got.record?.rule}: ${JSON.stringify(got.body)}`);
  return Reply.parse(got.body);
}

/** The calls of a reply, each with its result, as the next two messages. */
export function carryOn(reply: Reply, content = 'ok'): Json[] {
  const results = reply.content.filter(({ type }) => type === 'tool_use').map(({ id }) => result(String(id), content));
  return [{ role: 'assistant', content: reply.content }, ...(results.length > 0 ? [user(...results)] : [])];
}
