/** Notices as they arrive: signed, tried again under one name, harmless in their place, to the right people. */
import { createHmac } from 'node:crypto';
import { createServer as createHttp, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTcp, type AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { HarnessError } from '../../../src/errors.ts';
import { openChannels } from '../../../src/adapters/notices/open-channels.ts';
import { messageFor } from '../../../src/adapters/notices/email.ts';
import { slackBody } from '../../../src/adapters/notices/open-channels.ts';
import { contractNotice, contractRecipient, noticesContract } from '../../contracts/notices.contract.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const never = new AbortController().signal;
const clock = { now: () => new Date('2026-11-20T10:00:00.000Z') };
const tries = { tries: 3, pauseMs: 1, timeoutMs: 10_000 };
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const NOTICE = contractNotice;

type Got = { headers: IncomingHttpHeaders; body: string };

async function receiver(answers: readonly number[]): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = [];
  const server = createHttp((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString('utf8')));
    request.on('end', () => {
      const status = answers[got.length] ?? 200;
      got.push({ headers: request.headers, body });
      response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/' } : {}).end();
    });
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  stops.push(() => new Promise((settle) => server.close(() => settle())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got };
}

const webhook = (url: string) =>
  openChannels([{ kind: 'webhook', url_env: 'HOOK', secret_env: 'SECRET' }], {
    env: { HOOK: url, SECRET: 's3cret' },
    clock,
    tries,
  });

/** Takes mail as an SMTP server does; none when it refuses its sender, and none for the address `refused`. */
async function mailServer(takes = true, refused = 'nobody@'): Promise<{ url: string; said: string[] }> {
  const said: string[] = [];
  const server = createTcp((socket) => {
    let data = false;
    socket.write('220 test ESMTP\r\n');
    socket.on('data', (bytes) => {
      for (const line of bytes
        .toString('utf8')
        .split('\r\n')
        .filter((part) => part !== '')) {
        said.push(line);
        if (data) {
          if (line !== '.') continue;
          data = false;
          socket.write('250 taken\r\n');
        } else if (line === 'DATA') {
          data = true;
          socket.write('354 go on\r\n');
        } else if (line === 'QUIT') socket.end('221 bye\r\n');
        else {
          const isRefused = (!takes && line.startsWith('MAIL')) || (line.startsWith('RCPT') && line.includes(refused));
          socket.write(isRefused ? '550 no\r\n' : '250 ok\r\n');
        }
      }
    });
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  stops.push(() => new Promise((settle) => server.close(() => settle())));
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, said };
}

const onHttp = (kind: 'webhook' | 'slack') => async (takes: boolean) => {
  const { url, got } = await receiver(takes ? [] : [400]);
  const [channel] = openChannels(
    [kind === 'slack' ? { kind, url_env: 'HOOK' } : { kind, url_env: 'HOOK', secret_env: 'SECRET' }],
    { env: { HOOK: url, SECRET: 's3cret' }, clock, tries },
  );
  if (channel === undefined) throw new Error(kind);
  return { channel, received: () => got.map(({ headers, body }) => `${String(headers['idempotency-key'])} ${body}`) };
};
noticesContract('webhook', onHttp('webhook'));
noticesContract('slack', onHttp('slack'));
noticesContract('e-mail', async (takes) => {
  const { url, said } = await mailServer(takes);
  const [channel] = openChannels([{ kind: 'email', smtp_env: 'SMTP', from: 'tandem@example.org' }], {
    env: { SMTP: url },
    clock,
  });
  if (channel === undefined) throw new Error('email');
  // A mail that was refused has no subject: who tried to send it is what has arrived.
  return { channel, received: () => said.filter((line) => line.startsWith(takes ? 'Message-ID' : 'MAIL')) };
});

describe('a webhook', () => {
  test('is signed over time and body, and tells nobody’s own link', async () => {
    const { url, got } = await receiver([200]);
    await webhook(url)[0]?.send(NOTICE, never);
    const [{ headers, body } = { headers: {}, body: '' }] = got;
    const [, seconds = '', mark] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['tandem-signature'])) ?? [];
    expect(mark).toBe(createHmac('sha256', 's3cret').update(`${seconds}.${body}`).digest('hex'));
    expect(seconds).toBe('1795168800');
    expect(JSON.parse(body)).toMatchObject({ version: 1, id: NOTICE.id, gate: 'HITL-1.r1', digest: 'd'.repeat(64) });
    expect(body).not.toContain('adas-own');
  });

  test('is tried again when the receiver stumbles, every time under the same key', async () => {
    const { url, got } = await receiver([503, 429, 200]);
    await webhook(url)[0]?.send(NOTICE, never);
    expect(got.map(({ headers }) => headers['idempotency-key'])).toEqual([NOTICE.id, NOTICE.id, NOTICE.id]);
  });

  test.each([
    [[500, 500, 500], 3, true],
    [[400], 1, true],
    [[302, 302, 302], 3, true],
  ])('that answers %j gives up after %i tries, and does not tell the address', async (answers, count, retryable) => {
    const { url, got } = await receiver(answers);
    const sent = webhook(url)[0]?.send(NOTICE, never);
    await expect(sent).rejects.toMatchObject({ code: 'infrastructure', retryable });
    await expect(sent).rejects.not.toThrow(url);
    expect(got).toHaveLength(count);
  });
});

