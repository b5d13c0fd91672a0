import { expect, test } from 'vitest';
import { checkTrace } from '../../../src/evaluation/judge/check-trace.ts';
import type { TrialRecord } from '../../../src/evaluation/components/trial-record.ts';
import { listArguments, type SandboxOutcome, type OpenSandbox } from '../../../src/ports/sandbox.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { turnOn } from '../lamps.ts';

const { signal } = new AbortController();
const sample = Sample.parse({ ...turnOn, expect: { end_state: 'unchanged' }, checkers: ['one', 'two'] });
const played: TrialRecord = {
  before: {},
  after: {},
  calls: [{ step: 1, tool: 't', input: {}, output: 1, is_error: false, change: [] }],
  says: ['first', 'last'],
  stop: 'done',
};
const fine: SandboxOutcome = { ok: true, value: { pass: true, reason: 'fine' }, args: [] };

function sessionOf(answers: SandboxOutcome[]): OpenSandbox & { asked: unknown[][] } {
  const asked: unknown[][] = [];
  return {
    asked,
    call: async () => fine,
    askAll: async ({ modules, name, args, times }) =>
      modules.map((module) =>
        Array.from({ length: times }, () => {
          asked.push([module, name, ...listArguments(args)]);
          return answers[asked.length - 1] ?? fine;
        }),
      ),
    close: async () => undefined,
  };
}
const judge = (session: OpenSandbox, checkers = sample.checkers) =>
  checkTrace({ sample, played, checkers, session }, signal);

test('the expectation comes first, then the checkers as listed, each asked twice about the same run', async () => {
  const session = sessionOf([]);
  const verdicts = await judge(session);
  expect(verdicts.map(({ checker, pass }) => [checker, pass])).toEqual([
    ['expect', true],
    ['one', true],
    ['two', true],
  ]);
  expect(session.asked.map(([module]) => module)).toEqual([
    'checkers/one.mjs',
    'checkers/one.mjs',
    'checkers/two.mjs',
    'checkers/two.mjs',
  ]);
  expect(session.asked[0]).toEqual([
    'checkers/one.mjs',
    'check',
    {
      sample,
      before: {},
      after: {},
      trace: {
        calls: [{ step: 1, tool: 't', input: {}, output: 1, is_error: false }],
        says: ['first', 'last'],
        events: [
          { type: 'user', step: 0, text: 'It is dark here.' },
          { type: 'call', step: 1, tool: 't', input: {}, output: 1, is_error: false },
          { type: 'says', step: 2, text: 'first' },
          { type: 'says', step: 3, text: 'last' },
        ],
      },
      final: 'last',
    },
  ]);
});

test.each<[string, SandboxOutcome[]]>([
  ['throws', [{ ok: false, kind: 'threw', message: 'x' }]],
  ['answers nonsense', [{ ok: true, value: { pass: 'yes' }, args: [] }]],
  ['gives a number that is none', [{ ok: true, value: { pass: true, reason: 'r', score: Number.NaN }, args: [] }]],
  ['gives a metric no name', [{ ok: true, value: { pass: true, reason: 'r', metrics: { 'A B': 1 } }, args: [] }]],
  ['calls a metric score', [{ ok: true, value: { pass: true, reason: 'r', metrics: { score: 1 } }, args: [] }]],
  ['answers nothing', [{ ok: true, value: undefined, args: [] }]],
  ['answers differently the second time', [fine, { ok: true, value: { pass: false, reason: 'no' }, args: [] }]],
  ['fails the second time', [fine, { ok: false, kind: 'timeout', message: 'x' }]],
])('a checker that %s is broken and has passed nothing', async (_title, answers) => {
  const [, verdict] = await judge(sessionOf(answers), ['one']);
  expect(verdict).toMatchObject({ checker: 'one', pass: false, broken: true });
});
