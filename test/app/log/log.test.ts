/** Lines of a log: what each tells, which are left out, and that no secret is in any of them. */
import { describe, expect, test } from 'vitest';
import { openLog, type LogOptions } from '../../../src/app/log/log.ts';
import type { ProgressEvent } from '../../../src/ports/progress.ts';
import type { TracePosition } from '../../../src/ports/telemetry.ts';

function log(more: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const opened = openLog({
    ...{ format: 'json', level: 'info', worker: 'host-1', env: {} },
    now: () => new Date('2026-11-20T10:00:00.000Z'),
    write: (line) => lines.push(line),
    ...more,
  });
  return { ...opened, lines };
}

const phase: ProgressEvent = { type: 'phase', phase: 'execute', round: 2, iteration: 3 };
const retry: ProgressEvent = {
  ...{ type: 'retry', what: 'model call', attempt: 1, delayMs: 2000, reason: '529 overloaded_error' },
  requestId: 'req_7',
};

describe('a line', () => {
  test('has time, level, worker, run, step, request and trace', () => {
    const { progress, follow, lines } = log();
    follow(() => ({ traceId: 't'.repeat(32), spanId: 's', run: 'run-1' }));
    const run = progress('run-1');
    run(phase);
    run(retry);
    expect(JSON.parse(lines[1] ?? '')).toEqual({
      ...{ time: '2026-11-20T10:00:00.000Z', level: 'warn', worker: 'host-1', run: 'run-1', step: 'execute.i3' },
      ...{ request_id: 'req_7', trace_id: 't'.repeat(32) },
      message: 'retry 1 of model call in 2.0 s: 529 overloaded_error',
    });
  });

  test('as text is one line with the same, whatever is in it', () => {
    const { progress, line, lines } = log({ format: 'text' });
    progress('run-1')(phase);
    progress('run-1')(retry);
    line('error', 'two\nlines\u001b[31m', { request_id: 'abc' });
    expect(lines[1]).toMatch(
      /^2026-11-20T10:00:00\.000Z {2}warn {3}host-1 run-1 execute\.i3 {2}retry 1 .* request_id=req_7$/,
    );
    expect(lines[2]).toMatch(/^\S+ {2}error {2}host-1 {2}two lines\S+ {2}request_id=abc$/);
    expect(lines.join('')).not.toContain('\u001b');
  });

  test('of a run stays in its trace when it comes from elsewhere', () => {
    let at: TracePosition | undefined = { traceId: 'aa', spanId: 's', run: 'run-1', step: 'execute.i9' };
    const { progress, follow, lines } = log();
    follow(() => at);
    progress('run-1')(phase);
    // Of a call deep inside the step.
    progress(undefined)(retry);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ run: 'run-1', step: 'execute.i9', trace_id: 'aa' });
    at = undefined;
    progress('run-1')(retry);
    progress('run-2')(retry);
    expect(lines.map((one) => (JSON.parse(one) as { trace_id?: string }).trace_id)).toEqual([
      'aa',
      'aa',
      'aa',
      undefined,
    ]);
  });
});

test('a line of JSON stays one when a key is taken out of a quotation', () => {
  const { line, lines } = log();
  line('error', 'it was sent "Authorization: Bearer abc.def" and "Bearer ghi"');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'it was sent "Authorization: [key]" and "[key]"' });
});

test.each([
  ['debug', 4],
  ['info', 3],
  ['warn', 2],
  ['error', 1],
] as const)('at %s there are %i of four', (level, many) => {
  const { line, lines } = log({ level });
  for (const each of ['debug', 'info', 'warn', 'error'] as const) line(each, each);
  expect(lines).toHaveLength(many);
});

test.each(['json', 'text'] as const)(
  'no secret of the environment is in a line of %s, nor what looks like a key',
  (format) => {
    const env = {
      ANTHROPIC_API_KEY: 'key-of-a-gateway-"1"',
      TANDEM_QUEUE: 'redis://:pass%20word-1@queue.example.org:6379',
      TANDEM_STORE: 'postgres://me@db.example.org/shop?password=asked-for-2',
      TANDEM_SLACK_URL: 'https://hooks.example.org/services/T0/B0/secret-path',
      HOME: '/home/ada',
    };
    const { progress, line, lines } = log({ env, format });
    const said = `${Object.values(env).join(' ')} pass%20word-1 "pass word-1" asked-for-2 sk-ant-api03-abc Bearer abcdefgh`;
    line('error', said, { run: env.ANTHROPIC_API_KEY });
    progress('run-1')({ type: 'state', status: 'errored', detail: said });
    for (const one of lines) {
      expect(one).not.toMatch(/key-of|asked-for|pass%20|pass word|secret-path|sk-ant|abcdefgh/);
      expect(one).toContain('/home/ada');
      if (format === 'json') expect(() => JSON.parse(one) as unknown).not.toThrow();
    }
    expect(lines).toHaveLength(2);
  },
);