describe('what a receiver answers', () => {
  const answering = async (status: number, headers: Record<string, string>) => {
    let asked = 0;
    const server = createHttp((_request, response) => {
      asked += 1;
      response.writeHead(status, headers).end();
    });
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
    stops.push(() => new Promise((settle) => server.close(() => settle())));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const details = await webhook(url)[0]
      ?.send(NOTICE, never)
      .catch((error: unknown) => (error as HarnessError).details);
    return { details, asked };
  };

  test('with a Retry-After is not asked again before, in seconds or by date', async () => {
    expect(await answering(429, { 'retry-after': '120' })).toEqual({
      details: { of: 'channel', retryAfterMs: 120_000 },
      asked: 1,
    });
    const { details } = await answering(503, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() });
    expect(Math.round(Number(details?.['retryAfterMs']) / 60_000)).toBe(60);
  });

  test('that nobody takes says why, without the address', async () => {
    const { url } = await receiver([]);
    await stops.pop()?.();
    const [channel] = webhook(url);
    const failure = channel?.send(NOTICE, never, undefined);
    await expect(failure).rejects.toThrow('it could not be reached (it refuses connections: nothing listens there)');
  });

  test('may be about this message alone', async () => {
    expect(await answering(422, {})).toEqual({ details: { of: 'message' }, asked: 1 });
    expect(await answering(404, {})).toEqual({ details: { of: 'channel' }, asked: 1 });
  });

  test('or nothing at all: who hangs is waited for once', async () => {
    let asked = 0;
    const server = createHttp(() => void (asked += 1));
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
    stops.push(() => {
      server.closeAllConnections();
      return new Promise((settle) => server.close(() => settle()));
    });
    const env = { HOOK: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
    const [slack] = openChannels([{ kind: 'slack', url_env: 'HOOK' }], {
      env,
      clock,
      tries: { ...tries, timeoutMs: 50 },
    });
    await expect(slack?.send(NOTICE, never)).rejects.toThrow('it did not answer within 0.05 s');
    expect(asked).toBe(1);
  });
});

test('channels of one kind have names of their own, and two of one name are refused', () => {
  const env = { HOOK: 'https://hooks.example.org/x' };
  const slack = { kind: 'slack' as const, url_env: 'HOOK' };
  const names = (settings: readonly object[]) =>
    openChannels(
      settings.map((more) => ({ ...slack, ...more })),
      { env, clock },
    ).map(({ name }) => name);
  expect(names([{}, { name: 'ops' }, {}])).toEqual(['slack', 'ops', 'slack-2']);
  expect(() => names([{ name: 'ops' }, { name: 'ops' }])).toThrow('two notices are called "ops"');
});

