import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readEvalFile } from '../../../src/interop/inspect/eval-file.ts';
import { importInspect } from '../../../src/interop/inspect/import.ts';
import { TraceLine } from '../../../src/scenario/trace.ts';
import { zipOf } from '../../support/zip.ts';

const EVAL = { task: 'lamps', model: 'm' };
const sample = (id: number, more: object = {}) => ({
  ...{ id, epoch: 1, input: 'q', target: 't', scores: { s: { value: 'C' } } },
  messages: [
    { role: 'user', content: 'Light!' },
    { role: 'assistant', content: 'It is on.' },
  ],
  ...more,
});

function archive(files: Record<string, unknown>): Buffer {
  const texts = Object.entries(files).map(([path, value]) => [path, JSON.stringify(value)] as const);
  return zipOf(Object.fromEntries(texts), { method: 8, pack: deflateRawSync });
}

const HEADER = { version: 2, status: 'success', eval: EVAL };

function saidIn(bytes: Buffer): string[] {
  const { files } = importInspect(readEvalFile(bytes, 'x.eval'), 'x.eval');
  const lines = files
    .filter(({ path }) => path.startsWith('traces/'))
    .flatMap(({ content }) =>
      content
        .trim()
        .split('\n')
        .map((line) => TraceLine.parse(JSON.parse(line))),
    );
  return lines.flatMap((line) => (line.type === 'says' ? [line.text] : []));
}

test('one entry a sample; long texts that lie apart come back to their places', () => {
  const apart = sample(2, {
    messages: [{ role: 'assistant', content: 'attachment://abc' }],
    attachments: { abc: 'a long text' },
  });
  const bytes = archive({
    'header.json': HEADER,
    'samples/1_epoch_1.json': sample(1),
    'samples/2_epoch_1.json': apart,
  });
  expect(saidIn(bytes)).toEqual(['It is on.', 'a long text']);
});

test('a large sample in pieces: its conversation is what the ranges name, in the order of the pieces', () => {
  const say = (content: string) => ({ role: 'assistant', content });
  const { messages: _messages, ...shell } = sample(1, {
    message_refs: [
      [0, 1],
      [2, 4],
    ],
  });
  const folder = 'samples/1_epoch_1';
  const bytes = archive({
    'header.json': HEADER,
    [`${folder}/sample.json`]: shell,
    [`${folder}/messages/2.json`]: [say('third'), say('attachment://1')],
    [`${folder}/messages/0.json`]: [say('first'), say('only in an event')],
    [`${folder}/attachments/0.json`]: ['no', 'fourth, and long'],
  });
  expect(saidIn(bytes)).toEqual(['first', 'third', 'fourth, and long']);
});

test('a log that was cut off is read as far as it goes, and says so', () => {
  const bytes = archive({ '_journal/start.json': { version: 2, eval: EVAL }, 'samples/1_epoch_1.json': sample(1) });
  const { gaps } = importInspect(readEvalFile(bytes, 'x.eval'), 'x.eval');
  expect(gaps).toContain('the log says that the evaluation ended with status "started"');
});

test('a number that a scorer gives is summarised besides the verdict', () => {
  const samples = [0.25, 1, 1].map((value, index) => sample(index, { scores: { s: { value } } }));
  const { files } = importInspect({ ...HEADER, samples }, 'x.json');
  expect(JSON.parse(files[0]?.content ?? '')).toMatchObject({
    passed: 2,
    metrics: [{ checker: 's', name: 'score', mean: 0.75, trials: 3 }],
  });
});

test('what Python writes as NaN and Infinity is read, in the header and in a sample', () => {
  const header = JSON.stringify({ ...HEADER, results: { mean: 'NaN' } }).replace('"NaN"', 'NaN');
  const text = JSON.stringify(sample(1, { scores: { s: { value: 'a' }, t: { value: 'b' } }, note: 'NaN' }));
  const bytes = zipOf(
    {
      'header.json': header,
      'samples/1_epoch_1.json': text.replace('"a"', 'NaN').replace('"b"', 'Infinity'),
    },
    { method: 8, pack: deflateRawSync },
  );
  const { files } = importInspect(readEvalFile(bytes, 'x.eval'), 'x.eval');
  const { samples } = JSON.parse(files[0]?.content ?? '') as { samples: { trials: { verdicts: unknown[] }[] }[] };
  // NaN is no score; what is infinite passes, and is no number that can be averaged.
  expect(samples[0]?.trials[0]?.verdicts).toEqual([
    { checker: 't', pass: true, reason: 'scored Infinity', evidence: [] },
  ]);
});

test('a broken entry is named with its line', () => {
  const bytes = zipOf({ 'header.json': '{\n"version": 2,\n"eval" }' }, { method: 8, pack: deflateRawSync });
  expect(() => readEvalFile(bytes, 'x.eval')).toThrow('x.eval#header.json:3: is no JSON: this line');
});

test('an archive of something else is refused in one sentence', () => {
  expect(() => readEvalFile(archive({ 'a.json': {} }), 'x.eval')).toThrow(
    'x.eval: is an archive, and no log of Inspect',
  );
});
