/** A key in any writing that others may give it. */
import { expect, test } from 'vitest';
import { scrubSecrets } from '../../../src/adapters/anthropic/scrub.ts';

const KEY = 'pl/ant+ed "key" of 2026';

test.each([
  ['as it is', KEY],
  ['in JSON', JSON.stringify({ key: KEY })],
  ['in a query', `https://gateway.example/?key=${encodeURIComponent(KEY)}&x=1`],
  ['in base64', Buffer.from(KEY).toString('base64')],
  ['in base64 behind a name', Buffer.from(`user:${KEY}`).toString('base64')],
  ['in base64 behind another', Buffer.from(`users:${KEY}`).toString('base64')],
  ['in base64url', Buffer.from(`use:${KEY}?`).toString('base64url')],
])('%s', (_how, text) => {
  const shown = scrubSecrets(`before ${text} after`, KEY);
  expect(shown).toContain('[key]');
  expect(shown).toMatch(/^before .* after$/);
  const rest = shown.replaceAll('[key]', '');
  expect(rest).not.toContain('ant');
  const decoded = Buffer.from(rest.replace(/^before | after$/g, ''), 'base64').toString();
  expect(decoded).not.toContain('key');
});

test('a placeholder is no key, and other words stay', () => {
  expect(scrubSecrets('x marks the spot', 'x')).toBe('x marks the spot');
  expect(scrubSecrets('cGxhbnQ= is base64 of something else', KEY)).toBe('cGxhbnQ= is base64 of something else');
});
