/** Adds fields and blocks that no client knows to answers, checks that they are sent back, and takes them out again. */
import { asJson, type JsonRecord } from './events.ts';

export const FUTURE_FIELD = 'future_field';
export const FUTURE_BLOCK = 'future_block';

/** The request for the server behind the relay, or what is wrong with how the additions came back. */
export type ReturnedRequest = { body: JsonRecord; fault?: string };

/** The additions so far, and the check that each one is sent back unchanged. */
export type UnknownFields = {
  /** Remembers the additions in the blocks of an answer. */
  note(blocks: readonly JsonRecord[]): void;
  /** Refuses a block that comes back without its addition or with another value, as the API does with thinking. */
  takeBack(body: JsonRecord): ReturnedRequest;
};

export function createUnknownFields(): UnknownFields {
  // Equal requests get equal ids in their answers, and not all of these answers got the field.
  const fields = new Map<string, Set<string | undefined>>();
  const blocks = new Set<string>();
  return {
    note(added) {
      for (const block of added) {
        const name = getBlockName(block);
        if (block['type'] === FUTURE_BLOCK) blocks.add(JSON.stringify(block));
        else if (name !== undefined)
          fields.set(name, (fields.get(name) ?? new Set()).add(JSON.stringify(block[FUTURE_FIELD])));
      }
    },
    takeBack(body) {
      if (fields.size === 0 && blocks.size === 0) return { body };
      let fault: string | undefined;
      const back = (value: unknown, path: string): JsonRecord[] => {
        const block = asJson(value);
        if (block['type'] === FUTURE_BLOCK) {
          const { cache_control: _, ...rest } = block;
          if (!blocks.has(JSON.stringify(rest))) fault ??= `${path}: the block was changed`;
          return [];
        }
        const name = getBlockName(block);
        const sent = name === undefined ? undefined : fields.get(name);
        if (sent !== undefined && !sent.has(JSON.stringify(block[FUTURE_FIELD])))
          fault ??= `${path}.${FUTURE_FIELD}: the field is missing, or was changed`;
        const { [FUTURE_FIELD]: _, ...rest } = block;
        return [rest];
      };
      const messages = toList(body['messages']).map((each, place) => {
        const message = asJson(each);
        if (message['role'] !== 'assistant' || !Array.isArray(message['content'])) return message;
        const content = message['content'].flatMap((block, index) => back(block, `messages.${place}.content.${index}`));
        return { ...message, content };
      });
      // A message of additions only is left out, because the server never sent it.
      const left = messages.filter(({ content }) => !Array.isArray(content) || content.length > 0);
      return { body: { ...body, messages: left }, ...(fault === undefined ? {} : { fault }) };
    },
  };
}

/** The id or signature by which a returned block is recognized. */
function getBlockName(block: JsonRecord): string | undefined {
  const name = block['id'] ?? block['signature'];
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
