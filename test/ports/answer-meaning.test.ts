import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import {
  ANSWERS,
  ERRORS,
  judgeAnswer,
  readMeaning,
  getErrorMeaning,
  type ApiFault,
} from '../../src/ports/answer-meaning.ts';
import type { ModelRequest } from '../../src/ports/model.ts';
import { call, response, say } from '../support/responses.ts';

const REQUEST: ModelRequest = { model: 'test-model', system: [], tools: [], messages: [], max_tokens: 100 };

describe('answers', () => {
  const ROWS: readonly [string, agent: string, participant: string, again: number][] = [
    ['end_turn', 'use', 'use', 0],
    ['stop_sequence', 'use', 'use', 0],
    ['tool_use', 'use', 'use', 0],
    ['max_tokens', 'use', 'use', 0],
    ['refusal', 'fallback', 'use', 1],
    ['pause_turn', 'use', 'use', 0],
    ['model_context_window_exceeded', 'compact', 'use', 0],
    ['compaction', 'again', 'again', 1],
    ['moon_phase', 'again', 'again', 1],
  ];

  test.each(ROWS)(
    '%s: for an agent %s, for a participant %s, after %i more tries',
    (reason, agent, participant, again) => {
      const answer = response([{ type: 'text', text: 'x' }], reason);
      expect(judgeAnswer(answer, REQUEST, 'agent')).toMatchObject({ means: agent, again });
      expect(judgeAnswer(answer, REQUEST, 'participant')).toMatchObject({ means: participant, again });
    },
  );

  test('a compaction that was requested is used', () => {
    const request: ModelRequest = { ...REQUEST, compaction: { type: 'summarize' } };
    expect(judgeAnswer(response([], 'compaction'), request, 'agent').means).toBe('use');
  });

  test('an id of a tool call that the conversation or the answer itself holds already', () => {
    const first = call('read', {}, 'toolu_1');
    const messages = [{ role: 'assistant' as const, content: first.content }];
    const twice = response(
      [...call('read', {}, 'toolu_2').content, ...call('read', {}, 'toolu_2').content],
      'tool_use',
    );
    for (const [answer, id] of [
      [first, 'toolu_1'],
      [twice, 'toolu_2'],
    ] as const) {
      const judged = judgeAnswer(answer, { ...REQUEST, messages }, 'participant');
      expect(judged).toEqual({
        means: 'again',
        again: 2,
        why: `test-model repeated the id ${id} of an earlier tool call`,
      });
    }
    expect(judgeAnswer(call('read', {}, 'toolu_3'), { ...REQUEST, messages }, 'agent').means).toBe('use');
  });

  test('the words of a refusal reach the reader', () => {
    const refused = response([], 'refusal', {
      stopDetails: { category: 'cyber', explanation: 'This is about locks.' },
    });
    expect(judgeAnswer(refused, REQUEST, 'agent').why).toBe(
      'test-model refused to answer (cyber): This is about locks.',
    );
    expect(judgeAnswer(say('x'), REQUEST, 'agent').why).toBe('');
  });
});

describe('errors', () => {
  const ROWS: readonly [ApiFault, means: string][] = [
    [{ status: 400, type: 'invalid_request_error', message: 'tools.0: no' }, 'bug'],
    [{ status: 400, message: 'prompt is too long: 213462 tokens > 200000 maximum' }, 'compact'],
    [{ status: 400, message: 'input length and `max_tokens` exceed context limit: 1 + 2 > 2' }, 'compact'],
    [
      {
        status: 400,
        message:
          'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
      },
      'without_thinking',
    ],
    [
      {
        status: 400,
        message:
          'messages.3.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
      },
      'without_thinking',
    ],
    [{ status: 400, message: 'adaptive thinking is not supported on this model' }, 'bug'],
    [{ status: 400, message: 'You have reached your specified API usage limits.' }, 'account'],
    [{ status: 400, message: 'Your credit balance is too low to access the Anthropic API.' }, 'account'],
    [{ status: 401, type: 'authentication_error' }, 'account'],
    [{ status: 402, type: 'billing_error' }, 'account'],
    [{ status: 403, type: 'permission_error' }, 'account'],
    [{ status: 404, type: 'not_found_error' }, 'account'],
    [{ status: 408 }, 'again'],
    [{ status: 409, type: 'conflict_error' }, 'again'],
    [{ status: 413 }, 'compact'],
    [{ status: 418 }, 'bug'],
    [{ status: 422 }, 'bug'],
    [{ status: 429, type: 'rate_limit_error' }, 'wait'],
    [{ status: 429, type: 'rate_limit_error', code: 'ramp_limit_exceeded' }, 'wait'],
    [{ status: 429, type: 'rate_limit_error', code: 'enforced_spend_limit_reached' }, 'account'],
    [{ status: 429, code: 'contract_spend_limit_reached' }, 'account'],
    [{ status: 500, type: 'api_error' }, 'again'],
    [{ status: 502 }, 'again'],
    [{ status: 504, type: 'timeout_error' }, 'again'],
    [{ status: 529, type: 'overloaded_error' }, 'wait'],
    // Inside a stream.
    [{ type: 'overloaded_error' }, 'wait'],
    [{ type: 'api_error' }, 'again'],
    [{ type: 'authentication_error' }, 'account'],
    [{ type: 'invalid_request_error', message: 'prompt is too long: 2 tokens > 1 maximum' }, 'compact'],
    [{ type: 'something_new' }, 'again'],
    [{}, 'again'],
  ];

  test.each(ROWS)('%o means %s', (fault, means) => {
    expect(getErrorMeaning(fault).means).toBe(means);
  });

  test('an error says its meaning itself', () => {
    expect(readMeaning(new HarnessError('model_refused', 'x', { details: { means: 'compact' } }))).toBe('compact');
    expect(readMeaning(new HarnessError('model_refused', 'x'))).toBeUndefined();
    expect(readMeaning(new Error('x'))).toBeUndefined();
  });
});

test('docs/internals/api-rules.md holds the same rows, for a reader who checks them against the documentation of the API', () => {
  const page = readFileSync('docs/internals/api-rules.md', 'utf8');
  const answers = [...page.matchAll(/^\| `(\w+)` \| .* \| (\d) \| (\w+) \| (\w+).* \|$/gm)];
  const shown = answers.map(([, reason, again, agent, participant]) => [reason, Number(again), agent, participant]);
  const inCode = Object.entries(ANSWERS).map(([reason, row]) => [reason, row.again, row.agent, row.participant]);
  const inOrder = (rows: unknown[][]) => rows.map((row) => row.join(' ')).toSorted((a, b) => a.localeCompare(b));
  expect(inOrder(shown)).toEqual(inOrder(inCode));
  const errors = [...page.matchAll(/^ +\| (\d+|any) \| (?:`(\w+)`|any) \| .*\| (\w+) \|$/gm)];
  expect(errors.map(([, status, type, means]) => [status, type, means])).toEqual(
    ERRORS.map(({ status, type, means }) => [String(status ?? 'any'), type, means]),
  );
});
