import { expect, test } from 'vitest';
import { listCodes, proveHire } from '../tool-hire.ts';

const PIN = 'member.pin !== input.pin.trim()';

test.each([
  ['a longer PIN', '!input.pin.includes(member.pin)'],
  ['the PIN of anybody', '!Object.values(world.members).some(({ pin }) => pin === input.pin.trim())'],
])('%s identifies nobody, and a tool that takes it is refused', async (_, loose) => {
  const { ok, problems } = await proveHire({ 'tools/identify.mjs': [PIN, loose] });
  expect(ok).toBe(false);
  expect(problems[0]).toMatchObject({ layer: 2, code: 'tool-identity-loose', component: 'identify' });
});

test('a tool that changes what is another’s is doubted where other tools refuse that', async () => {
  const own = 'hire === undefined || hire.member !== world.session.member';
  const found = await proveHire({ 'tools/extend_hire.mjs': [own, 'hire === undefined'] });
  expect(listCodes(found)).toContain('tool-guard-missing extend_hire');
});

test('a tool that tells the secret to somebody who does not know it is refused', async () => {
  const refusal = 'return { verified: false, tries: world.session.tries }';
  const { problems } = await proveHire({
    'tools/identify.mjs': [refusal, 'return { verified: false, wanted: member?.pin }'],
  });
  expect(problems[0]).toMatchObject({ layer: 2, code: 'tool-identity-loose', component: 'identify' });
  expect(problems[0]?.message).toContain('is answered with "4711"');
});
