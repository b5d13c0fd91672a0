import { describe, expect, test } from 'vitest';
import { exportInspect } from '../../src/interop/inspect/export.ts';
import { importInspect } from '../../src/interop/inspect/import.ts';
import { exportJsonLines } from '../../src/interop/jsonl-export.ts';
import { rejudge } from '../../src/interop/tau/runs/rejudge.ts';
import { importRecorded } from '../support/recorded-results.ts';
import type { ImportedFiles } from '../../src/interop/imported-files.ts';
import { Results } from '../../src/scenario/result.ts';
import { TraceLine } from '../../src/scenario/trace.ts';
import { tau2, calls } from './rows.ts';

function open({ files }: ImportedFiles): { results: Results; traces: Map<string, TraceLine[]> } {
  const traces = files
    .filter(({ path }) => path.startsWith('traces/'))
    .map(
      ({ path, content }) =>
        [
          path,
          content
            .trim()
            .split('\n')
            .map((line) => TraceLine.parse(JSON.parse(line))),
        ] as const,
    );
  return { results: Results.parse(JSON.parse(files[0]?.content ?? '')), traces: new Map(traces) };
}

const lost = tau2({ task_id: '2', termination: 'infrastructure_error', recorded: { reward: 0 } });
const failing = tau2({
  task_id: '1',
  final_db_diff: [],
  recorded: { reward: 0, breakdown: { DB: 0, COMMUNICATE: 1 } },
});
const acting = tau2({
  task_id: '0',
  trial: 1,
  messages: [calls({ name: 'toggle', arguments: {} }, 'user'), calls({ name: 'a', arguments: {} })],
});
const ours = open(importRecorded(rejudge('f', { runs: [tau2(), acting, failing, lost], faults: [] })));

describe('Inspect logs', () => {
  const log = exportInspect({
    results: ours.results,
    task: 'lamps',
    created: '2026-11-20T10:00:00.000Z',
    traceOf: ({ trace }) => ours.traces.get(trace) ?? [],
  });

  test('what we write has every field that Inspect asks for', () => {
    expect(log).toMatchObject({
      version: 2,
      status: 'success',
      eval: { task: 'lamps', model: 'm', dataset: { samples: 3 }, created: expect.any(String), config: { epochs: 2 } },
    });
    const [first] = log['samples'] as Record<string, unknown>[];
    expect(first).toMatchObject({
      id: 'lamps-0',
      epoch: 1,
      input: 'Light!',
      target: '',
      scores: { tandem: { value: 'C' } },
    });
    expect(first?.['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ function: 'switch_on', arguments: { lamp: 'L1' } }] },
      { role: 'tool', content: 'done', function: 'switch_on' },
      { role: 'assistant', content: 'It is 60 watts, by MasterCard.' },
    ]);
  });

  test('what we write is read back with the same outcomes, words and calls', () => {
    const again = open(importInspect(JSON.parse(JSON.stringify(log)), 'log.json'));
    const outcomes = (results: Results) =>
      results.samples.map(({ id, trials }) => [id, trials.map(({ outcome }) => outcome)]);
    expect(outcomes(again.results)).toEqual(outcomes(ours.results));
    const spoken = (lines: readonly TraceLine[] = []) =>
      lines.flatMap((line) =>
        line.type === 'says' || line.type === 'user'
          ? [line.text]
          : line.type === 'call'
            ? [line.tool, line.input, line.output]
            : [],
      );
    for (const [path, lines] of ours.traces) expect(spoken(again.traces.get(path))).toEqual(spoken(lines));
  });

  test('letters, numbers and booleans are scores; anything else, and an error, is unscored', () => {
    const sample = (id: string, value: unknown, more = {}) => ({
      id,
      epoch: 1,
      input: 'q',
      target: 't',
      messages: [],
      scores: { s: { value } },
      ...more,
    });
    const samples = [
      sample('c', 'C'),
      sample('i', 'I'),
      sample('p', 'P'),
      sample('one', 1),
      sample('half', 0.5),
      sample('t', true),
      sample('odd', 'maybe'),
      sample('none', null),
      sample('yes', 'Yes'),
      sample('several', { a: 1, b: 'C' }),
      sample('listed', [1, 0.5]),
      sample('err', 'C', { error: { message: 'boom' } }),
    ];
    const { results } = open(
      importInspect({ version: 2, status: 'success', eval: { task: 't' }, samples }, 'log.json'),
    );
    expect(Object.fromEntries(results.samples.map(({ id, outcome }) => [id, outcome]))).toEqual({
      c: 'pass',
      i: 'fail',
      p: 'fail',
      one: 'pass',
      half: 'fail',
      t: 'pass',
      odd: 'unscored',
      none: 'unscored',
      yes: 'pass',
      several: 'pass',
      listed: 'fail',
      err: 'unscored',
    });
  });

  test('partial scores stay numbers, and the gaps say that they count as failed', () => {
    const scores = { s: { value: 'P' }, t: { value: { kind: 0.25, right: 1 } } };
    const log = { version: 2, status: 'success', eval: { task: 't' }, samples: [{ id: 'a', scores }] };
    const made = importInspect(log, 'l');
    expect(open(made).results.samples[0]?.trials[0]?.verdicts).toMatchObject([
      { checker: 's', pass: false, score: 0.5 },
      { checker: 't.kind', pass: false, score: 0.25 },
      { checker: 't.right', pass: true, score: 1 },
    ]);
    expect(made.gaps.filter((gap) => gap.includes('neither 0 nor 1'))).toEqual([
      expect.stringContaining('1 scores of s '),
      expect.stringContaining('1 scores of t.kind '),
    ]);
  });

  test('one scorer can be named; without, all must pass', () => {
    const samples = [{ id: 'a', epoch: 1, messages: [], scores: { strict: { value: 'I' }, lenient: { value: 'C' } } }];
    const log = { version: 2, status: 'error', eval: { task: 't' }, samples };
    expect(open(importInspect(log, 'l')).results.passed).toBe(0);
    expect(open(importInspect(log, 'l', 'lenient')).results.passed).toBe(1);
    expect(importInspect(log, 'l').gaps.some((gap) => gap.includes('status "error"'))).toBe(true);
  });

  test('what is no log is refused; a sample that cannot be read is left out and told', () => {
    expect(() => importInspect([], 'l.json')).toThrow(/l\.json: is no Inspect log/);
    const log = {
      version: 2,
      status: 'success',
      eval: { task: 't' },
      samples: [{ id: 'a', scores: { s: { value: 'C' } } }, { messages: 3 }],
    };
    expect(importInspect(log, 'l').gaps[0]).toContain('l#samples/1 was left out');
  });
});

test('lines of JSON: one trial each, with the layer on failures only', () => {
  const lines = exportJsonLines(ours.results).map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ sample, trial, outcome, layer }) => [sample, trial, outcome, layer])).toEqual([
    ['lamps-0', 1, 'pass', null],
    ['lamps-0', 2, 'pass', null],
    ['lamps-1', 1, 'fail', 4],
    ['lamps-2', 1, 'unscored', null],
  ]);
});
