/** Reads an answer of a Chat Completions endpoint, whole or streamed, as a turn of the subject. */
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import type { SubjectCall, SubjectTurn } from '../../ports/subject.ts';
import { NO_USAGE, type Usage } from '../../transcript/message.ts';
import { stoppedTurn } from './subject-answer.ts';
import { isJsonObject, shapeFault } from '../../scenario/json/json-value.ts';

const Call = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.string().nullish() }),
});
type Call = z.infer<typeof Call>;
/** Some servers answer in parts, of which those of a kind of their own go back too. */
const Content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish();
type Content = z.infer<typeof Content>;
/** Some compatible servers estimate, so their counts are not whole numbers. */
const Tokens = z.number().nonnegative().max(1e12).transform(Math.round);
const Counts = z.looseObject({
  prompt_tokens: Tokens.default(0),
  completion_tokens: Tokens.default(0),
  prompt_tokens_details: z.looseObject({ cached_tokens: Tokens.nullish().catch(null) }).nullish(),
});
/** Loose, because every compatible server adds its own keys. */
const Completion = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({
          content: Content,
          refusal: z.string().nullish(),
          tool_calls: z.array(Call).nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: Counts.nullish(),
});
type Completion = z.infer<typeof Completion>;

const Delta = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: Content,
            refusal: z.string().nullish(),
            tool_calls: z.array(z.looseObject({ index: z.int().nonnegative().max(127) })).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: Counts.nullish(),
});

/** With every field of the vendor, such as its reasoning: some refuse a message that comes back without it. */
export type AssistantMessage = {
  role: 'assistant';
  content: Exclude<Content, undefined>;
  tool_calls?: Record<string, unknown>[];
  [other: string]: unknown;
};

export type ReadCompletion = {
  turn: SubjectTurn;
  /** The message to send back with the next request; absent when it would be empty. */
  message: AssistantMessage | undefined;
  /** Calls whose arguments are no JSON object, with the error that the subject reads instead of a result. */
  refused: { id: string; why: string }[];
};

type Price = { input: number; output: number; cached?: number | undefined } | undefined;

export function readCompletion(text: string, price: Price): ReadCompletion {
  const stopped = (turn: SubjectTurn): ReadCompletion => ({ turn, message: undefined, refused: [] });
  const isStream = text.trimStart().startsWith('data:') || text.trimStart().startsWith(':');
  const value = isStream ? joinStream(text) : parseJson(text);
  if (value === 'broken') return stopped(stoppedTurn('infrastructure', 'its stream ended before the answer was whole'));
  const parsed = Completion.safeParse(value);
  const [choice] = parsed.data?.choices ?? [];
  if (parsed.data === undefined || choice === undefined)
    return stopped(stoppedTurn('crashed', `its answer is no chat completion: ${text.slice(0, 200)}`));
  const { usage, costUsd } = computeCost(parsed.data.usage, price);
  const calls = readCalls(choice.message.tool_calls ?? []);
  const says = getSpokenText(choice.message.content).trim();
  const good = calls.flatMap(({ id, name, args }): SubjectCall[] =>
    args === undefined ? [] : [{ id, tool: name, args }],
  );
  const refused = calls
    .filter(({ args }) => args === undefined)
    .map(({ id, json }) => ({ id, why: `Error: the arguments are no JSON object: ${json.slice(0, 200)}` }));
  const end = findTurnEnd(choice, says === '' && calls.length === 0);
  const { tool_calls: _calls, refusal: _refusal, content, ...fields } = choice.message;
  const message: AssistantMessage = {
    ...fields,
    ...{ role: 'assistant', content: Array.isArray(content) ? content : says === '' ? null : says },
    ...(calls.length > 0 && {
      // Some servers parse these again for their template, and fail on anything but JSON.
      tool_calls: calls.map(({ id, json, args, call }) => ({
        ...{ ...call, id, type: 'function' },
        function: { ...call.function, arguments: args === undefined || json.trim() === '' ? '{}' : json },
      })),
    }),
  };
  const turn: SubjectTurn = { says, calls: good, usage, costUsd };
  if (end !== undefined) return { turn: { ...turn, calls: [], end }, message: undefined, refused: [] };
  // The subject has neither called a tool nor said anything: it reads its errors, and continues.
  return { turn: good.length === 0 && refused.length > 0 ? { ...turn, goesOn: true } : turn, message, refused };
}

