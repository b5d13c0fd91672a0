/** Each foreign block becomes one that the wire takes, or is named as left out. */
import { describe, expect, test } from 'vitest';
import { toCallBlocks, readContent, readUsage, toResultBlock } from '../../../src/interop/transcripts/blocks.ts';

const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } };
const text = (said: string) => ({ type: 'text', text: said });
const nested = (depth: number): Record<string, unknown> => (depth === 1 ? {} : { a: nested(depth - 1) });

describe('blocks', () => {
  test.each([
    ['a text', text('a'), [text('a')]],
    ['a bare string in the list', 'a', [text('a')]],
    ['OpenAI input', { type: 'input_text', text: 'a' }, [text('a')]],
    ['OpenAI output', { type: 'output_text', text: 'a' }, [text('a')]],
    ['a refusal', { type: 'refusal', refusal: 'no' }, [text('no')]],
    ['blank text', text(' \n'), []],
    ['signed thinking', { type: 'thinking', thinking: 't', signature: 's' }],
    ['sealed thinking', { type: 'redacted_thinking', data: 'd' }],
    ['a call', { type: 'tool_use', id: 'i', name: 'n', input: { a: 1 } }],
    [
      'a call without input',
      { type: 'tool_use', id: 'i', name: 'n' },
      [{ type: 'tool_use', id: 'i', name: 'n', input: {} }],
    ],
    ['an image of the Messages API', png],
    ['an image of OpenAI', { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }, [png]],
    ['an image by its bare address', { type: 'image_url', image_url: 'data:image/png;base64,QUJD' }, [png]],
    [
      'an image elsewhere is told, not fetched',
      { type: 'image_url', image_url: { url: 'https://x/y.png' } },
      [text('(image: https://x/y.png)')],
    ],
    ['an image that nobody recorded', { type: 'image' }, [text('(image: not recorded)')]],
    [
      'an image without data',
      { type: 'image', source: { media_type: 'image/png', data: '' } },
      [text('(image: not recorded)')],
    ],
    [
      'an image of a type that the API refuses',
      { type: 'image', source: { media_type: 'image/tiff', data: 'QUJD' } },
      [text('(image of type image/tiff)')],
    ],
  ])('%s', (_name, part, expected: unknown = [part]) => {
    expect(readContent([part])).toEqual({ blocks: expected, unknown: [] });
  });

  test.each([
    ['thinking without a signature', { type: 'thinking', thinking: 't' }, 'thinking'],
    ['thinking with an empty one', { type: 'thinking', thinking: 't', signature: '' }, 'thinking'],
    ['thinking that is no text', { type: 'thinking', thinking: 1, signature: 's' }, 'thinking'],
    ['sealed thinking without data', { type: 'redacted_thinking' }, 'redacted_thinking'],
    ['a text that is none', { type: 'text', text: 1 }, 'text'],
    ['a call without a name', { type: 'tool_use', id: 'i', input: {} }, 'tool_use'],
    ['a kind of its own', { type: 'hologram' }, 'hologram'],
    ['a number', 7, 'a block without a type'],
  ])('%s is left out and named', (_name, part, named) => {
    expect(readContent([part])).toEqual({ blocks: [], unknown: [named] });
  });

  test('content is a text, a list, or nothing at all; anything else is named', () => {
    expect(readContent('a')).toEqual({ blocks: [text('a')], unknown: [] });
    expect([null, undefined].map((content) => readContent(content).unknown)).toEqual([[], []]);
    expect(readContent(7).unknown).toEqual(['content']);
    expect(readContent([text('a'), 7, text('b')])).toEqual({
      blocks: [text('a'), text('b')],
      unknown: ['a block without a type'],
    });
  });
});

describe('calls and results', () => {
  test('names keep what the API takes, 64 signs of it', () => {
    const named = (name: string) => toCallBlocks('i', name, {})?.[0];
    expect(named('files.read-all_2')).toMatchObject({ name: 'files_read-all_2' });
    expect(named('n'.repeat(70))).toMatchObject({ name: 'n'.repeat(64) });
    expect(named('')).toMatchObject({ name: 'unnamed' });
  });

  test('input of 64 levels is taken, one of 65 is not', () => {
    expect(toCallBlocks('i', 'n', nested(65))).toBeDefined();
    expect(toCallBlocks('i', 'n', nested(66))).toBeUndefined();
    expect(toCallBlocks('i', 'n', [1])).toEqual([
      { type: 'tool_use', id: 'i', name: 'n', input: {}, malformed: '[1]' },
    ]);
  });

  test('a result holds text and images only; what failed says so', () => {
    expect(toResultBlock('i', [text('a'), png, { type: 'tool_use', id: 'x', name: 'n' }], true)).toEqual({
      type: 'tool_result',
      tool_use_id: 'i',
      content: [text('a'), png],
      is_error: true,
    });
    expect(toResultBlock('i', '', false)).toEqual({ type: 'tool_result', tool_use_id: 'i' });
    const inside = { type: 'tool_result', tool_use_id: 'i', content: 'a', is_error: 'yes' };
    expect(readContent([inside]).blocks).toEqual([{ type: 'tool_result', tool_use_id: 'i', content: [text('a')] }]);
    expect(readContent([{ ...inside, is_error: true }]).blocks[0]).toMatchObject({ is_error: true });
  });
});

describe('usage', () => {
  test.each([
    [
      'the Messages API',
      { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
      [1, 2, 3, 4],
    ],
    ['OpenAI', { prompt_tokens: 1, completion_tokens: 2 }, [1, 2, 0, 0]],
    ['counts that are none', { input_tokens: 'many', output_tokens: -1, prompt_tokens: 5 }, [5, 0, 0, 0]],
  ])('%s', (_name, raw, [input, output, read, written]) => {
    expect(readUsage(raw)).toEqual({
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
    });
  });

  test('what counts nothing is no usage', () => {
    expect([{}, { input_tokens: 0 }, 7, null].map(readUsage)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
