/** People's sessions on the page: what `tandem session` wrote is listed and read, and nothing of it runs. */
import { expect, test } from 'vitest';
import { sessionCommand } from '../../src/cli/session/session.ts';
import { fakeIo } from '../cli/fake-io.ts';
import { signedIn } from './client.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();
const signal = new AbortController().signal;

async function say(print: string): Promise<string> {
  const io = fakeIo(desk.root);
  expect(await sessionCommand('session', { print, json: true }, { io, signal })).toBe(0);
  return String(io.json()['session']);
}

test('a session is listed with its first words, cost and state, and reads like the conversation that it was', async () => {
  const client = await signedIn(desk.review());
  expect((await client.get('/sessions')).text).toContain('No sessions yet');
  const id = await say('look around <script>alert(1)</script>');
  const list = (await client.get('/sessions')).text;
  expect(list).toContain('look around &lt;script&gt;alert(1)');
  expect(list).toMatch(/1 session<[\s\S]*session with [\s\S]*1 message · \$0\.\d+[\s\S]*waits for the next message/);
  expect(list).toContain(`href="/sessions/${id}"`);
  const { text, headers } = await client.get(`/sessions/${id}`);
  expect(text).not.toContain('<script>alert');
  expect(text).toContain(`tandem session --resume ${id}`);
  expect(text.indexOf('look around')).toBeLessThan(text.indexOf('glob {'));
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  // Nothing on the page can speak in the name of the person.
  expect(
    text.match(/<form [^>]*>/g)?.filter((form) => !form.includes('/sign-out') && !form.includes('dialog')),
  ).toEqual([]);
});

test('no other folder is a session, and a reader of some scenarios sees only their own', async () => {
  const id = await say('hello');
  const reviewers = { reviewers: [{ name: 'bob', role: 'reviewer', scenarios: ['refund-desk'] }] };
  const limited = await signedIn(
    desk.review({ reviewers, local: { name: 'bob', token: 'a-token-of-thirty-two-characters' } }),
  );
  expect((await limited.get('/sessions')).text).toContain('No sessions yet');
  expect((await limited.get(`/sessions/${id}`)).status).toBe(404);
  const client = await signedIn(desk.review());
  for (const wrong of ['nosuch', '..%2Fscenarios']) expect((await client.get(`/sessions/${wrong}`)).status).toBe(404);
});
