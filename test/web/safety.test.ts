/** Whoever is not let in reads nothing, and nothing that is read or posted can decide in another's name. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/disk/sha256.ts';
import type { Review } from '../../src/web/create-review.ts';
import { bearer, signedIn, stranger } from './client.ts';
import { HOST, TOKEN, type Desk } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();

const GATE = '/runs/run-1/gates/HITL-1.r1';
const status = async (run: Awaited<ReturnType<Desk['waiting']>>) => (await desk.state(run)).status;

describe('a stranger', () => {
  test.each([
    '/',
    GATE,
    '/runs',
    '/runs/run-1',
    '/runs/run-1/live',
    '/runs/run-1/results',
    '/runs/run-1/iterations/1/samples/return-in-time',
    '/runs/run-1/iterations/1/samples/return-in-time/trials/1',
    '/runs/run-1/iterations/1/samples/return-in-time/words',
    '/runs/run-1/iterations/1/files/samples/return-in-time.json',
    '/runs/run-1/labels',
    '/runs/run-1/sources/policies/returns.md',
    '/compare?run=run-1@1&run=run-2@1',
    '/metrics',
    '/next',
    '/api/gates',
  ])('is asked to sign in at %s and reads nothing', async (path) => {
    await desk.waiting('run-1');
    const page = await stranger(desk.review()).get(path);
    expect(page.status).toBe(401);
    expect(page.text).not.toContain('Refund desk');
  });

  test('cannot decide, by form or by API', async () => {
    const run = await desk.waiting('run-1');
    const nobody = stranger(desk.review());
    const body = { digest: 'x'.repeat(12), decision: 'approve', nonce: 'n'.repeat(8) };
    expect((await nobody.send(GATE, { decision: 'approve' })).status).toBe(401);
    expect((await nobody.api('/api/gates/run-1.HITL-1.r1/decision', body, {})).status).toBe(401);
    expect(await status(run)).toBe('awaiting_approval');
  });

  test('has few tries to guess the token', async () => {
    const review = desk.review({ limits: { requests: 1e6, decisions: 1e6, signIns: 5 } });
    const client = stranger(review);
    const tries = [];
    for (let index = 0; index < 7; index += 1) tries.push((await client.get(`/sign-in?token=guess-${index}`)).status);
    expect(tries).toEqual([401, 401, 401, 401, 401, 429, 429]);
    for (const from of ['10.1.1.1', '127.0.0.1'])
      expect((await stranger(review, from).get(`/sign-in?token=${TOKEN}`)).status).toBe(200);
  });
});

test('wrong bearer tokens are tries as well, and lock nobody out who has the right one', async () => {
  const review = desk.review({ limits: { requests: 1e6, decisions: 1e6, signIns: 3 } });
  const client = stranger(review);
  const codes = [];
  for (let index = 0; index < 5; index += 1)
    codes.push((await client.get('/api/gates', bearer(`guess-${index}`))).status);
  expect(codes).toEqual([401, 401, 401, 429, 429]);
  expect((await client.get('/api/gates', bearer('another guess'))).headers.get('retry-after')).toBe('60');
  expect((await client.get('/sign-in?token=guess')).status).toBe(429);
  expect((await client.get('/api/gates', bearer())).status).toBe(200);
});

describe('signing in', () => {
  test('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const page = await stranger(desk.review()).get(`/sign-in?token=${TOKEN}`);
    const cookie = page.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).not.toContain(TOKEN);
    const secure = await stranger(desk.review({ reviewers: { base_url: 'https://review.example.org' } })).get(
      `/sign-in?token=${TOKEN}`,
    );
    expect(secure.headers.get('set-cookie')).toMatch(/^__Host-tandem-[\w-]{8}=.*Secure/);
  });

  test('in one project leaves the other alone, for a browser sends the cookies of a host to all its ports', async () => {
    const [one, other] = [desk.review(), desk.review({ secret: 'of another project' })];
    const nameOf = async (review: Review) => {
      const page = await stranger(review).get(`/sign-in?token=${TOKEN}`);
      return (page.headers.get('set-cookie') ?? '').split('=')[0];
    };
    expect(await nameOf(one)).toBe(await nameOf(desk.review()));
    expect(await nameOf(one)).not.toBe(await nameOf(other));
  });

  test.each([
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/%0d%0aX: y\r\nZ',
    ' /x',
  ])('never leads on to %j', async (to) => {
    const page = await stranger(desk.review()).get(`/sign-in?token=${TOKEN}&to=${encodeURIComponent(to)}`);
    expect(page.text).toMatch(/content="0;url=\/"/);
  });

  test('ends with sign out, which no other page can order', async () => {
    const client = await signedIn(desk.review());
    expect((await client.send('/sign-out', { form: 'x.y' }, { from: '/' })).status).toBe(403);
    expect((await client.get('/')).status).toBe(200);
    await client.send('/sign-out', {}, { from: '/' });
    expect((await client.get('/')).status).toBe(401);
  });
});

describe('a signed-in browser that another site has in its hands', () => {
  test.each([
    ['without the form token', { form: '' }, {}],
    ["with another visitor's form token", { form: 'm5p.AAAA' }, {}],
    ['from another origin', {}, { origin: 'https://evil.example' }],
    ['from an opaque origin', {}, { origin: 'null' }],
    ['cross-site by its own word', {}, { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling domain', {}, { 'sec-fetch-site': 'same-site' }],
  ])('decides nothing %s', async (_name, fields: Record<string, string>, headers: Record<string, string>) => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    const page = await client.send(GATE, { decision: 'approve', ...fields }, { headers });
    expect(page.status).toBe(409);
    expect(await status(run)).toBe('awaiting_approval');
  });

  const SAMPLE = '/runs/run-1/iterations/1/samples/return-in-time';
  const GATE_2 = '/runs/run-1/gates/HITL-1.r2';
  test.each<[path: string, fields: Record<string, string>, from?: string]>([
    [`${GATE_2}/mark`, { mark: 'R1:0123456789abcdef' }, GATE_2],
    [`${GATE_2}/comment`, { on: 'R1', text: 'x' }, `${GATE_2}/comment?on=R1`],
    [`${GATE_2}/draft`, { comment: 'x' }, GATE_2],
    [`${GATE_2}/undo`, {}, GATE_2],
    [`${GATE_2}/edit`, { decision: 'edit_approve' }, `${GATE_2}/edit`],
    [`${GATE_2}/edit/rule`, { rule: 'R1', text: 'x' }, `${GATE_2}/edit?rule=R1`],
    [`${GATE_2}/edit/draft`, {}, `${GATE_2}/edit`],
    [`${SAMPLE}/words`, { text: 'x', trial: '1' }],
    ['/runs/run-1/iterations/1/labels/truthful/return-in-time.1', { verdict: 'pass', reason: 'x' }, SAMPLE],
  ])('posts nothing to %s, whatever is forged', async (path, fields, from = path) => {
    const run = await desk.waiting('run-1', [{}, {}]);
    const client = await signedIn(desk.review());
    const before = await client.get(GATE_2);
    const forged: [Record<string, string>, Record<string, string>][] = [
      [{ form: '' }, {}],
      [{ form: 'm5p.AAAA' }, {}],
      [{}, { origin: 'https://evil.example' }],
      [{}, { 'sec-fetch-site': 'cross-site' }],
    ];
    for (const [more, headers] of forged) {
      const { status: code } = await client.send(path, { ...fields, ...more }, { from, headers });
      expect([403, 404, 409], `${path} ${JSON.stringify([more, headers])}`).toContain(code);
    }
    expect(await status(run)).toBe('awaiting_approval');
    const words = (text: string) => text.replaceAll(/(?:nonce|value|name)="[^"]*"/g, '');
    expect(words((await client.get(GATE_2)).text)).toBe(words(before.text));
  });

  test('a cookie decides nothing through the API', async () => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    const body = { digest: 'x'.repeat(12), decision: 'approve', nonce: 'n'.repeat(8) };
    expect((await client.api('/api/gates/run-1.HITL-1.r1/decision', body, {})).status).toBe(403);
    expect(await status(run)).toBe('awaiting_approval');
  });

  test.each(['evil.example', 'desk.test', 'desk.test:7421', '127.0.0.1:7420', 'desk.test:7420.evil.example', ''])(
    'the page does not answer to the host %j',
    async (host) => {
      const { app } = desk.review();
      const response = await app.request(`http://${HOST}/`, { headers: { host, ...bearer() } });
      expect(response.status).toBe(421);
    },
  );
});

describe('roles', () => {
  const listed = {
    reviewers: [
      { name: 'ada', token_sha256: sha256('adas-own-token') },
      { name: 'vic', role: 'viewer', token_sha256: sha256('vics-own-token') },
      { name: 'gil', scenarios: ['gift-desk'], reads: ['refund-desk'], token_sha256: sha256('gils-own-token') },
    ],
  };

  test.each(['vics-own-token', 'gils-own-token'])('%s reads and cannot answer', async (token) => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review({ reviewers: listed }), token);
    const page = (await client.get(GATE)).text;
    expect(page).toContain('You can read this, but not decide it.');
    expect(page).not.toContain('name="decision"');
    const digest = (await desk.state(run)).designs[0]?.digest ?? '';
    const form = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const posted = await client.send(GATE, { decision: 'approve', digest, form, nonce: 'nnnnnnnn' });
    expect(posted.status).toBe(409);
    const body = { digest, decision: 'approve', nonce: 'n'.repeat(8) };
    expect((await client.api('/api/gates/run-1.HITL-1.r1/decision', body, bearer(token))).status).toBe(403);
    expect(await status(run)).toBe('awaiting_approval');
  });

  test('the printed token is nobody when reviewers are listed and it names none of them', async () => {
    const run = await desk.waiting('run-1');
    const review = desk.review({ reviewers: listed, local: { name: 'mallory', token: TOKEN } });
    await (await signedIn(review)).send(GATE, { decision: 'approve' });
    expect(await status(run)).toBe('awaiting_approval');
  });

  test('who started the run cannot decide it where a second pair of eyes is asked for', async () => {
    const run = await desk.waiting('run-1');
    const review = desk.review({ reviewers: { starter_may_decide: false }, local: { name: 'starter', token: TOKEN } });
    const client = await signedIn(review);
    const { text } = await client.get(GATE);
    expect(text).toContain('may not decide its gates: ask a colleague');
    expect(text).not.toContain('name="decision"');
    for (const path of [`${GATE}/edit`, `${GATE}/comment?on=R1`]) expect((await client.get(path)).status).toBe(403);
    const other = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const { digest = '' } = (await desk.state(run)).designs[0] ?? {};
    const page = await client.send(GATE, { decision: 'approve', form: other, digest, nonce: 'n'.repeat(8) });
    expect(page.text).toContain('may not decide its gates: ask a colleague');
    expect(await status(run)).toBe('awaiting_approval');
  });

  test('a quorum of two takes two people, and is shown', async () => {
    const run = await desk.waiting('run-1', [{}], 2);
    const [ada, bob] = [
      await signedIn(desk.review()),
      await signedIn(desk.review({ local: { name: 'bob', token: TOKEN } })),
    ];
    await ada.send(GATE, { decision: 'approve' });
    const again = await ada.send(GATE, { decision: 'approve' });
    expect(again.text).toContain('1 more must, each another person');
    expect((await bob.get(GATE)).text).toContain('1 of 2 approvals');
    await bob.send(GATE, { decision: 'approve' });
    expect(await status(run)).toBe('executing');
  });
});

describe('every answer', () => {
  test('carries a policy under which only our own module runs', async () => {
    await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    for (const path of ['/', GATE, `${GATE}/design`, `${GATE}/edit`, '/runs', '/nowhere', '/runs/run-1']) {
      const { headers, text } = await client.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1];
      expect(policy, path).toContain(`default-src 'none'`);
      expect(policy, path).toContain(`frame-ancestors 'none'`);
      expect(policy.includes('unsafe-inline'), path).toBe(path === '/runs/run-1');
      expect(text.match(/<script/g), path).toHaveLength(1);
      expect(text, path).toContain(`nonce="${nonce}"`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('permissions-policy')).toBe('camera=(), microphone=(), geolocation=()');
      expect(headers.get('strict-transport-security')).toBeNull();
    }
    expect((await client.get('/')).headers.get('content-security-policy')).not.toBe(
      (await client.get('/')).headers.get('content-security-policy'),
    );
  });

  test('a body that is too large is refused unread', async () => {
    await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    expect((await client.send(GATE, { decision: 'approve', comment: 'x'.repeat(300_000) })).status).toBe(413);
    expect((await client.send(`${GATE}/edit`, { comment: 'x'.repeat(5_000_000) })).status).toBe(413);
  });

  test.each(['', '/draft', '/earlier', '/comment', '/edit', '/undo', '/chat', '/use'])(
    'JSON where a form is expected is no fault of ours: POST …%s',
    async (path) => {
      await desk.waiting('run-1');
      const posted = await stranger(desk.review()).post(`${GATE}${path}`, '{}', 'application/json');
      expect([posted.status, posted.text.includes('JSON API')]).toEqual([400, true]);
    },
  );

  test('words are as long as the journal takes them, on the page as in the API, and are not lost', async () => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    const comment = `R1: ${'too long. '.repeat(2100)}`;
    for (const decision of ['request_changes', 'approve', 'reject']) {
      const page = await client.send(GATE, { decision, comment });
      expect([page.status, page.text.includes('20,000 characters')]).toEqual([422, true]);
      expect(page.text).toContain(comment.trim());
    }
    expect((await client.send(`${GATE}/edit`, { do: 'approve', comment })).text).toContain('20,000 characters');
    expect(await status(run)).toBe('awaiting_approval');
  });

  test('too many requests are told when to come again', async () => {
    const client = await signedIn(desk.review({ limits: { requests: 4, decisions: 100, signIns: 100 } }));
    const codes = [];
    for (let index = 0; index < 5; index += 1) codes.push((await client.get('/')).status);
    expect(codes).toEqual([200, 200, 200, 429, 429]);
    expect((await client.get('/')).headers.get('retry-after')).toBe('10');
  });
});
