/** Conversations as other people's agents have them, in the messages of three APIs: fields, ids, inputs and results of every kind. */
import * as fc from 'fast-check';

type Json = Record<string, unknown>;
const kinds = <Kind extends string>(...all: readonly Kind[]) => fc.constantFrom(...all);

const call = fc.record({
  id: kinds('own', 'own', 'same', 'odd', 'empty'),
  input: kinds('object', 'object', 'cut', 'empty', 'null', 'list', 'words'),
  result: kinds('now', 'now', 'now', 'late', 'none', 'twice', 'parts', 'picture'),
});
const move = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      ...{ kind: fc.constant('answer' as const), says: fc.boolean(), calls: fc.array(call, { maxLength: 3 }) },
      ...{ thinks: kinds('no', 'signed', 'unsigned', 'vendor'), fields: fc.boolean() },
      ...{ server: kinds('no', 'no', 'same', 'next', 'never'), besides: fc.boolean(), apart: fc.boolean() },
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('words' as const), as: kinds('text', 'parts', 'image', 'broken', 'odd') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stray' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const) }) },
);
export type ForeignMove = typeof move extends fc.Arbitrary<infer Move> ? Move : never;
export const foreignMoves = fc.array(move, { minLength: 1, maxLength: 14 });

/** A message to push, and the marks in it that must not vanish; `of` people are carried over every compaction. */
export type Pushed = { message: Json; marks: string[]; of: 'human' | 'other' };
export type ApiName = 'messages' | 'chat' | 'ai';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A file that was cut off. */
const CUT = PNG.slice(0, 60);
const LONG = 'and so on '.repeat(150);