describe('a message for Slack', () => {
  test('is within every limit of Slack, whatever an agent or a provider wrote', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 3200 }),
      fc.stringMatching(/^[<>&*_`]{0,6000}$/),
      fc.constantFrom('&'.repeat(6000), `${'a'.repeat(1999)}\ud83d\ude00`, ' \n'.repeat(4000)),
    );
    type Body = { text: string; blocks: { type: string; text?: { text: string }; elements?: { url: string }[] }[] };
    fc.assert(
      fc.property(text, text, text, fc.nat(6000), (title, words, gate, length) => {
        const url = `https://review.example.org/${'x'.repeat(length)}`;
        const body = slackBody({ ...NOTICE, title, text: words, gate, url }) as Body;
        const shown = body.blocks[0]?.text?.text ?? '';
        for (const one of [body.text, shown]) {
          expect(one.length).toBeGreaterThan(0);
          expect(one.length).toBeLessThanOrEqual(3000);
          expect(one.isWellFormed()).toBe(true);
          expect(one.replaceAll(/&(?:amp|lt|gt);/g, '')).not.toMatch(/[&<>]/);
        }
        for (const { elements = [] } of body.blocks)
          for (const { url: to } of elements) expect(to.length).toBeLessThanOrEqual(3000);
      }),
      propertyRuns(30),
    );
  });

  test('holds the sentence and a button', () => {
    expect(JSON.stringify(slackBody(NOTICE))).toContain(
      '"url":"https://review.example.org/runs/run-1/gates/HITL-1.r1"',
    );
    expect(JSON.stringify(slackBody({ ...NOTICE, kind: 'decided' }))).toContain('"text":"Look"');
  });

  test.each([
    '<!channel> now',
    '<https://evil.example|your bank>',
    '*bold* `code` ~no~',
    'a\n> quote',
    '&lt;!here&gt;',
  ])('shows %j as text', (title) => {
    const text = JSON.stringify(slackBody({ ...NOTICE, title, text: title }));
    expect(text).not.toMatch(/<[!@#h]|(?<![\u200b*])`code|\\n>/);
  });
});

describe('an e-mail', () => {
  test('arrives at the reviewer with a link of their own, through a real SMTP conversation', async () => {
    const { url: smtp, said } = await mailServer();
    const [email] = openChannels([{ kind: 'email', smtp_env: 'SMTP', from: 'tandem@example.org' }], {
      env: { SMTP: smtp },
      clock,
    });
    await email?.send(NOTICE, never, contractRecipient);
    const mail = said.join('\n');
    expect(mail).toContain('RCPT TO:<ada@example.org>');
    expect(mail).toMatch(/^Subject: \[Tandem\] HITL-1\.r1 opened: Refund desk$/m);
    expect(mail.replaceAll('=\n', '').replaceAll('=3D', '=')).toContain(
      'https://review.example.org/sign-in?token=adas-own',
    );
    expect(mail).toMatch(/^Message-ID: <run-1\.HITL-1\.r1\.opened\.ada%40example\.org@tandem>$/m);
  });

  test('that is refused says whether only its recipient is meant, or everybody', async () => {
    const fault = async (url: string) => {
      const [email] = openChannels([{ kind: 'email', smtp_env: 'SMTP', from: 'tandem@example.org' }], {
        env: { SMTP: url },
        clock,
      });
      return email?.send(NOTICE, never, contractRecipient).catch((error: unknown) => (error as HarnessError).details);
    };
    expect(await fault((await mailServer(true, 'ada@')).url)).toEqual({ of: 'message', final: true });
    expect(await fault((await mailServer(false)).url)).toMatchObject({ of: 'channel' });
  });

  test('says that its link signs in only where it does', () => {
    const said = (signed: boolean) => messageFor(NOTICE, { ...contractRecipient, signed }, 'a@b.c').text;
    expect([said(true).includes('it signs you in'), said(false).includes('signs you in')]).toEqual([true, false]);
  });

  test('cannot be given another head by a title', () => {
    const { subject } = messageFor(
      { ...NOTICE, title: 'x\r\nBcc: eve@evil.example\r\n\r\n' },
      contractRecipient,
      'a@b.c',
    );
    expect(subject).not.toMatch(/[\r\n]/);
  });
});

test.each([
  ['', 'HOOK, and it is not set'],
  ['http://hooks.example.org/x', 'HOOK is no https address'],
  ['file:///etc/passwd', 'HOOK is no https address'],
  ['ftp://127.0.0.1/', 'HOOK is no https address'],
])('a channel at %j is refused before anything is served, without its value', (url, told) => {
  expect(() => webhook(url)).toThrow(told);
});
