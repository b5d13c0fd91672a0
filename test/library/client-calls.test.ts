/** A field of a vendor that the endpoint refuses is left out and the request sent once more, also for a summary; other errors are the caller's. */
import { expect, test } from 'vitest';
import { betaMessagesApi, chatCompletions, openContext, type ChatRequest } from '../../src/library/context.ts';

const refusal = (name: string, status = 422) =>
  Object.assign(new Error(`${status} status code (no body)`), {
    status,
    error: { detail: [{ type: 'extra_forbidden', loc: ['body', 'messages', 1, 'assistant', name] }] },
  });
const answer = (content: string) => ({
  model: 'm',
  choices: [{ finish_reason: 'stop', message: { role: 'assistant' as const, content } }],
});
const SUMMARY = '<compact_summary>{"state":"All is said."}</compact_summary>';
const FIELDS = { state: { type: 'string', about: 'the state', optional: false } } as const;

/** Refuses every request in which a message still has the field. */
function strictClient(field: string) {
  const sent: string[] = [];
  const call = async (request: ChatRequest) => {
    const body = JSON.stringify(request.messages);
    sent.push(body);
    if (body.includes(`"${field}"`)) throw refusal(field);
    return answer(body.includes('<compaction_request>') ? SUMMARY : 'Good.') as never;
  };
  return { sent, call };
}

async function open(said: string[]) {
  const context = await openContext({
    ...{ model: { id: 'm', window: 40_000, maxOutput: 4000 }, maxTokens: 4000, trigger: { tokens: 12_000 } },
    ...{ shape: chatCompletions([]), fields: FIELDS, keepSteps: 1 },
    onProgress: (event) => void (event.type === 'state' && said.push(event.detail ?? '')),
  });
  context.push({ role: 'user', content: 'Hello.' });
  context.push({ role: 'assistant', content: 'I think.', reasoning_content: 'hm', x_other: 1 } as never);
  context.push({ role: 'user', content: 'And?' });
  return context;
}

test('it is sent once more without the field, a line says so, and later requests leave it out at once', async () => {
  const said: string[] = [];
  const context = await open(said);
  const { sent, call } = strictClient('reasoning_content');
  context.push(await context.send(call));
  expect(sent.map((body) => [body.includes('reasoning_content'), body.includes('x_other')])).toEqual([
    [true, true],
    [false, true],
  ]);
  expect(said).toEqual([expect.stringContaining('refuses the field reasoning_content: it is left out from now on')]);
  context.push({ role: 'user', content: 'Go on.' });
  await context.send(call);
  expect(sent).toHaveLength(3);
  // What was said stays whole.
  expect(context.save()).toContain('reasoning_content');
});

test('the call for a summary is sent once more as well, and its summary counts', async () => {
  const said: string[] = [];
  const context = await open(said);
  const { sent, call } = strictClient('reasoning_content');
  for (let n = 0; n < 8; n += 1) {
    context.push({ role: 'assistant', content: `${n} ${'word '.repeat(1200)}` });
    context.push({ role: 'user', content: `Go on ${n}.` });
  }
  expect(JSON.stringify(await context.request(call))).toContain('All is said.');
  expect(sent.map((body) => body.includes('<compaction_request>'))).toEqual([true, true]);
  expect(said[0]).toContain('reasoning_content');
  expect(context.receipts).toMatchObject([{ outcome: 'compacted' }]);
});

test('an error that names no field of the messages, or of another status, is thrown as it came', async () => {
  const context = await open([]);
  for (const error of [refusal('role'), refusal('not_there'), refusal('reasoning_content', 500), new Error('lost')]) {
    let calls = 0;
    const failing = () => {
      calls += 1;
      return Promise.reject(error);
    };
    await expect(context.send(failing)).rejects.toBe(error);
    expect(calls).toBe(1);
  }
});

test('a field in a block of the Messages API too', async () => {
  const context = await openContext({ model: 'claude-sonnet-5-5', shape: betaMessagesApi([]) });
  context.push({ role: 'user', content: 'Hello.' });
  context.push({ role: 'assistant', content: [{ type: 'text', text: 'I.', x_gateway: 1 } as never] });
  context.push({ role: 'user', content: 'And?' });
  const bodies: string[] = [];
  await context.send(async (request) => {
    bodies.push(JSON.stringify(request.messages));
    if (bodies.length === 1)
      throw Object.assign(new Error('messages.1.content.0.text.x_gateway: Extra inputs are not permitted'), {
        status: 400,
      });
    return {} as never;
  });
  expect(bodies.map((body) => body.includes('x_gateway'))).toEqual([true, false]);
});
