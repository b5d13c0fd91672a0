/** Pins: lines of transcripts as they were written on the day that this was pinned; every later reader must take them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileTranscripts } from '../../src/adapters/files/file-transcripts.ts';
import { importTranscript, view } from '../../src/library/context.ts';
import { estimateBytes, countImages } from '../../src/transcript/bytes.ts';
import { scratch } from '../support/scratch.ts';

const HASH = 'ad7facb2586fc6e966c004d7d1d16b024f5805ff7cb47c7a85dabd8b48892ca7';
const LINES = [
  // Before images had files of their own, their bytes stood in the entry.
  '{"version":1,"id":"e1","parents":[],"lane":"main","step":"design.r1","type":"message","origin":"human","message":{"role":"user","content":[{"type":"text","text":"Look."},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAECAw=="}}]}}',
  '{"version":1,"id":"e2","parents":["e1"],"lane":"main","step":"design.r1","type":"message","origin":"model","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{"file_path":"a.png"}}]},"response":{"model":"claude-opus-5-5","stopReason":"tool_use","usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":5},"view":"e0"}}',
  `{"version":1,"id":"e3","parents":["e2"],"lane":"main","step":"design.r1","type":"message","origin":"tools","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"a.png: image/png, 4 bytes"},{"type":"image","source":{"type":"stored","media_type":"image/png","sha256":"${HASH}","bytes":4}}],"is_error":false}]}}`,
  '{"version":1,"id":"e4","parents":["e3"],"lane":"main","step":"design.r2","type":"message","origin":"harness","context":{"policy":"two-agent","window":1000000,"trigger":750000,"target":375000,"hard":984000},"message":{"role":"user","content":[{"type":"text","text":"Go on."}]}}',
  '{"version":1,"id":"e5","parents":["e4"],"lane":"main","step":"design.r2","type":"message","origin":"reminder","message":{"role":"user","content":[{"type":"text","text":"Without thinking."}]},"dropsThinking":true}',
  '{"version":1,"id":"e6","parents":["e5"],"lane":"main","step":"design.r2","type":"message","origin":"reminder","item":"pointer","message":{"role":"user","content":[{"type":"text","text":"Seen."}]},"pointers":{"e3":"[image image/png, 4 bytes]"}}',
];

async function onDisk() {
  const dir = await scratch();
  await mkdir(join(dir, 'transcripts/images'), { recursive: true });
  await writeFile(join(dir, 'transcripts/init.jsonl'), `${LINES.join('\n')}\n`);
  await writeFile(join(dir, 'transcripts/images', HASH), Buffer.from([0, 1, 2, 4]));
  await writeFile(
    join(dir, 'transcripts/init.times.json'),
    '{"version":1,"ms":{"e2":1500},"at":{"e2":"2026-11-22T08:00:00.000Z"}}\n',
  );
  return openFileTranscripts(dir);
}

test('images inline and stored, the record of the policy, the times beside them (S3.10, S4.6)', async () => {
  const transcripts = await onDisk();
  const entries = await transcripts.read('init');
  expect(entries.map((entry) => JSON.parse(JSON.stringify(entry)) as unknown)).toEqual(
    LINES.map((line) => JSON.parse(line) as unknown),
  );
  const before = view(entries.slice(0, 5)).messages;
  // The bytes inline are those of no image, so a text stands for them.
  expect(before.map(countImages)).toEqual([0, 0, 1, 0, 0]);
  expect(view(entries).messages.map(countImages)).toEqual([0, 0, 0, 0, 0, 0]);
  const [first, , third] = before;
  expect(estimateBytes(third ?? { content: [] }) - estimateBytes(first ?? { content: [] })).toBeLessThan(200);
  // A run that is older than the records of calls: its transcript and its times say what there is.
  expect(await transcripts.calls('init')).toMatchObject([
    { entry: 'e2', ms: 1500, answeredAt: '2026-11-22T08:00:00.000Z', outcome: 'answered', model: 'claude-opus-5-5' },
  ]);
});

test('a stored image whose bytes were changed is told, one that is whole is given', async () => {
  const transcripts = await onDisk();
  await expect(transcripts.images.load(HASH)).rejects.toMatchObject({ code: 'data_corrupt' });
  const { sha256 } = await transcripts.images.keep('AAECAw==');
  expect(await transcripts.images.load(sha256)).toBe('AAECAw==');
});

test('replays read them as they stand', () => {
  const { entries } = importTranscript(`${LINES.join('\n')}\n`, 'init.jsonl');
  expect(entries.map(({ message }) => countImages(message))).toEqual([1, 0, 1, 0, 0, 0]);
});

/** Two lines of one call, and one of a call that could not be made. */
const CALLS = [
  '{"version":1,"id":"design.r2.main.0001","agent":"init","step":"design.r2","at":"2026-11-23T01:00:00.000Z","model":"claude-opus-5-5","lane":"main","purpose":"answer","limit":{"policy":"two-agent","window":1000000,"reserved":16000,"trigger":750000,"target":375000,"hard":984000},"estimate":4000,"source":"estimate","decisions":[],"rewrites":[],"epoch":"e0"}',
  '{"version":1,"id":"design.r2.main.0001","agent":"init","step":"design.r2","at":"2026-11-23T01:00:01.000Z","model":"claude-opus-5-5","lane":"main","purpose":"answer","limit":{"policy":"two-agent","window":1000000,"reserved":16000,"trigger":750000,"target":375000,"hard":984000},"estimate":4000,"source":"estimate","decisions":[],"rewrites":[],"epoch":"e0","outcome":"answered","entry":"e7","stopReason":"end_turn","usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":5},"costUsd":0.1,"ms":900}',
  '{"version":1,"id":"design.r2.main.0002","agent":"init","step":"design.r2","at":"2026-11-23T01:00:02.000Z","model":"claude-opus-5-5","lane":"main","purpose":"answer","estimate":900000,"source":"usage","decisions":[{"attempt":1,"pass":"keep-latest-steps","detail":"the latest 3 steps stay word for word","tokens":800000,"goal":375000,"fits":false,"taken":false,"why":"425000 tokens over the goal"}],"rewrites":[{"entry":"e9","cause":"schema","detail":"no closed tag"}],"outcome":"not_sent","error":{"code":"context_overflow","message":"too large"},"openGate":"HITL-1.r2"}',
];