/** Writes moves as the messages of one API; it remembers the calls that wait. */
export function createForeignWriter(api: ApiName) {
  let count = 0;
  let marks: string[] = [];
  let pending: string[] = [];
  let late: Json[] = [];
  const mark = (): string => {
    const made = `q${(count += 1)}z`;
    marks.push(made);
    return made;
  };
  const pushed = (message: Json, of: Pushed['of'] = 'other'): Pushed => {
    const made = { message, marks, of };
    marks = [];
    return made;
  };
  const vendor = (has: boolean): Json => (has ? { x_vendor: { deep: [mark()] } } : {});
  const text = (words: string): Json => ({ type: 'text', text: words });

  function toImage(data: string): Json {
    if (api === 'messages') return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    return api === 'chat'
      ? { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }
      : { type: 'image', image: data, mediaType: 'image/png' };
  }

  function words(as: string): Pushed {
    const said = `${mark()} is what I want.`;
    if (as === 'text') return pushed({ role: 'user', content: said }, 'human');
    const odd = as === 'odd' ? [{ type: 'text', text: 7 }, { words: 'no type' }] : [];
    const content = [
      ...(as === 'image' ? [{ ...toImage(PNG), ...vendor(api !== 'chat') }] : []),
      ...(as === 'broken' ? [toImage(CUT)] : []),
      { ...text(said), ...vendor(as === 'parts') },
      ...odd,
    ];
    return pushed({ role: 'user', content }, 'human');
  }

  function inputOf(kind: string): unknown {
    if (kind === 'object') return { path: mark() };
    if (kind === 'cut') return `{"path": "${mark()}`;
    if (kind === 'list') return [mark()];
    if (kind === 'words') return mark();
    return kind === 'null' ? null : '';
  }

  function callOf(id: string, input: unknown, fields: boolean): Json {
    if (api === 'messages') return { type: 'tool_use', id, name: 'read', input, ...vendor(fields) };
    if (api === 'ai') return { type: 'tool-call', toolCallId: id, toolName: 'read', input, ...vendor(fields) };
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    return { id, type: 'function', function: { name: 'read', arguments: text }, ...vendor(fields) };
  }

  function resultOf(id: string, kind: string): Json {
    const inParts = kind !== 'now';
    const said = `${mark()} ${LONG}`;
    const picture = kind === 'picture' && api !== 'ai' ? [toImage(PNG), toImage(CUT)] : [];
    if (api === 'chat') return { role: 'tool', tool_call_id: id, content: inParts ? [text(said), ...picture] : said };
    if (api === 'messages')
      return { type: 'tool_result', tool_use_id: id, content: inParts ? [text(said), 'more', ...picture] : said };
    const output = inParts ? { type: 'content', value: [text(said)] } : { type: 'text', value: said };
    return { type: 'tool-result', toolCallId: id, toolName: 'read', output };
  }

  function serverCall(id: string): Json {
    return api === 'messages'
      ? { type: 'server_tool_use', id, name: 'web_search', input: { query: mark() } }
      : { type: 'tool-call', toolCallId: id, toolName: 'web_search', input: { query: mark() }, providerExecuted: true };
  }

  function serverResult(id: string): Json {
    return api === 'messages'
      ? { type: 'web_search_tool_result', tool_use_id: id, content: [{ type: 'web_search_result', title: mark() }] }
      : { type: 'tool-result', toolCallId: id, toolName: 'web_search', output: { type: 'text', value: mark() } };
  }

  /** Results as messages: all in one, or each in its own. */
  function resultMessages(results: readonly Json[], apart: boolean): Json[] {
    if (api === 'chat') return [...results];
    const role = api === 'messages' ? 'user' : 'tool';
    if (results.length === 0) return [];
    return apart ? results.map((one) => ({ role, content: [one] })) : [{ role, content: [...results] }];
  }

  function thought(kind: string): Json[] {
    if (kind === 'no' || api === 'chat') return [];
    if (api === 'ai')
      return [
        {
          ...{ type: 'reasoning', text: 'hm' },
          ...(kind === 'signed' ? { providerOptions: { anthropic: { signature: 'sig' } } } : {}),
        },
      ];
    if (kind === 'signed') return [{ type: 'thinking', thinking: 'hm', signature: 'sig' }];
    return [{ type: 'thinking', thinking: 'hm', ...(kind === 'vendor' ? { x_signature: mark() } : {}) }];
  }

  function answer(given: Extract<ForeignMove, { kind: 'answer' }>): Pushed[] {
    const { says, calls, thinks, fields, server, besides, apart } = given;
    const results = pending.map(serverResult);
    pending = [];
    const id = `srvtoolu_${count}`;
    const serves = api !== 'chat' && server !== 'no';
    if (serves && server === 'next') pending = [id];
    const ids = calls.map((one, place) =>
      one.id === 'same'
        ? 'call_0'
        : one.id === 'odd'
          ? `functions.read:${place}`
          : one.id === 'empty'
            ? ''
            : `c${(count += 1)}`,
    );
    const made = calls.map((one, place) => callOf(ids[place] ?? '', inputOf(one.input), fields));
    const served = serves ? [serverCall(id), ...(server === 'same' ? [serverResult(id)] : [])] : [];
    const said = says || (calls.length === 0 && served.length === 0) ? [text(`${mark()} I see.`)] : [];
    const paused = serves && server === 'next' && calls.length === 0;
    const content = [...thought(thinks), ...results, ...said, ...served, ...(api === 'chat' ? [] : made)];
    const envelope = paused && api === 'messages' ? { model: 'm', stop_reason: 'pause_turn' } : {};
    const message: Json =
      api === 'chat'
        ? {
            ...{ role: 'assistant', content: said[0]?.['text'] ?? null, ...(made.length > 0 && { tool_calls: made }) },
            ...(fields && { x_reasoning: mark(), x_details: [{ text: mark() }] }),
          }
        : { role: 'assistant', content, ...envelope };
    const first = pushed(message);
    const now: Json[] = [];
    for (const [place, { result }] of calls.entries()) {
      if (result === 'none') continue;
      const one = resultOf(ids[place] ?? '', result === 'parts' || result === 'picture' ? result : 'now');
      if (result === 'late') late.push(one);
      else now.push(one, ...(result === 'twice' ? [one] : []));
    }
    const messages = resultMessages(now, apart);
    const last = messages.at(-1)?.['content'];
    if (besides && api === 'messages' && Array.isArray(last)) last.push(text(`${mark()} is what I say beside.`));
    const all = marks;
    marks = [];
    return [first, ...messages.map((one) => ({ message: one, marks: marksIn(one, all), of: 'other' as const }))];
  }

  return {
    write(given: ForeignMove): Pushed[] {
      if (given.kind === 'answer') return answer(given);
      if (given.kind === 'stray')
        return resultMessages([resultOf('never_called', 'now')], false).map((one) => pushed(one));
      if (given.kind !== 'words') return [];
      const after = resultMessages(late, true);
      late = [];
      pending = [];
      return [words(given.as), ...after.map((one) => ({ message: one, marks: marksIn(one), of: 'other' as const }))];
    },
  };
}

function marksIn(message: Json, among?: readonly string[]): string[] {
  const found = [...JSON.stringify(message).matchAll(/q\d+z/g)].map(([mark]) => mark);
  return among === undefined ? found : found.filter((mark) => among.includes(mark));
}