/** An id that an answer repeats gets a number, so that each result finds its call. */
function readCalls(calls: readonly Call[]) {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    const wanted = call.id || `call_${index + 1}`;
    const id = taken.has(wanted) ? `${wanted}_${index + 1}` : wanted;
    taken.add(id);
    const json = call.function.arguments ?? '';
    return { id, name: call.function.name, json, args: argumentsIn(json), call };
  });
}

function getSpokenText(content: Content): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

function findTurnEnd(
  { finish_reason: why, message }: Completion['choices'][number],
  isEmpty: boolean,
): SubjectTurn['end'] {
  if (why === 'content_filter') return { stop: 'refusal', detail: 'content_filter' };
  if (typeof message.refusal === 'string' && message.refusal !== '')
    return { stop: 'refusal', detail: `the model refused: ${message.refusal.slice(0, 300)}` };
  // The last call may be incomplete, so it is not run.
  if (why === 'length') return { stop: 'cut', detail: 'length' };
  return isEmpty ? { stop: 'done' } : undefined;
}

function argumentsIn(json: string): Record<string, unknown> | undefined {
  // Some servers send nothing for a function without parameters.
  const value: unknown = json.trim() === '' ? {} : parseJson(json);
  return isJsonObject(value) && shapeFault(value) === undefined ? { ...value } : undefined;
}

function computeCost(counts: Completion['usage'], price: Price): { usage: Usage; costUsd: number } {
  if (counts === undefined || counts === null) return { usage: NO_USAGE, costUsd: 0 };
  const cached = Math.min(counts.prompt_tokens, counts.prompt_tokens_details?.cached_tokens ?? 0);
  const usage = {
    ...{ input_tokens: counts.prompt_tokens - cached, output_tokens: counts.completion_tokens },
    ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: cached },
  };
  const { input = 0, output = 0, cached: read = input } = price ?? {};
  const dollars = usage.input_tokens * input + cached * read + usage.output_tokens * output;
  return { usage, costUsd: dollars / 1_000_000 };
}

/** Joins the chunks of a streamed answer; `broken` when it has no end. */
function joinStream(text: string): unknown {
  const deltas: unknown[] = [];
  let [usage, finish]: [unknown, string | undefined] = [undefined, undefined];
  for (const line of text.split('\n')) {
    const data = /^data:\s*(.*)$/.exec(line.trimEnd())?.[1];
    if (data === undefined || data === '[DONE]' || data === '') continue;
    const piece = Delta.safeParse(parseJson(data));
    if (!piece.success) return undefined;
    usage = piece.data.usage ?? usage;
    const [choice] = piece.data.choices;
    finish = choice?.finish_reason ?? finish;
    deltas.push(choice?.delta);
  }
  if (finish === undefined) return 'broken';
  const { tool_calls: calls, ...message } = (joinDeltas(deltas) ?? {}) as NonNullable<
    z.infer<typeof Delta>['choices'][number]['delta']
  >;
  // The index belongs to the stream, not to the message.
  const whole = calls && { tool_calls: calls.map(({ index: _index, ...call }) => call) };
  return { choices: [{ message: { ...message, ...whole }, finish_reason: finish }], usage };
}

/**
 * Texts grow; within a list those that are the same in every piece do not, such as a type or an id. Elements of lists belong
 * together by their `index`; those without one follow each other.
 */
export function joinDeltas(pieces: readonly unknown[], depth = 0): unknown {
  const values = pieces.filter((piece) => piece !== undefined && piece !== null && piece !== '');
  if (values.length <= 1) return values[0] ?? pieces.findLast((piece) => piece !== undefined);
  if (values.every((value) => typeof value === 'string'))
    return depth > 1 && values.every((value) => value === values[0]) ? values[0] : values.join('');
  if (values.every(isJsonObject)) return joinObjects(values, depth + 1);
  if (!values.every(Array.isArray)) return values.at(-1);
  const groups = Map.groupBy(values.flat(), (item: unknown) => (isJsonObject(item) ? (item['index'] ?? item) : item));
  return [...groups.values()].map((items) => joinDeltas(items, depth + 1));
}

function joinObjects(values: readonly Record<string, unknown>[], depth: number): Record<string, unknown> {
  const keys = new Set(values.flatMap((value) => Object.keys(value)));
  const piecesOf = (key: string) => values.map((value) => value[key]);
  return Object.fromEntries([...keys].map((key) => [key, joinDeltas(piecesOf(key), depth)]));
}
