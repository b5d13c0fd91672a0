import { expect, test } from 'vitest';
import { linesOf, turnOnWith, verify } from './verify-lamps.ts';

/** R1 as a rule about words: a lamp is switched only after the user said yes. */
const AFTER_A_YES = `
export const checker = { id: 'as-asked', description: 'R1: only after a yes.', rules: ['R1'] };
export function check({ trace }) {
  const first = trace.events.findIndex(({ type, tool }) => type === 'call' && tool === 'switch_lamp');
  const words = trace.events.slice(1, first).filter(({ type }) => type === 'user').map(({ text }) => text);
  const pass = first >= 0 && /^yes/i.test(words.at(-1) ?? '');
  const steps = trace.events.map(({ type, step }) => type + ' ' + step).join(', ');
  return { pass, reason: steps, evidence: [] };
}
`;
const gold = [
  { tool: 'read_lamp', args: { id: 'hall' } },
  { says: 'Shall I switch on the hall lamp?' },
  { user: 'Yes, please.' },
  { tool: 'switch_lamp', args: { id: 'hall', on: true } },
];
const withPaths = (paths: object) => {
  const { files } = turnOnWith(paths);
  return verify({ files: { ...files, 'checkers/as-asked.mjs': AFTER_A_YES } });
};

test('a checker sees what subject and user say in a listed path, in order', async () => {
  const wrong = [{ says: 'Shall I?' }, { user: 'No, leave it.' }, gold[3]];
  expect(linesOf(await withPaths({ gold, wrong }))).toEqual([]);
  const { problems } = await withPaths({ gold: gold.toSpliced(2, 1), wrong });
  expect(problems.map(({ message }) => message).join('\n')).toContain(
    'rejects the gold path: user 0, call 1, says 2, call 3, says 4',
  );
});

test('a path of calls alone stays valid', async () => {
  expect((await verify()).ok).toBe(true);
});

test('a step that is neither a call nor words is refused with its place', async () => {
  const { problems } = await withPaths({ gold: [{ say: 'Hello' }] });
  expect(problems.map(({ message }) => message).join('\n')).toContain('gold');
});
