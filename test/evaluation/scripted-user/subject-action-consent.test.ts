import { expect, test } from 'vitest';
import { buildOwnActPattern } from '../../../src/evaluation/scripted-user/subject-action-consent.ts';

const asks = buildOwnActPattern({
  facts: 'which|what',
  ask: 'may I',
  finding: String.raw`(?:ask|know)\b`,
  and: 'and|or',
});

test.each([
  ['May I send the file, which holds the note?', true],
  ['Thank you, may I send what you wrote?', true],
  ['Which file may I send?', false],
  ['May I ask which file it is?', false],
  ['May I send it, and which file is it?', false],
  ['May I send it; what is the address?', false],
  ['Did I send what you wrote?', false],
])('%s', (question, isOwnAct) => {
  expect(asks.test(question)).toBe(isOwnAct);
});
