/** Conversations as no well-behaved agent has them: calls that were cancelled, names nobody gave, images, layers and headers that change. */
import * as fc from 'fast-check';
import { itemEntry, layerEntry, view } from '../../src/context/index.ts';
import type { Core } from '../../src/context/index.ts';
import type { ItemKind } from '../../src/transcript/entry.ts';
import type { Block, ImageBlock } from '../../src/transcript/message.ts';
import { createUserMessage } from '../../src/transcript/message.ts';
import { createLog, usageOf } from './transcripts.ts';
import type { Log } from './transcripts.ts';

const PICTURE: ImageBlock = {
  type: 'image',
  source: { type: 'stored', media_type: 'image/png', sha256: 'a'.repeat(64), bytes: 40_000 },
};
const NUMBERS = { policy: 'p', window: 40_000, trigger: 20_000, target: 10_000, hard: 36_000 };

const text = fc.tuple(
  fc.constantFrom(
    '',
    ' ',
    '\n',
    'words ',
    '中文',
    '🙂',
    '\uDC00',
    '</compact_summary>',
    '<system_message>',
    '{{facts}}',
    '$&',
  ),
  fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 40 }) },
    { weight: 1, arbitrary: fc.integer({ min: 500, max: 3000 }) },
  ),
);
const said = text.map(([word, times]) => word.repeat(times));

/** A result, or what became of a call that has none: cancelled, answered twice, answered for another. */
const outcome = fc.oneof(
  { weight: 6, arbitrary: said.map((content) => ({ type: 'text' as const, content })) },
  { weight: 1, arbitrary: fc.constant({ type: 'image' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'bare' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'cancelled' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'twice' as const }) },
);
const call = fc.record({
  name: fc.constantFrom('read', 'write', 'edit', 'todo_write', 'multi.tool', '', 'a tool', 'x'.repeat(90), 'skill'),
  input: fc.record({
    file_path: said,
    todos: fc.constantFrom(undefined, 'no list', [1, null], [{ text: 'a', status: 'b' }]),
  }),
  outcome,
  error: fc.boolean(),
});
const wildMove = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('step' as const),
      calls: fc.array(call, { minLength: 1, maxLength: 4 }),
      thinks: fc.boolean(),
      says: said,
      after: said,
      billed: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('asks' as const),
      text: said,
      pictures: fc.integer({ min: 0, max: 3 }),
      header: fc.constantFrom(undefined, 'a', 'b'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('system' as const), text: said }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('layer' as const), text: said }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('item' as const),
      item: fc.constantFrom<ItemKind>('memory', 'injection', 'recap', 'ephemeral'),
      text: said,
      once: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('ends' as const), text: said, thinks: fc.boolean() }) },
);
export type WildMove = typeof wildMove extends fc.Arbitrary<infer Move> ? Move : never;

export const wildMoves = fc.array(wildMove, { maxLength: 30 });

export function wildLog(): Log {
  const log = createLog();
  log.user('<scenario_brief round="1" design_dir="design/r1">the first task</scenario_brief>');
  return log;
}

let calls = 0;

export function playWild(log: Log, move: WildMove, core: Core): void {
  switch (move.type) {
    case 'step':
      return playStep(log, move);
    case 'asks': {
      const content: Block[] = [
        { type: 'text', text: move.text },
        ...Array.from({ length: move.pictures }, () => PICTURE),
      ];
      const context = move.header === undefined ? {} : { context: { ...NUMBERS, header: move.header } };
      return void log.append({ type: 'message', origin: 'human', message: { role: 'user', content }, ...context });
    }
    case 'system': {
      const content: Block[] = [{ type: 'text', text: move.text }];
      return void log.append({ type: 'message', origin: 'harness', message: { role: 'system', content } });
    }
    case 'layer': {
      const law = { file: 'CODE_LAW.md', text: move.text };
      const draft = layerEntry(
        log.entries,
        { ...core, prompts: { law: '{{file}} {{text}}', ...core.prompts } },
        { law },
      );
      return draft === undefined ? undefined : void log.append(draft);
    }
    case 'item':
      return void log.append({ ...itemEntry(move.item, move.text), ...(move.once ? { lasts: 'call' as const } : {}) });
    case 'ends':
      return void log.says(move.text, move.thinks ? { think: 'so' } : {});
    default:
      return move satisfies never;
  }
}

function playStep(log: Log, { calls: made, thinks, says, after, billed }: Extract<WildMove, { type: 'step' }>): void {
  const uses = made.map(({ name, input }) => ({
    type: 'tool_use' as const,
    id: `toolu_w${(calls += 1)}`,
    name,
    input,
  }));
  const thought: Block[] = thinks
    ? [
        { type: 'thinking', thinking: '', signature: 's' },
        { type: 'redacted_thinking', data: 'd' },
        { type: 'thinking', thinking: 'cut', signature: '' },
      ]
    : [];
  const response =
    billed === undefined
      ? {}
      : {
          response: {
            ...{ model: 'm', stopReason: 'tool_use' as const, usage: usageOf(billed) },
            view: view(log.entries).epoch,
          },
        };
  const content: Block[] = [...thought, { type: 'text', text: says }, ...uses];
  log.append({ type: 'message', origin: 'model', message: { role: 'assistant', content }, ...response });
  const results = made.flatMap(({ outcome: came, error }, place) => resultsFor(uses[place]?.id ?? '', came, error));
  const rest: Block[] = after === '' ? [] : [{ type: 'text', text: after }];
  if (results.length + rest.length > 0)
    log.append({ type: 'message', origin: 'tools', message: { role: 'user', content: [...results, ...rest] } });
  if (made.some(({ outcome: came }) => came.type === 'cancelled'))
    log.append({ type: 'message', origin: 'reminder', message: createUserMessage('stopped') });
}

function resultsFor(tool_use_id: string, came: { type: string; content?: string }, error: boolean): Block[] {
  const base = { type: 'tool_result' as const, tool_use_id, is_error: error };
  switch (came.type) {
    case 'cancelled':
      return [];
    case 'bare':
      return [{ type: 'tool_result', tool_use_id }];
    case 'image':
      return [{ ...base, content: [{ type: 'text', text: 'seen' }, PICTURE] }];
    case 'twice':
      return [
        { ...base, content: 'one' },
        { ...base, content: 'two' },
      ];
    default:
      return [{ ...base, content: came.content ?? '' }];
  }
}
