/** `tandem trace`: one trial in the terminal, its model calls byte for byte, and what is said where none were recorded. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { traceCommand } from '../../../src/cli/evaluate/trace.ts';
import { failing, results, sample } from '../../report/makers.ts';
import { recordedCalls } from '../../support/recorded-calls.ts';
import { scratch } from '../../support/scratch.ts';
import { TRACE } from '../../web/desk.ts';
import { fakeIo } from '../fake-io.ts';

const ESCAPE = '\u001b[2J';
const REQUEST = JSON.stringify({ model: 'm', messages: [`clear ${ESCAPE} the screen`] });

async function iteration() {
  const io = fakeIo(await scratch());
  await mkdir(join(io.cwd, 'it/traces'), { recursive: true });
  const samples = [sample('fine'), failing('late', 4, {})];
  await writeFile(join(io.cwd, 'it/results.json'), JSON.stringify(results(samples)));
  for (const { id } of samples) {
    const lines = TRACE.map((line) => JSON.stringify('sample' in line ? { ...line, sample: id } : line));
    await writeFile(join(io.cwd, `it/traces/${id}.1.jsonl`), `${lines.join('\n')}\n`);
  }
  const calls = await recordedCalls([
    [{ request: REQUEST, status: 200, answer: Buffer.from('event: message_start\ndata: {}\n') }],
    [{ request: REQUEST, status: 200, answer: Buffer.from([0xff]) }],
  ]);
  const file = join(io.cwd, 'it/traces/late.1.calls.json');
  await writeFile(file, JSON.stringify(calls));
  const trace = (id: string, options = {}) => traceCommand({ run: 'it', sample: id }, options, io);
  return { io, file, trace };
}

test('shows what was said and called, and how to see the bytes', async () => {
  const { io, file, trace } = await iteration();
  expect(await trace('late')).toBe(0);
  const text = io.lines.join('\n');
  expect(text).toContain('late, trial 1 of iteration 1: fail');
  expect(text).toMatch(/#1 start: [\s\S]*user: [\s\S]*calls [\s\S]*end: /);
  expect(text).toContain('2 model calls are recorded: --raw');
  await rm(file);
  await trace('late');
  expect(io.lines.at(-1)).toBe('Requests and answers of models were not recorded.');
});

test('--raw shows requests and answers harmlessly, --call one of them, --json every byte', async () => {
  const { io, trace } = await iteration();
  await trace('late', { raw: true });
  const text = io.lines.join('\n');
  expect(text).toContain(`== call 2: subject, step 2\n-- request, ${REQUEST.length} bytes`);
  expect(text).toContain('event: message_start\ndata: {}');
  expect(text).not.toContain('\u001b');
  io.lines.length = 0;
  await trace('late', { call: '2' });
  expect(io.lines.join('\n')).not.toContain('== call 1');
  await trace('late', { json: true, raw: true });
  expect(io.json()).toMatchObject({
    ...{ sample: 'late', trial: 1 },
    calls: [
      { number: 1, tries: [{ status: 200, request: { text: REQUEST } }] },
      { number: 2, tries: [{ answer: { base64: '/w==' } }] },
    ],
  });
  await trace('late', { json: true });
  expect(io.json()).toMatchObject({ calls: [{ tries: [{ request: { bytes: REQUEST.length } }] }, {}] });
  await trace('fine', { json: true });
  expect(io.json()).toMatchObject({ calls: null });
});

test('names what there is where something else was named', async () => {
  const { trace } = await iteration();
  await expect(trace('early')).rejects.toThrow('there are: fine, late.');
  await expect(trace('late', { trial: '7' })).rejects.toThrow('late has 1 trial');
  await expect(trace('late', { call: '3' })).rejects.toThrow('2 model calls');
});
