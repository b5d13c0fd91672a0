import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { controlTool, controlToolHost } from '../../../src/agent/tools/control-tool.ts';
import { ReturnToInit, SubmitDesign, SubmitIteration, TodoWrite } from '../../../src/agent/tools/schemas.ts';
import { ToolDefinition } from '../../../src/transcript/message.ts';

const live = new AbortController().signal;
const add = controlTool(
  { name: 'add', description: 'adds', schema: z.strictObject({ a: z.number() }) },
  async ({ a }) => ({ ok: true, sum: a + 1 }),
);

test('a handler sees parsed input only, and answers in JSON', async () => {
  const host = controlToolHost([add]);
  expect(await host.call('add', { a: 1 }, live)).toEqual({ content: '{"ok":true,"sum":2}', is_error: false });
  const wrong = await host.call('add', { a: 'x', b: 1 }, live);
  expect(wrong.is_error).toBe(true);
  expect(wrong.content).toMatch(/^add: .*expected number/s);
});

test('a value of the wrong kind is named as that and as nothing else', async () => {
  const host = controlToolHost([
    controlTool({ name: 'todo_write', description: 'd', schema: TodoWrite }, async () => ({})),
  ]);
  const text = JSON.stringify([{ id: '1', text: 'read', status: 'pending' }]);
  expect(await host.call('todo_write', { todos: text }, live)).toEqual({
    content: 'todo_write: the input does not fit: todos: Invalid input: expected array, received string.',
    is_error: true,
  });
});

describe('the definitions that the model sees', () => {
  test.each([
    ['todo_write', TodoWrite],
    ['submit_design', SubmitDesign],
    ['submit_iteration', SubmitIteration],
    ['return_to_init', ReturnToInit],
  ])('%s has a valid name and an object schema without $schema', (name, schema) => {
    const [definition] = controlToolHost([
      controlTool({ name, description: 'd', schema }, async () => ({})),
    ]).definitions;
    expect(ToolDefinition.parse(definition)).toEqual(definition);
    expect(definition?.input_schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(definition?.input_schema).not.toHaveProperty('$schema');
  });

  test('a returned problem must cite rules and samples', () => {
    const problem = { title: 't', rules: [], samples: ['s'], claim: 'c' };
    expect(ReturnToInit.safeParse({ summary: 's', problems: [problem] }).success).toBe(false);
    expect(ReturnToInit.safeParse({ summary: 's', problems: [{ ...problem, rules: ['R1'] }] }).success).toBe(true);
  });
});
