import { expect, test } from 'vitest';
import { z } from 'zod';
import { askForInput } from '../../../src/evaluation/trial/ask-for-input.ts';
import { HarnessError } from '../../../src/errors.ts';
import { call, facts, say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';

const schema = z.strictObject({ colour: z.enum(['red', 'green']).describe('Of the lamp.') });
const tool = { name: 'name_colour', description: 'Names a colour.', schema };

async function ask(...answers: Parameters<typeof scriptedModel>[0]) {
  const model = scriptedModel(answers);
  const settings = { name: 'small', price: facts().price, prompt: 'Look.', maxTokens: 10, model };
  const question = { tool, texts: ['one', 'two'], leftMs: 1000 };
  return { asked: await askForInput(settings, question, new AbortController().signal), model };
}

test('the schema is shown to the model, and reads what it answers', async () => {
  const { asked, model } = await ask(call('name_colour', { colour: 'red' }));
  expect(asked).toMatchObject({ type: 'answered', input: { colour: 'red' } });
  expect(model.requests[0]?.tools).toMatchObject([
    {
      name: 'name_colour',
      input_schema: {
        type: 'object',
        properties: { colour: { type: 'string', enum: ['red', 'green'], description: 'Of the lamp.' } },
        required: ['colour'],
        additionalProperties: false,
      },
    },
  ]);
  expect(model.requests[0]?.messages).toHaveLength(2);
});

test('an answer that does not fit is none, and an outage is told', async () => {
  expect((await ask(call('name_colour', { colour: 'blue' }))).asked).toMatchObject({ input: undefined });
  expect((await ask(say('Red.'))).asked).toMatchObject({ input: undefined });
  expect((await ask(new HarnessError('model_unavailable', 'overloaded'))).asked).toMatchObject({ type: 'stopped' });
});
