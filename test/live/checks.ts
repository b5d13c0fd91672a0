/** Questions about the Messages API that no offline server can settle, each as one short conversation with the vendor's client. */
import Anthropic, { APIError } from '@anthropic-ai/sdk';

export type LiveSetting = {
  client: Anthropic;
  model: string;
  /** The vendor's own test text for refusals; it stays out of this repository, since a model that reads it refuses. */
  refusalText?: string | undefined;
  /** Hears what each answer is billed for. */
  billed?: (usage: Anthropic.Usage) => void;
};

/** `agrees`: the answer is what the harness relies on; undefined where the question could not be put. */
export type Finding = { question: string; seen: string; agrees: boolean | undefined };
export type LiveCheck = (setting: LiveSetting) => Promise<Finding>;

type Params = Omit<Anthropic.MessageCreateParamsNonStreaming, 'model' | 'max_tokens'> & { max_tokens?: number };

export const SYSTEM = 'You answer checks of a test suite, in as few words as possible.';
const LOOK: Anthropic.Tool = {
  name: 'look',
  description: 'Looks up the colour of a thing.',
  input_schema: { type: 'object', properties: { thing: { type: 'string' } }, required: ['thing'] },
};

async function ask({ client, model, billed }: LiveSetting, params: Params): Promise<Anthropic.Message | string> {
  try {
    const answer = await client.messages.create({ system: SYSTEM, max_tokens: 200, ...params, model });
    billed?.(answer.usage);
    return answer;
  } catch (error) {
    if (error instanceof APIError && error.status === 400) return error.message.slice(0, 300);
    throw error;
  }
}

const textOf = ({ content }: Anthropic.Message): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');

/** The view puts reminders after the results of a step: text next to `tool_result` must be taken, and heard. */
export const textAfterToolResults: LiveCheck = async (setting) => {
  const question = 'Is text after tool results accepted and answered?';
  const answer = await ask(setting, {
    tools: [LOOK],
    messages: [
      { role: 'user', content: 'CHECK text-after-results: which colour has the plum?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: { thing: 'plum' } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'purple' },
          { type: 'text', text: 'Answer with the colour, and then with the word HEARD.' },
        ],
      },
    ],
  });
  if (typeof answer === 'string') return { question, seen: answer, agrees: false };
  const said = textOf(answer);
  return { question, seen: `${answer.stop_reason}: ${said}`, agrees: /heard/i.test(said) };
};

/** An interrupted turn is closed by a note of the harness in the assistant's place; the next turn goes on from there. */
export const loopClosedByNote: LiveCheck = async (setting) => {
  const question = 'May a tool loop be closed by an assistant text that the model did not write?';
  const answer = await ask(setting, {
    tools: [LOOK],
    messages: [
      { role: 'user', content: 'CHECK note: which colour has the plum?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: { thing: 'plum' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'purple' }] },
      { role: 'assistant', content: 'The turn was interrupted here.' },
      { role: 'user', content: 'CHECK note, second turn: answer OK.' },
    ],
  });
  if (typeof answer === 'string') return { question, seen: answer, agrees: false };
  return { question, seen: `${answer.stop_reason}: ${textOf(answer)}`, agrees: true };
};

/** A compaction rewrites what stands before a kept step. Models with bound thinking must refuse it, others must take it. */
export function thinkingAfterRewrite(isBound: boolean): LiveCheck {
  return async (setting) => {
    const question = 'Is a thinking block taken back after the messages before it were rewritten?';
    const thinking = { type: 'adaptive' as const };
    const first = 'CHECK thinking: work out 17 * 23 step by step, then call look with the result as thing.';
    const turn = await ask(setting, {
      thinking,
      max_tokens: 1500,
      tools: [LOOK],
      messages: [{ role: 'user', content: first }],
    });
    if (typeof turn === 'string') return { question, seen: turn, agrees: false };
    const call = turn.content.find((block) => block.type === 'tool_use');
    if (call === undefined || !turn.content.some(({ type }) => type === 'thinking')) {
      return {
        question,
        seen: `no thinking and call came: ${turn.content.map(({ type }) => type).join(', ')}`,
        agrees: undefined,
      };
    }
    const answer = await ask(setting, {
      thinking,
      max_tokens: 1500,
      tools: [LOOK],
      messages: [
        { role: 'user', content: `CHECK thinking: a summary stands here. ${first}` },
        { role: 'assistant', content: turn.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'grey' }] },
      ],
    });
    const isRefused = typeof answer === 'string';
    return { question, seen: isRefused ? answer : `taken, ${answer.stop_reason}`, agrees: isRefused === isBound };
  };
}

/** A refusal is an answer with `stop_reason: refusal`, with or without details, and never an error. */
export const refusal: LiveCheck = async (setting) => {
  const question = 'Does a refusal arrive as stop_reason "refusal", and what does it say?';
  if (setting.refusalText === undefined) {
    return { question, seen: 'not asked: TANDEM_LIVE_REFUSAL holds no test text', agrees: undefined };
  }
  const answer = await ask(setting, { messages: [{ role: 'user', content: setting.refusalText }] });
  if (typeof answer === 'string') return { question, seen: answer, agrees: false };
  const details = JSON.stringify((answer as { stop_details?: unknown }).stop_details ?? null);
  return { question, seen: `${answer.stop_reason}, details ${details}`, agrees: answer.stop_reason === 'refusal' };
};

/** Money is reckoned from `usage`: what the first call writes, the second must read, and nothing twice. */
export const cachingAsBilled: LiveCheck = async (setting) => {
  const question = 'Does a second call read from the cache exactly what the first one wrote?';
  // Longer than the largest least prefix that any model demands; another text in each run, so that nothing is warm.
  const filler = Array.from({ length: 900 }, (_, index) => `Line ${index} of ${Date.now()} is to be remembered.`).join(
    '\n',
  );
  const params: Params = {
    system: [{ type: 'text', text: `${SYSTEM}\n${filler}`, cache_control: { type: 'ephemeral' } }],
    max_tokens: 20,
    messages: [{ role: 'user', content: 'CHECK caching: answer OK.' }],
  };
  const first = await ask(setting, params);
  const second = await ask(setting, params);
  if (typeof first === 'string' || typeof second === 'string') {
    return { question, seen: [first, second].filter((one) => typeof one === 'string').join(' '), agrees: false };
  }
  const [written, read] = [first.usage.cache_creation_input_tokens ?? 0, second.usage.cache_read_input_tokens ?? 0];
  const again = second.usage.cache_creation_input_tokens ?? 0;
  const seen = `wrote ${written}, then read ${read} and wrote ${again}; uncached ${first.usage.input_tokens} and ${second.usage.input_tokens}`;
  return { question, seen, agrees: written > 0 && read === written && again === 0 };
};
