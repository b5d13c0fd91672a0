/** Fields and blocks that no client knows: added to answers, looked for when they come back, and taken out again. */
import { asJson, type Json } from './events.ts';

export const FUTURE_FIELD = 'future_field';
export const FUTURE_BLOCK = 'future_block';

/** The request for the server behind the relay, or what is wrong with how the additions came back. */
export type ReturnedRequest = { body: Json; fault?: string };

/** What was added, and the check that each part of it comes back as it went out. */
export type Future = {
  /** Remembers what an answer holds. */
  note(blocks: readonly Json[]): void;
  /** As the API treats what thinking is bound to: a block that comes back without it, or with another value, is refused. */
  takeBack(body: Json): ReturnedRequest;
};

export function createFuture(): Future {
  // Equal requests have equal ids in their answers, and not all of these got the field.
  const fields = new Map<string, Set<string | undefined>>();
  const blocks = new Set<string>();
  return {
    note(added) {
      for (const block of added) {
        const name = nameOf(block);
        if (block['type'] === FUTURE_BLOCK) blocks.add(JSON.stringify(block));
        else if (name !== undefined)
          fields.set(name, (fields.get(name) ?? new Set()).add(JSON.stringify(block[FUTURE_FIELD])));
      }
    },
    takeBack(body) {
      if (fields.size === 0 && blocks.size === 0) return { body };
      let fault: string | undefined;
      const back = (value: unknown, path: string): Json[] => {
        const block = asJson(value);
        if (block['type'] === FUTURE_BLOCK) {
          const { cache_control: _, ...rest } = block;
          if (!blocks.has(JSON.stringify(rest))) fault ??= `${path}: the block was changed`;
          return [];
        }
        const name = nameOf(block);
        const sent = name === undefined ? undefined : fields.get(name);
        if (sent !== undefined && !sent.has(JSON.stringify(block[FUTURE_FIELD])))
          fault ??= `${path}.${FUTURE_FIELD}: the field is missing, or was changed`;
        const { [FUTURE_FIELD]: _, ...rest } = block;
        return [rest];
      };
      const messages = listOf(body['messages']).map((each, place) => {
        const message = asJson(each);
        if (message['role'] !== 'assistant' || !Array.isArray(message['content'])) return message;
        const content = message['content'].flatMap((block, index) => back(block, `messages.${place}.content.${index}`));
        return { ...message, content };
      });
      // A message of nothing but additions is none to the server that never made them.
      const left = messages.filter(({ content }) => !Array.isArray(content) || content.length > 0);
      return { body: { ...body, messages: left }, ...(fault === undefined ? {} : { fault }) };
    },
  };
}

/** What a block is known by when it comes back. */
function nameOf(block: Json): string | undefined {
  const name = block['id'] ?? block['signature'];
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
