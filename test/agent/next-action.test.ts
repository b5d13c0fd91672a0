import { describe, expect, test } from 'vitest';
import { chooseNextAction } from '../../src/agent/next-action.ts';
import type { ModelRequest, ModelResponse } from '../../src/ports/model.ts';
import type { Block, StopReason } from '../../src/transcript/message.ts';

const call: Block = { type: 'tool_use', id: 't1', name: 'read', input: {} };
const say = (text: string): Block => ({ type: 'text', text });
const thinking: Block = { type: 'thinking', thinking: '', signature: 's' };

const REQUEST: ModelRequest = { model: 'x', system: [], tools: [], messages: [], max_tokens: 1 };

function response(stopReason: StopReason, content: Block[]): ModelResponse {
  return {
    id: 'm',
    model: 'x',
    content,
    stopReason,
    usage: { input_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
  };
}

describe('every stop reason has one treatment', () => {
  test('tool_use runs the calls and keeps thinking before them', () => {
    const meaning = chooseNextAction(response('tool_use', [thinking, call]), REQUEST);
    expect(meaning).toEqual({
      next: 'run_tools',
      message: { role: 'assistant', content: [thinking, call] },
      calls: [call],
    });
  });

  test('end_turn with text ends the turn', () => {
    expect(chooseNextAction(response('end_turn', [thinking, say('done')]), REQUEST)).toMatchObject({
      next: 'end',
      text: 'done',
    });
  });

  test('end_turn without content is never sent back as an empty assistant message (docs/internals/api-rules.md §2.8)', () => {
    expect(chooseNextAction(response('end_turn', []), REQUEST)).toEqual({
      next: 'go_on',
      message: undefined,
      because: 'empty',
    });
    expect(chooseNextAction(response('end_turn', [thinking, say(' \n')]), REQUEST)).toMatchObject({
      next: 'go_on',
      because: 'empty',
    });
  });

  test('a call in an answer cut by max_tokens is not run, its text is kept', () => {
    const meaning = chooseNextAction(response('max_tokens', [say('I write'), call]), REQUEST);
    expect(meaning).toEqual({
      next: 'go_on',
      message: { role: 'assistant', content: [say('I write')] },
      because: 'cut',
    });
    expect(chooseNextAction(response('max_tokens', [thinking, call]), REQUEST)).toEqual({
      next: 'go_on',
      message: undefined,
      because: 'cut',
    });
  });

  test('a full window asks for a compaction, a refusal gives up', () => {
    expect(chooseNextAction(response('model_context_window_exceeded', [say('half')]), REQUEST)).toMatchObject({
      next: 'compact',
    });
    expect(chooseNextAction(response('refusal', [say('no')]), REQUEST)).toMatchObject({ next: 'fall_back' });
  });

  test('a paused turn goes on with its answer as it is; a pause without an answer is an empty one', () => {
    const search = { type: 'unknown' as const, wire: { type: 'server_tool_use', id: 'srv_1', name: 'web_search' } };
    expect(chooseNextAction(response('pause_turn', [search]), REQUEST)).toEqual({
      ...{ next: 'go_on', because: 'paused' },
      message: { role: 'assistant', content: [search] },
    });
    expect(chooseNextAction(response('pause_turn', []), REQUEST)).toMatchObject({ because: 'empty' });
  });

  test('tool_use as a reason without a call is an empty answer', () => {
    expect(chooseNextAction(response('tool_use', [say('hm')]), REQUEST)).toEqual({
      ...{ next: 'go_on', because: 'empty' },
      message: { role: 'assistant', content: [say('hm')] },
    });
    expect(chooseNextAction(response('tool_use', []), REQUEST)).toEqual({
      next: 'go_on',
      because: 'empty',
      message: undefined,
    });
  });
});
