/** Pins: what stands on disk for a run. A change here breaks every run folder that exists: raise the version instead. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { eventHash } from '../../src/adapters/files/file-journal.ts';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { canonicalJson, sha256 } from '../../src/disk/sha256.ts';
import { manifestDigest } from '../../src/disk/manifest.ts';
import { ServedTools } from '../../src/pipeline/evaluation/participants.ts';
import { readForecast, writeForecast } from '../../src/pipeline/forecast/saved-forecast.ts';
import { StartForecast } from '../../src/scenario/forecast/forecast.ts';
import { RunConfig } from '../../src/pipeline/run-config.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { EventBody, MACHINE_VERSION, RunEvent } from '../../src/run/event.ts';
import { fold } from '../../src/run/fold.ts';
import { digestTranscript } from '../../src/run-folder/snapshot.ts';
import { created, decided, designDone, started } from '../support/run-events.ts';
import { scratch } from '../support/scratch.ts';

/** `events/000002.json` of a run, as it was written on the day that this was pinned. */
const EVENT_FILE = `{
  "seq": 2,
  "prev": "1111111111111111111111111111111111111111111111111111111111111111",
  "hash": "HASH",
  "ts": "2026-11-20T10:00:02.000Z",
  "actor": "agent:init",
  "body": {
    "type": "design.done",
    "round": 1,
    "digest": "design-1",
    "packDigest": "pack-1",
    "rules": 10,
    "need": 1
  }
}
`;

test('the hash of an event is sha256 over the canonical JSON of the rest', () => {
  const { hash: _hash, ...event } = RunEvent.parse(JSON.parse(EVENT_FILE));
  // printf '%s' '{"actor":"agent:init","body":{"digest":"design-1","need":1,"packDigest":"pack-1","round":1,"rules":10,
  //   "type":"design.done"},"prev":"1111…","seq":2,"ts":"2026-11-20T10:00:02.000Z"}' | sha256sum   (on one line)
  expect(eventHash(event)).toBe('f6ccd6c91c87deff576d408cf4b7164d454e86dbeb7b11ca22d9d29357cd6ba8');
});

test('the digest of a folder is sha256 over the canonical JSON of its manifest', () => {
  const file = { path: 'a.md', sha256: '0'.repeat(64), bytes: 1 };
  expect(manifestDigest({ version: 1, files: [file] })).toBe(
    '5686940b146d63a7808ac775f0ecbea45c9415b7ba91c2f21da85c9ea766de07',
  );
});

test('the digest of a conversation is sha256 over the canonical JSON of its entries, one a line', () => {
  const stored = [
    { id: 'e1', step: 'design.r1' },
    { step: 'design.r1', later: true, id: 'e2' },
    { id: 'e3', step: 'design.r2' },
  ];
  const digest = '00727bf0172e519fbe6550187dcea655cbb339ffc29f88daa795654ae2bbe7fa';
  expect(digestTranscript('init', 'design.r1', stored)).toEqual({
    agent: 'init',
    step: 'design.r1',
    entries: 2,
    digest,
  });
});

/** By machine version: what its events may look like. A line is added, none is changed: programs of that version are installed. */
const EVENTS_OF: Readonly<Record<number, string>> = {
  2: 'de91ca717afefa62',
  3: 'd2ef027018426e00',
  4: 'a52059a914a930a6',
  5: '75ac3ae2d97b03f1',
  6: 'adaec73f3b21b1ab',
  7: 'b03858e677265517',
  8: '59981abfdefdba3e',
  9: 'aec620ca98fde2ca',
};

test('the machine version moves when events do', () => {
  const { $schema: _dialect, ...shape } = z.toJSONSchema(EventBody, { io: 'input' });
  expect(sha256(canonicalJson(shape)).slice(0, 16)).toBe(EVENTS_OF[MACHINE_VERSION]);
});

