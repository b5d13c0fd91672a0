/** Sessions, form tokens, rate limits and names: what the guards are made of. */
import { describe, expect, test } from 'vitest';
import { formAge, formToken } from '../../../src/web/guard/form-token.ts';
import { createRateLimit } from '../../../src/web/guard/rate-limit.ts';
import { openSignIn, sealSignIn } from '../../../src/web/guard/sign-in-session.ts';
import { createSigner, isSameSecret } from '../../../src/web/guard/signer.ts';
import { identifyVisitor, mayDecide, type Access } from '../../../src/web/guard/visitor.ts';
import { sha256 } from '../../../src/disk/sha256.ts';

const signer = createSigner('one');
const NOW = 1_800_000_000_000;
const session = { id: 'abcdefgh', name: 'ada', until: NOW + 1000 };

describe('a session', () => {
  test('opens again until its time is over', () => {
    const sealed = sealSignIn(session, signer);
    expect(openSignIn(sealed, signer, NOW)).toEqual(session);
    expect(openSignIn(sealed, signer, NOW + 1000)).toBeUndefined();
  });

  test.each([
    ['with another key', (sealed: string) => [sealed, createSigner('two')] as const],
    ['with another body', (sealed: string) => [sealed.replace(/^./, (c) => (c === 'e' ? 'f' : 'e')), signer] as const],
    ['without a mark', (sealed: string) => [sealed.split('.')[0] ?? '', signer] as const],
    ['with a part more', (sealed: string) => [`${sealed}.x`, signer] as const],
    ['that is empty', () => ['', signer] as const],
    ['that is a dot', () => ['.', signer] as const],
    ['that is very long', () => ['a'.repeat(100_000), signer] as const],
  ])('%s is none', (_name, make) => {
    const [text, key] = make(sealSignIn(session, signer));
    expect(openSignIn(text, key, NOW)).toBeUndefined();
  });

  test('signed for one purpose is not signed for another', () => {
    const body = Buffer.from(JSON.stringify(session)).toString('base64url');
    expect(openSignIn(`${body}.${signer.sign('form', body)}`, signer, NOW)).toBeUndefined();
  });

  test('of more fields than ours is none, even with our mark', () => {
    const body = Buffer.from(JSON.stringify({ ...session, role: 'admin' })).toString('base64url');
    expect(openSignIn(`${body}.${signer.sign('session', body)}`, signer, NOW)).toBeUndefined();
  });
});

describe('a form token', () => {
  test('tells how long the form was shown', () => {
    expect(formAge(formToken('s', signer, NOW), 's', { signer, nowMs: NOW + 4200 })).toBe(4200);
  });

  test('is of one session, holds a day, and cannot be set back or forward', () => {
    const token = formToken('s', signer, NOW);
    expect(formAge(token, 'other', { signer, nowMs: NOW })).toBeUndefined();
    expect(formAge(token, 's', { signer, nowMs: NOW + 25 * 3_600_000 })).toBeUndefined();
    expect(formAge(token, 's', { signer, nowMs: NOW - 1 })).toBeUndefined();
    expect(formAge(token.replace(/^[^.]+/, (NOW - 60_000).toString(36)), 's', { signer, nowMs: NOW })).toBeUndefined();
    for (const broken of ['', '.', 'x', `${token}.y`, `-${token}`, '__proto__.x'])
      expect(formAge(broken, 's', { signer, nowMs: NOW })).toBeUndefined();
  });
});

describe('a rate limit', () => {
  test('lets so many through a minute, and fills up again evenly', () => {
    let now = NOW;
    const limit = createRateLimit(6, () => now);
    const taken = Array.from({ length: 8 }, () => limit.take('ada'));
    expect(taken).toEqual([true, true, true, true, true, true, false, false]);
    expect(limit.take('bob')).toBe(true);
    now += 10_000;
    expect([limit.take('ada'), limit.take('ada')]).toEqual([true, false]);
  });
});

describe('who it is', () => {
  const access: Access = {
    reviewers: [
      { name: 'ada', role: 'reviewer', tokenSha256: sha256('adas-token') },
      { name: 'eve', role: 'reviewer', scenarios: ['gift-desk'] },
      { name: 'bob', role: 'viewer' },
    ],
    proxy: { header: 'x-forwarded-user', addresses: ['10.0.0.1'] },
  };
  const ask = (headers: Record<string, string>, address = '192.168.0.9', cookie?: string) =>
    identifyVisitor({ header: (name) => headers[name.toLowerCase()], cookie, address }, { access, signer }, NOW)?.name;

  test('comes from a listed token, the proxy at its own address, or a cookie of ours', () => {
    expect(ask({ authorization: 'Bearer adas-token' })).toBe('ada');
    expect(ask({ 'x-forwarded-user': 'eve' }, '10.0.0.1')).toBe('eve');
    expect(ask({}, 'x', sealSignIn(session, signer))).toBe('ada');
  });

  test.each([
    ['another token', { authorization: 'Bearer adas-tokem' }],
    ['no token', { authorization: 'Bearer ' }],
    ['basic authentication', { authorization: 'Basic YWRhOmFkYQ==' }],
    ["the proxy's header from elsewhere", { 'x-forwarded-user': 'eve' }],
    ['nothing', {}],
  ])('is nobody with %s', (_name, headers) => {
    expect(ask(headers)).toBeUndefined();
  });

  test.each(['agent:init', 'policy:demo', 'a b', '', 'ada\nuser:eve', '../x', 'x'.repeat(101), '\u202eada'])(
    'a proxy cannot name %j',
    (name) => {
      expect(ask({ 'x-forwarded-user': name }, '10.0.0.1')).toBeUndefined();
    },
  );

  test('a wrong bearer token is not made good by a good cookie', () => {
    expect(ask({ authorization: 'Bearer wrong' }, 'x', sealSignIn(session, signer))).toBeUndefined();
  });

  test('only reviewers of the scenario may decide; with nobody listed, everybody who is let in', () => {
    expect(['ada', 'eve', 'bob', 'ADA', 'mallory'].map((name) => mayDecide({ name }, 'refund-desk', access))).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
    expect(mayDecide({ name: 'eve' }, 'gift-desk', access)).toBe(true);
    expect(mayDecide({ name: 'anyone' }, 'x', { reviewers: [] })).toBe(true);
  });

  test('secrets of any length compare', () => {
    expect([isSameSecret('a', 'a'), isSameSecret('a', 'ab'), isSameSecret('', '')]).toEqual([true, false, true]);
  });
});
