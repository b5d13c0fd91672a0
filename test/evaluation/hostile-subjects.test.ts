/** Whatever an agent under evaluation answers: its trials are scored, and results and traces can be read again. */
import { describe, expect, test } from 'vitest';
import { readCompletion } from '../../src/adapters/subjects/chat-completion.ts';
import { parseTurn } from '../../src/adapters/subjects/subject-answer.ts';
import type { SubjectTurn } from '../../src/ports/subject.ts';
import { Results } from '../../src/scenario/result.ts';
import { briefWith, evaluateLamps } from './evaluate-lamps.ts';

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const calls = (args: string): string => `{"calls":[{"tool":"switch_lamp","args":${args}}]}`;

/** Says it first, and goodbye from then on. */
async function playedBy(answer: (turn: number) => SubjectTurn) {
  const open = async () => {
    let turn = 0;
    return { next: async () => answer((turn += 1)), close: async () => undefined };
  };
  const brief = briefWith({ subject: { kind: 'command', command: ['x'] } });
  const { results, linesOf } = await evaluateLamps({ brief, host: { open } });
  const read = Results.parse(JSON.parse(JSON.stringify(results)));
  for (const { id } of read.samples) expect((await linesOf(`${id}.1`)).length).toBeGreaterThan(2);
  return read.samples.flatMap(({ trials }) => trials.map(({ stop }) => stop));
}

describe('a command', () => {
  test.each([
    ['money beyond all numbers', '{"say":"hello","cost_usd":1e308}', 'crashed'],
    ['calls that are nested too deep to be written', calls(`{"id":${deep(9000)}}`), 'crashed'],
    ['a number that no JSON holds', calls('{"id":1e999,"on":true}'), 'crashed'],
    ['a prototype', calls('{"__proto__":{"x":1},"id":{"__proto__":{"y":1}},"on":true}'), 'done'],
    ['names that every object has', '{"calls":[{"tool":"__proto__"},{"tool":"constructor"},{"tool":""}]}', 'done'],
    [
      'halves of characters',
      String.raw`{"say":"\ud800","calls":[{"tool":"\udc00","args":{"\ud800":"\u0000"}}]}`,
      'done',
    ],
  ])('that answers with %s', async (_name, first, stop) => {
    const stops = await playedBy((turn) => parseTurn(turn === 1 ? first : '{"say":"bye","done":true}', turn));
    expect(new Set(stops)).toEqual(new Set([stop]));
  });
});

describe('a Chat Completions endpoint', () => {
  const completion = (message: object, usage: string): string =>
    `{"choices":[{"message":${JSON.stringify(message)},"finish_reason":"stop"}],"usage":${usage}}`;
  const asked = (json: string) => ({ tool_calls: [{ id: 'a', function: { name: 'switch_lamp', arguments: json } }] });

  test.each([
    ['counts that are estimates', '{"prompt_tokens":1.5,"completion_tokens":2.25}', '{"id":"hall","on":true}', 'done'],
    [
      'counts below nothing',
      '{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":-1}}',
      '{"id":"hall"}',
      'done',
    ],
    ['counts beyond all numbers', '{"prompt_tokens":1e308,"completion_tokens":1e308}', '{}', 'crashed'],
    ['arguments that are nested too deep to be written', '{}', `{"id":${deep(9000)}}`, 'done'],
  ])('with %s', async (_name, usage, json, stop) => {
    const stops = await playedBy((turn) => {
      const message = turn === 1 ? asked(json) : { content: 'bye' };
      return readCompletion(completion(message, usage), { input: 3, output: 15 }).turn;
    });
    expect(new Set(stops)).toEqual(new Set([stop]));
  });
});