test('what a reviewer takes back, what a worker begins and what is asked stand in the journal like this', () => {
  const asked = {
    ...{
      type: 'chat.exchanged',
      gate: 'HITL-1.r1',
      round: 1,
      question: 'Why R4?',
      answer: 'Because.',
      files: ['design/r1/a.md'],
    },
    ...{ lane: 'r1', entries: { first: 'e6', last: 'e7' }, calls: 1, usd: 0.03, via: 'page', nonce: 'q1' },
  };
  const bodies = [
    { type: 'gate.undone', gate: 'HITL-1.r1', round: 1, undoes: 'n', comment: '', via: 'page' },
    { type: 'step.begun', step: 'execute.i1' },
    { type: 'run.resumed', raiseUsd: 5, discarded: 'init.0007' },
    { type: 'run.retried', discarded: 'init.0007' },
    { type: 'run.retried', scenarioDigest: 'd', changes: ['trials: 1 -> 2'] },
    {
      ...{ type: 'design.done', round: 1, digest: 'd', packDigest: 'p', rules: 3, need: 1 },
      transcript: { agent: 'init', step: 'design.r1', entries: 12, digest: 'a' },
      handoffs: { 'handoffs/001-init-to-execute.md': 'b' },
    },
    { type: 'gate.commented', gate: 'HITL-1.r1', round: 1, digest: 'd', comment: 'R4 is unclear.' },
    { type: 'gate.commented', gate: 'HITL-1.r1', round: 1, digest: 'd', comment: '', to: 'bob' },
    asked,
    { type: 'agent.steered', step: 'design.r1', text: 'In euro.', via: 'cli', nonce: 's1' },
    {
      ...{ type: 'agent.steered', step: 'design.r1', text: 'Changed', via: 'session:s-1', nonce: 's2' },
      files: [{ path: 'design/r1/a.md', text: 'x' }, { path: 'design/r1/b.md' }],
    },
    { type: 'agent.heard', step: 'design.r1', said: 3, entry: 'e12' },
  ];
  for (const body of bodies) expect(EventBody.parse(body)).toEqual(body);
});

async function aRun(): Promise<RunFolder> {
  const scenarioDir = join(await scratch(), 'refund-desk');
  await mkdir(scenarioDir);
  const clock = { now: () => new Date('2026-11-20T10:00:00.000Z') };
  const store = openFileRunStore({ roots: [], clock, worker: 'w' });
  const run = await store.create(scenarioDir, '20261120-100000-a1b2c3');
  const story = [created(), started(), designDone(1), decided(1, 'approve', { nonce: 'n' })];
  for (const [length, { body, actor }] of story.entries()) await run.journal.append(body, actor, length);
  return run;
}

test('an event file', async () => {
  const { dir } = await aRun();
  const text = await readFile(join(dir, 'events/000001.json'), 'utf8');
  const { prev, hash } = RunEvent.parse(JSON.parse(text));
  expect(text).toBe(`{
  "seq": 1,
  "prev": "${prev}",
  "hash": "${hash}",
  "ts": "2026-11-20T10:00:00.000Z",
  "actor": "worker:a",
  "body": {
    "type": "run.started"
  }
}
`);
});

test('a journal whose hashes were pinned still folds', async () => {
  const { journal } = await aRun();
  const events = await journal.read();
  expect(events.map(({ hash }) => hash.slice(0, 12))).toEqual([
    'a92908addb55',
    'cb007f45a54a',
    'f9352dd2cb51',
    '22fc4532f154',
  ]);
  expect(fold(events).status).toBe('executing');
});

