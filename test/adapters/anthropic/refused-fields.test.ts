/** A request whose refusal names a field of another endpoint is sent once more without it, and the progress says so. */
import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/ports/model.ts';
import { contractRequest, contractResponse } from '../../contracts/model.contract.ts';
import { modelOn } from '../../support/model-on-server.ts';
import { answers, refuses } from '../../support/scripted-server.ts';

const signal = new AbortController().signal;
const good = answers(contractResponse);
const said = (...names: string[]) =>
  refuses(
    400,
    'invalid_request_error',
    names.map((name) => `messages.1.content.0.${name}: Extra inputs are not permitted`).join(' '),
  );
const fields = (name: string) => ({ [name]: 'of another endpoint' });
const request: ModelRequest = {
  ...contractRequest,
  messages: [
    ...contractRequest.messages,
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I see.', ...fields('x_text') },
        { type: 'unknown', wire: { type: 'thinking', thinking: 'hm', ...fields('x_signature') } },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'And?' }] },
  ],
};

test('one refusal, one request more without the fields, and none in later requests', async () => {
  const { model, received, notices } = await modelOn([said('x_text', 'thinking.x_signature'), good, good]);
  await model.call(request, signal);
  await model.call(request, signal);
  expect(received.map(({ text }) => [text.includes('x_text'), text.includes('x_signature')])).toEqual([
    [true, true],
    [false, false],
    [false, false],
  ]);
  expect(received[1]?.text).toContain('"thinking":"hm"');
  expect(notices.map(({ reason }) => reason)).toEqual([
    'the endpoint refuses the field x_text, x_signature: it is left out from now on, and the request is sent once more',
  ]);
});

test('a refusal that names none is final', async () => {
  const { model, received } = await modelOn([said('text', 'x_not_there')]);
  await expect(model.call(request, signal)).rejects.toMatchObject({ code: 'model_refused' });
  expect(received).toHaveLength(1);
});
