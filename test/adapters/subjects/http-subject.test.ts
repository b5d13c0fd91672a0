import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { httpSubject } from '../../../src/adapters/subjects/post-turn.ts';
import { subjectContract } from '../../contracts/subject.contract.ts';

const { signal } = new AbortController();
const hello = { type: 'user' as const, text: 'Hello' };
type Asked = {
  headers: IncomingMessage['headers'];
  body: { conversation: unknown[]; prompt: string; version: number };
};

async function serve(answer: (asked: Asked, response: ServerResponse, count: number) => unknown) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const one = { headers: request.headers, body: JSON.parse(text) as Asked['body'] };
      asked.push(one);
      const value = answer(one, response, asked.length);
      if (value !== undefined) response.end(typeof value === 'string' ? value : JSON.stringify(value));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/turn`;
  return { url, asked };
}
const open = (url: string, headers = {}) => httpSubject({ url, headers }).open({ prompt: 'You switch.', tools: [] });

subjectContract('an endpoint', async (start, answers) => {
  const { url } = await serve((_one, _response, count) => answers[count - 1]);
  return httpSubject({ url, headers: {} }).open(start);
});

describe('a subject behind an endpoint', () => {
  test('that speaks Chat Completions is told apart: no fault of it, and the kind to use instead', async () => {
    const { url } = await serve(() => ({ id: 'x', choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] }));
    const { end } = await (await open(url)).next(hello, 5000, signal);
    expect(end).toMatchObject({ stop: 'infrastructure', detail: expect.stringContaining('kind: openai') });
  });

  test('is sent the whole conversation each time, with headers from the environment', async () => {
    process.env['SUBJECT_AUTH'] = 'Bearer x';
    const { url, asked } = await serve((_one, _response, count) =>
      count === 1 ? { calls: [{ id: 'a', tool: 'switch', args: {} }] } : { say: 'Done.' },
    );
    const talk = await open(url, { Authorization: 'SUBJECT_AUTH' });
    expect(await talk.next(hello, 5000, signal)).toMatchObject({ says: '', calls: [{ id: 'a', tool: 'switch' }] });
    const results = [{ id: 'a', tool: 'switch', output: 1, is_error: false }];
    expect(await talk.next({ type: 'results', results }, 5000, signal)).toMatchObject({ says: 'Done.' });
    expect(asked[0]).toMatchObject({
      headers: { authorization: 'Bearer x' },
      body: { version: 1, prompt: 'You switch.' },
    });
    expect(asked[1]?.body.conversation).toEqual([
      hello,
      { type: 'subject', say: '', calls: [{ id: 'a', tool: 'switch', args: {} }] },
      { type: 'results', results },
    ]);
    delete process.env['SUBJECT_AUTH'];
  });

  test('a header whose variable is not set is refused before anything is sent', () => {
    expect(() => httpSubject({ url: 'http://127.0.0.1:1', headers: { authorization: 'NOT_SET' } })).toThrow('NOT_SET');
  });

  test('an overloaded endpoint is asked again; one that stays so, or refuses, says nothing about the subject', async () => {
    const once = await serve((_one, response, count) => {
      if (count === 1) response.statusCode = 503;
      return { say: 'Here.' };
    });
    expect(await (await open(once.url)).next(hello, 5000, signal)).toMatchObject({ says: 'Here.' });
    const never = await serve((_one, response) => {
      response.statusCode = 401;
      return 'who are you?';
    });
    const refused = await (await open(never.url)).next(hello, 5000, signal);
    expect(refused.end).toMatchObject({ stop: 'infrastructure', detail: expect.stringContaining('401: who are you?') });
    expect(never.asked).toHaveLength(1);
    const gone = await (await open('http://127.0.0.1:9')).next(hello, 5000, signal);
    expect(gone.end).toMatchObject({ stop: 'infrastructure', detail: expect.stringContaining('cannot be reached') });
  });

  test('nonsense, a flood and a way elsewhere are failures; silence ends at its time', async () => {
    const nonsense = await serve(() => '<html>');
    expect((await (await open(nonsense.url)).next(hello, 5000, signal)).end).toMatchObject({ stop: 'crashed' });
    const flood = await serve(() => 'x'.repeat(5_000_000));
    expect((await (await open(flood.url)).next(hello, 5000, signal)).end?.detail).toContain('longer than');
    const elsewhere = await serve((_one, response) => {
      response.writeHead(302, { location: nonsense.url });
      return '';
    });
    expect((await (await open(elsewhere.url)).next(hello, 5000, signal)).end).toMatchObject({ stop: 'infrastructure' });
    const silent = await serve(() => undefined);
    expect((await (await open(silent.url)).next(hello, 100, signal)).end).toMatchObject({ stop: 'seconds' });
  });

  test('an abort rejects with its reason', async () => {
    const silent = await serve(() => undefined);
    const controller = new AbortController();
    const waiting = (await open(silent.url)).next(hello, 5000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
