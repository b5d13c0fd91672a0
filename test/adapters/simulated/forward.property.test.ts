/** Any conversation that is played forward, and sent back as it came, is accepted; and its numbers add up. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask, carryOn, type Json, Reply, TOOL, user, withSimulator } from './wire.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const word = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).map((text) => `w${text}`);
const step = (index: number) =>
  fc.record({
    think: fc.option(word, { nil: undefined }),
    // Numbered, so that every step can be told from the others.
    say: word.map((text) => `${index}: ${text}`),
    calls: fc.array(
      word.map((text) => ({ tool: 'read', input: { file_path: text, step: index } })),
      { maxLength: 3 },
    ),
  });
const conversation = fc.record({
  model: fc.constantFrom(
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-opus-4-8',
    'claude-haiku-4-5',
  ),
  steps: fc
    .integer({ min: 1, max: 7 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => step(index)))),
  results: fc.array(word, { minLength: 1, maxLength: 4 }),
  marked: fc.boolean(),
});

test('whatever the script, model, results and cache marks', async () => {
  await fc.assert(
    fc.asyncProperty(conversation, async ({ model, steps, results, marked }) => {
      const clean = steps.map(({ think, ...rest }) => (think === undefined ? rest : { ...rest, think }));
      const scripts = [
        {
          version: 1 as const,
          who: 'any',
          match: { system_includes: 'tester' },
          turns: [{ name: 'only', marker: 'go', steps: clean }],
        },
      ];
      await withSimulator({ scripts }, async (simulator) => {
        const mark = marked ? { cache_control: { type: 'ephemeral' } } : {};
        const messages: Json[] = [user('go')];
        const ids: string[] = [];
        for (const [index, { calls }] of steps.entries()) {
          const reply = Reply.parse(
            await ask(simulator, {
              model,
              max_tokens: 4000,
              system: `tester ${'x'.repeat(20_000)}`,
              tools: [{ ...TOOL, ...mark }],
              ...mark,
              messages,
            }),
          );
          expect(simulator.requests.at(-1)?.step).toBe(index + 1);
          ids.push(...reply.content.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
          messages.push(...carryOn(reply, results[index % results.length]));
          if (calls.length === 0) messages.push(user('And then?'));
          const total = Object.values(reply.usage).filter((part) => typeof part === 'number');
          expect(total.every((part) => part >= 0)).toBe(true);
        }
        expect(new Set(ids).size).toBe(ids.length);
      });
    }),
    propertyRuns(40),
  );
});
