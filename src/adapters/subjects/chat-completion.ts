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
          content: z.string().nullish(),
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
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z
              .array(
                z.looseObject({
                  index: z.int().nonnegative().max(127),
                  id: z.string().nullish(),
                  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: Counts.nullish(),
});

export type AssistantMessage = {
  role: 'assistant';
  content: string | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
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
  const calls = (choice.message.tool_calls ?? []).map(({ id, function: { name, arguments: json } }, index) => ({
    ...{ id: id ?? `call_${index + 1}`, name, json: json ?? '' },
    args: argumentsIn(json ?? ''),
  }));
  const says = (choice.message.content ?? '').trim();
  const good = calls.flatMap(({ id, name, args }): SubjectCall[] =>
    args === undefined ? [] : [{ id, tool: name, args }],
  );
  const refused = calls
    .filter(({ args }) => args === undefined)
    .map(({ id, json }) => ({ id, why: `Error: the arguments are no JSON object: ${json.slice(0, 200)}` }));
  const end = findTurnEnd(choice, says === '' && calls.length === 0);
  const message: AssistantMessage = {
    ...{ role: 'assistant', content: says === '' ? null : says },
    ...(calls.length > 0 && {
      // Some servers parse these again for their template, and fail on anything but JSON.
      tool_calls: calls.map(({ id, name, json, args }) => ({
        ...{ id, type: 'function' as const },
        function: { name, arguments: args === undefined || json.trim() === '' ? '{}' : json },
      })),
    }),
  };
  const turn: SubjectTurn = { says, calls: good, usage, costUsd };
  if (end !== undefined) return { turn: { ...turn, calls: [], end }, message: undefined, refused: [] };
  // The subject has neither called a tool nor said anything: it reads its errors, and continues.
  return { turn: good.length === 0 && refused.length > 0 ? { ...turn, goesOn: true } : turn, message, refused };
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
  const message: AssistantMessage & { refusal: string } = { role: 'assistant', content: '', refusal: '' };
  const calls: { id: string | undefined; function: { name: string; arguments: string } }[] = [];
  let [usage, finish]: [unknown, string | undefined] = [undefined, undefined];
  for (const line of text.split('\n')) {
    const data = /^data:\s*(.*)$/.exec(line.trimEnd())?.[1];
    if (data === undefined || data === '[DONE]' || data === '') continue;
    const piece = Delta.safeParse(parseJson(data));
    if (!piece.success) return undefined;
    usage = piece.data.usage ?? usage;
    const [choice] = piece.data.choices;
    finish = choice?.finish_reason ?? finish;
    message.content += choice?.delta?.content ?? '';
    message.refusal += choice?.delta?.refusal ?? '';
    for (const { index, id, function: part } of choice?.delta?.tool_calls ?? []) {
      const call = (calls[index] ??= { id: undefined, function: { name: '', arguments: '' } });
      call.id ??= id ?? undefined;
      call.function.name += part?.name ?? '';
      call.function.arguments += part?.arguments ?? '';
    }
  }
  if (finish === undefined) return 'broken';
  return { choices: [{ message: { ...message, tool_calls: calls.filter(Boolean) }, finish_reason: finish }], usage };
}