// S0.23, C.6
test('the layout of a run folder', async () => {
  const run = await aRun();
  const attempt = await run.artifacts.begin('design.r1', 'design/r1', []);
  await writeFile(join(attempt.out, 'business_rules.yaml'), 'version: 1\n');
  await attempt.remember('init.0001', { version: 1 });
  await run.artifacts.commit(attempt);
  await run.writeOnce('gates/HITL-1.r1/pack.json', '{}');
  await run.write('out/summary.md', '');
  await run.transcripts.publish('init', []);
  await run.spending.reserve({ call: 'c', agent: 'init', model: 'm', worstUsd: 1 }, 5);
  const paths = (await readdir(run.dir, { recursive: true })).map((path) =>
    path.replace(/@w-[0-9a-f]{8}/, '@w-xxxxxxxx'),
  );
  expect(paths.toSorted()).toEqual([
    'design',
    'design/r1',
    'design/r1/business_rules.yaml',
    'design/r1/manifest.json',
    'events',
    'events/000000.json',
    'events/000001.json',
    'events/000002.json',
    'events/000003.json',
    'gates',
    'gates/HITL-1.r1',
    'gates/HITL-1.r1/pack.json',
    'out',
    'out/summary.md',
    'program.json',
    'spend',
    'spend/000000.json',
    'transcripts',
    'transcripts/init.jsonl',
    'wip',
    'wip/design.r1@w-xxxxxxxx',
    'wip/design.r1@w-xxxxxxxx/turns',
    'wip/design.r1@w-xxxxxxxx/turns/init.0001.json',
  ]);
  expect(await readFile(join(run.dir, 'design/r1/manifest.json'), 'utf8')).toBe(`{
  "version": 1,
  "files": [
    {
      "path": "business_rules.yaml",
      "sha256": "09bfcc6a14b83e2192b8673677725c84883ee9cd0c70e45c9ec09daa8f2b2847",
      "bytes": 11
    }
  ]
}
`);
});

test('config.json is what a run is carried on with', () => {
  const text = '{"version":1,"agents":{"init":{"model":"m","keep_steps":3}},"agentsDigest":"d"}';
  expect(RunConfig.parse(JSON.parse(text))).toEqual({
    version: 1,
    agents: { init: { model: 'm', keep_steps: 3 } },
    agentsDigest: 'd',
  });
  const economical = { version: 1, agents: {}, agentsDigest: 'd', economy: { live_after_minutes: 90 } };
  expect(RunConfig.parse(economical)).toEqual(economical);
});

test('scenario/tool_servers.json is what the servers of the subject offered when the run began', () => {
  const tools = [{ name: 'find-item', description: 'd', input_schema: { type: 'object' } }];
  const file = { version: 1, servers: [{ server: 'stock', tools, state: { items: {} } }] };
  expect(ServedTools.parse(file)).toEqual(file);
});

test('forecast.json is what a run was to cost before its first paid call', async () => {
  const run = await aRun();
  expect(await readForecast(run)).toBeUndefined();
  const forecast = {
    ...{ p50: 1.5, p90: 3, floor: 0.5 },
    parts: { design: 0.5, build: 0.9, subject: 0.1 },
    ...{ trials: 15, runs: { same: 1, other: 2 } },
  };
  await writeFile(join(run.dir, 'forecast.json'), JSON.stringify({ version: 1, ...forecast }));
  expect(await readForecast(run)).toEqual(forecast);
  await writeForecast(run, forecast);
  expect(StartForecast.parse(JSON.parse(await readFile(join(run.dir, 'forecast.json'), 'utf8')))).toMatchObject(
    forecast,
  );
});

test('an iteration counts its failures by layer, and newer ones say what part of layer 4 is the sample', () => {
  const done = (layers: Record<string, number>) => ({
    ...{ type: 'iteration.done', iteration: 1, round: 1, designDigest: 'd', successRate: 0.5, lowerBound: 0.1 },
    ...{ passed: 2, total: 4, unscored: 0, layers, outputDir: 'execution_outputs/iteration_1' },
  });
  const old = done({ '1': 0, '2': 0, '3': 0, '4': 2 });
  const split = done({ '1': 0, '2': 0, '3': 0, '4': 2, '4a': 1, '4b': 1 });
  expect(EventBody.parse(old)).toEqual(old);
  expect(EventBody.parse(split)).toEqual(split);
});