test('the first records had no date of their answers: it comes from the file of times beside them (S1.9)', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'transcripts'), { recursive: true });
  await writeFile(join(dir, 'transcripts/init.calls.jsonl'), `${CALLS.join('\n')}\n`);
  const times = { version: 1, ms: { e7: 900 }, at: { e7: '2026-11-23T01:00:01.500Z' } };
  await writeFile(join(dir, 'transcripts/init.times.json'), JSON.stringify(times));
  const [call] = await openFileTranscripts(dir).calls('init');
  expect(call).toMatchObject({ entry: 'e7', ms: 900, answeredAt: '2026-11-23T01:00:01.500Z' });
});

test('records of calls: the later line of a call counts, the first time stays, a torn line is dropped (S4.6)', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'transcripts'), { recursive: true });
  const path = join(dir, 'transcripts/init.calls.jsonl');
  await writeFile(path, `${CALLS.join('\n')}\n{"version":1,"id":"torn`);
  const transcripts = openFileTranscripts(dir);
  const calls = await transcripts.calls('init');
  expect(calls).toEqual([
    { ...(JSON.parse(CALLS[1] ?? '') as object), at: '2026-11-23T01:00:00.000Z' },
    JSON.parse(CALLS[2] ?? ''),
  ]);
  // A later try of the step makes its call again: the failed one stays.
  const again = { ...calls[1], outcome: undefined } as (typeof calls)[number];
  await transcripts.record('init', [again]);
  expect((await transcripts.calls('init')).map(({ id, outcome }) => [id, outcome])).toEqual([
    ['design.r2.main.0001', 'answered'],
    ['design.r2.main.0002', 'not_sent'],
    ['design.r2.main.0002', undefined],
  ]);
});
