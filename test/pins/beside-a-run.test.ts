/** Files that processes leave for one another: what stands here was written by an earlier version and is still read. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileBatches } from '../../src/adapters/files/run-folder.ts';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { RecordedFacts, RecordedModelCall, RecordingHead } from '../../src/adapters/recorded/request-key.ts';
import { runTrace } from '../../src/adapters/telemetry/run-spans.ts';
import { FolderProof } from '../../src/app/evaluation/evaluate-with.ts';
import { readBatch, joinBatch, withBatchBudgets } from '../../src/batch/batch.ts';
import { readSchedules } from '../../src/batch/schedule.ts';
import { readStarts } from '../../src/batch/schedule-starts.ts';
import { SubmitDesign } from '../../src/agent/tools/schemas.ts';
import { AccountedText } from '../../src/gate/rules/review-pack.ts';
import { openLease } from '../../src/disk/lease.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { ChannelBook } from '../../src/gate/notices/channel-book.ts';
import { NoticeBook } from '../../src/gate/notices/notice-book.ts';
import { WorkerPresence } from '../../src/worker/presence.ts';
import { StoredTrial } from '../../src/evaluation/trial/stored-trial.ts';
import { writeProgramNote, readProgramVersion } from '../../src/disk/newer-program.ts';
import { packageVersion } from '../../src/own-file.ts';
import { openEvaluationFolder } from '../../src/pipeline/evaluation/evaluation-folder.ts';
import { createRecall } from '../../src/pipeline/sessions/index-sessions.ts';
import { RememberedCall } from '../../src/pipeline/spending/paid-model.ts';
import { readHandOverMark } from '../../src/run-folder/hand-over.ts';
import { openRunIndex } from '../../src/run-folder/run-index.ts';
import { Checkpoint, Layer1Problems } from '../../src/scenario/handoff.ts';
import { EvaluationBatch } from '../../src/cli/batch/evaluate.ts';
import { Label } from '../../src/scenario/label.ts';
import { TraceLine } from '../../src/scenario/trace.ts';
import { TrialCalls } from '../../src/scenario/trial-calls.ts';
import { Baseline } from '../../src/scenario/statistics/compare-baseline.ts';
import { created, started } from '../support/run-events.ts';
import { scratch, tickingClock } from '../support/scratch.ts';

const USAGE = { input_tokens: 9, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
const AT = '2026-11-20T10:00:00.000Z';
const VERIFICATION = { ok: true, problems: [], proofs: [], coverage: {} };

async function put(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(value)}\n`);
}

async function aRun() {
  const root = await scratch();
  const store = openFileRunStore({ roots: [root], clock: tickingClock(), worker: 'w' });
  const run = await store.create(join(root, 'desk'), 'run-1');
  for (const [length, { body, actor }] of [created(), started()].entries())
    await run.journal.append(body, actor, length);
  return { root, store, run };
}

test('labels/000000.json: what a person says about one conversation', () => {
  const label = {
    ...{ version: 1, seq: 0, prev: '', hash: 'h', at: '2026-11-23T00:00:00.000Z', by: 'user:ada', grader: 'kind' },
    ...{ question: 'q', conversation: 'c', text: '{"user":"hi"}', run: 'run-1', iteration: 1, sample: 's', trial: 1 },
    ...{ verdict: 'pass', reason: 'it is kind' },
  };
  expect(Label.parse(label)).toEqual(label);
  expect(Label.parse({ ...label, judged: { key: 'k', pass: false } }).judged).toEqual({ key: 'k', pass: false });
});

test('batches/<id>/evaluations.json: the evaluations of a batch', () => {
  const begun = { version: 1, scenarios: ['desk'], subject: 'mine.yaml', trials: '3', versionOf: 'agent' };
  expect(EvaluationBatch.parse(begun)).toEqual(begun);
  expect(EvaluationBatch.parse({ version: 1, scenarios: ['desk'] })).toEqual({ version: 1, scenarios: ['desk'] });
});

test('turns/<lane>.0001.json: an answer that was paid for', () => {
  const response = {
    ...{ id: 'msg_1', model: 'm', requestId: 'req_1', usage: USAGE },
    ...{ content: [{ type: 'text', text: 'yes' }], stopReason: 'end_turn' },
  };
  const refused = { ...response, stopReason: 'refusal', stopDetails: { category: 'cyber', explanation: 'No.' } };
  expect(RememberedCall.parse({ version: 1, digest: 'd', response: refused, nth: 1 }).response).toEqual(refused);
  expect(RememberedCall.parse({ version: 1, digest: 'd', response, ms: 12 })).toEqual({
    ...{ version: 1, digest: 'd', ms: 12 },
    response,
  });
  const rates = { input: 1, output: 5, cacheWrite: 1.25, cacheRead: 0.1 };
  const paid = { version: 1, digest: 'd', response, price: { ...rates, longPrompt: { ...rates, above: 100_000 } } };
  expect(RememberedCall.parse(paid)).toEqual(paid);
});

test('wip/<step>/trials/<sample>.<n>.json: a trial that is done', () => {
  const result = {
    ...{ trial: 1, outcome: 'pass', stop: 'done', verdicts: [], trace: 'traces/s.1.jsonl', costUsd: 0, durationMs: 1 },
  };
  const stored = { version: 1, inputs: 'i', worker: 'w', result, tools: ['look'], detail: 'why', lines: [] };
  expect(StoredTrial.parse(stored)).toEqual(stored);
});

test('traces/<sample>.<n>.calls.json: the bytes of the model calls of one trial', () => {
  const digest = (character: string) => character.repeat(64);
  const one = {
    status: 200,
    request: {
      bytes: 12,
      sha256: '6c81ec92d0c5dd1bafce0f0fd9e23a20e5b6f61c2bd2ed4b3c6a70ce7a8f6a9d',
      head: 0,
      tail: 0,
    },
    answer: { bytes: 2, sha256: digest('b') },
    at: 0,
  };
  const calls = {
    ...{ version: 1, zstd: 'KLUv/SACEQAAb2s=' },
    calls: [
      { by: 'subject', step: 1, tries: [one] },
      { by: 'grader tone', step: 1, tries: [] },
    ],
  };
  expect(TrialCalls.parse(calls)).toEqual(calls);
});

test('traces/<sample>.<n>.jsonl: what one subject did in one trial', () => {
  const lines = [
    { type: 'start', version: 1, sample: 's', trial: 1, model: 'm', inputs: 'i', world: { order: 7 } },
    {
      type: 'start',
      version: 1,
      sample: 's',
      trial: 1,
      model: 'm',
      inputs: 'i',
      base: { name: 'w', sha256: 'a', patch: [] },
    },
    { type: 'user', step: 0, text: 'hello' },
    { type: 'says', step: 1, text: 'yes?' },
    { type: 'call', step: 1, tool: 'look', input: { id: 7 }, output: { ok: true }, is_error: false, change: [] },
    {
      ...{ type: 'end', stop: 'done', final: 'bye', world: {}, calls: 1, usage: USAGE, costUsd: 0, durationMs: 2 },
    },
    {
      ...{ type: 'end', stop: 'done', final: 'bye', world: {}, calls: 1, usage: USAGE, costUsd: 0, durationMs: 2 },
      answers: [{ durationMs: 2, in: 10, out: 1, usd: 0.1 }],
    },
  ];
  expect(lines.map((line) => TraceLine.parse(line))).toEqual(lines);
});

test('memory/<agent>.<hash>: what an agent was reminded of at its first try', async () => {
  const { run } = await aRun();
  const lines = ['run r (succeeded), init e1: a sentence'];
  const attempt = { recall: async () => ({ version: 1, lines }) };
  const agent = { definition: { name: 'init', memory: { level: 'summary' } } } as unknown as Parameters<
    typeof createRecall
  >[0];
  const making = { run, attempt, deps: { memoryOf: () => undefined } } as unknown as Parameters<typeof createRecall>[1];
  expect(await createRecall(agent, making)?.('task', 3, new AbortController().signal)).toEqual(lines);
});

test('trace.json: the trace to which every process adds', async () => {
  const { run } = await aRun();
  const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentSpanId: 'c'.repeat(16) };
  await run.write('trace.json', JSON.stringify({ version: 1, ...trace }));
  expect(await runTrace(run, undefined)).toEqual(trace);
});

test('batches/<id>.json and batch.json: the runs of a batch, and of which batch a run is', async () => {
  const { root, store, run } = await aRun();
  const batch = {
    ...{ version: 1, id: 'night', createdAt: '2026-11-20T10:00:00.000Z', actor: 'user:ada', budgetUsd: 0.5 },
    economy: { live_after_minutes: 90 },
    runs: [{ run: 'run-1', scenario: 'desk', dir: 'desk/runs/run-1' }],
  };
  await put(join(root, 'batches/night.json'), batch);
  expect(await readBatch(openFileBatches(root), 'night')).toEqual(batch);
  await joinBatch(run, 'night');
  expect(JSON.parse(await readFile(join(run.dir, 'batch.json'), 'utf8'))).toEqual({ version: 1, batch: 'night' });
  const joined = await withBatchBudgets(store, { ...openFileBatches(root), spending: async () => run.spending }).open(
    run.dir,
  );
  const call = { call: 'c', agent: 'init', model: 'm', worstUsd: 1 };
  await expect(joined.spending.reserve(call, 100)).rejects.toMatchObject({ code: 'budget_exceeded' });
});

test('a lease: one process for a while', async () => {
  const path = join(await scratch(), 'lease.json');
  await put(path, { version: 1, holder: 'other', until: '2999-01-01T00:00:00.000Z' });
  const lease = openLease({ files: openSharedFiles(join(path, '..')), path: 'lease.json' }, tickingClock(), {
    lastsMs: 1000,
  });
  expect(await lease.mine()).toBe(false);
  await put(path, { version: 1, holder: 'other', until: '2000-01-01T00:00:00.000Z' });
  expect(await lease.mine()).toBe(true);
  expect(Object.keys(JSON.parse(await readFile(path, 'utf8')) as object)).toEqual(['version', 'holder', 'until']);
});

test('runs/.index.json is a cache of version 4: another version is made again', async () => {
  const { root, store } = await aRun();
  const file = join(root, 'desk/runs/.index.json');
  await openRunIndex(store).look();
  const written = JSON.parse(await readFile(file, 'utf8')) as { version: number; runs: Record<string, object> };
  expect([written.version, Object.keys(written.runs)]).toEqual([4, ['run-1']]);
  await put(file, { version: 1, runs: 'other' });
  const { runs } = await openRunIndex(store).look();
  expect(runs.map(({ id, status }) => [id, status])).toEqual([['run-1', 'designing']]);
});

test('evaluation.json: an evaluation without agents goes on where it was killed', async () => {
  const root = await scratch();
  for (const part of ['tools', 'checkers', 'samples', 'design'])
    await mkdir(join(root, 'given', part), { recursive: true });
  const what = {
    ...{
      components: join(root, 'given'),
      design: join(root, 'given/design'),
      designDigest: 'd',
      out: join(root, 'out'),
    },
    parent: root,
  };
  const first = await openEvaluationFolder(what);
  const { componentsDigest: components } = first;
  await first.close();
  await put(join(root, 'out/evaluation.json'), { version: 1, components, design: 'd', verification: VERIFICATION });
  const again = await openEvaluationFolder(what);
  expect([again.resumed, again.proof]).toEqual([true, { verification: VERIFICATION }]);
  await again.close();
});

test('what callers keep: the proof of a folder, and a blessed baseline', () => {
  const proof = {
    version: 1,
    asked: 'a',
    components: 'c',
    verification: VERIFICATION,
    described: { 'tools/a.mjs': {} },
  };
  expect(FolderProof.parse(proof)).toEqual(proof);
  const baseline = {
    ...{ version: 1, run: 'r', iteration: 2, designDigest: 'd', componentsDigest: 'c', blessedBy: 'user:ada' },
    ...{ blessedAt: '2026-11-20T10:00:00.000Z', comment: 'release', samples: { s: { passed: 3, total: 4 } } },
  };
  expect(Baseline.parse(baseline)).toEqual(baseline);
});

test('a recording of model traffic', () => {
  const head = { version: 1, simulated: true, endpoint: 'http://127.0.0.1:1' };
  const price = { input: 1, output: 2, cacheWrite: 1, cacheRead: 1 };
  const facts = {
    version: 1,
    facts: { id: 'm', window: 1, maxOutput: 1, boundThinking: true, price, source: 'table' },
  };
  const response = {
    id: 'i',
    model: 'm',
    content: [{ type: 'text', text: 'a' }],
    stopReason: 'end_turn',
    usage: USAGE,
  };
  const call = { version: 1, digest: 'd', model: 'm', parts: ['p'], answer: { type: 'response', response } };
  const refused = { ...call, answer: { type: 'refused', message: 'no' } };
  expect(RecordingHead.parse(head)).toEqual(head);
  expect(RecordedFacts.parse(facts)).toEqual(facts);
  expect([call, refused].map((one) => RecordedModelCall.parse(one))).toEqual([call, refused]);
});

test('a hand-off and the problems that it carries', () => {
  const problem = { title: 't', claim: 'c', rules: ['R1'], samples: ['s'] };
  expect(Layer1Problems.parse({ version: 1, problems: [problem] })).toEqual({ version: 1, problems: [problem] });
  const handoff = {
    ...{ version: 1, kind: 'handoff', from: 'init', to: 'execute', round: 1, iteration: 1, summary: 's', problems: [] },
    ...{ executionOutputDir: 'execution_outputs/iteration_1', designDir: 'design/r1', reviewerNotes: '', keyPaths: [] },
  };
  expect(Checkpoint.parse(handoff)).toEqual(handoff);
});

test('submission.json and pack.json: what Init says of the brief', () => {
  const account = { of: [1, 'policies/a.md:3'], by: ['R1', 'request=refund'], none: 'left_out', why: 'w' };
  expect(SubmitDesign.parse({ summary: 's', accounts: [account] }).accounts).toEqual([account]);
  const shown = { place: '1', text: 't', by: ['R1'], none: 'left_out', why: 'w', doubt: 'the design has no R1' };
  expect(AccountedText.parse(shown)).toEqual(shown);
});

test('program.json: which version wrote in a folder last, in words that every later version adds to', async () => {
  const dir = await scratch();
  await writeFile(join(dir, 'program.json'), '{"version":1,"program":"0.0.1"}\n');
  expect(await readProgramVersion(openSharedFiles(dir))).toBe('0.0.1');
  await writeProgramNote(dir);
  expect(JSON.parse(await readFile(join(dir, 'program.json'), 'utf8'))).toEqual({
    version: 1,
    program: packageVersion(),
  });
});

test('out/notices.json, scenarios/.notices.json and worker.json: what was sent, how channels are, who works', () => {
  const delivery = { id: 'run-1.HITL-1.r1.opened', kind: 'opened', channel: 'email', to: 'ada', since: AT };
  const deliveries = [
    { ...delivery, state: 'sent', tries: 1, at: AT },
    { ...delivery, state: 'refused', tries: 6, at: AT, why: 'no' },
  ];
  expect(NoticeBook.parse({ version: 1, deliveries })).toEqual({ version: 1, deliveries });
  const fault = { since: AT, tries: 2, until: AT, why: 'it answered 503' };
  const channels = { version: 1, channels: { slack: { since: AT }, email: { since: AT, fault } } };
  expect(ChannelBook.parse(channels)).toEqual(channels);
  const worker = { version: 1, worker: 'host-1', program: '0.2.0', lanes: ['init'], startedAt: AT, seenAt: AT };
  expect(WorkerPresence.parse(worker)).toEqual(worker);
});

test('the mark that hands a run to workers: queue.json', async () => {
  const of = (mark: object) => readHandOverMark({ read: async () => JSON.stringify(mark) });
  const models = { init: 'p/a', execute: 'p/b' };
  expect(await of({ version: 1, carriedBy: 'workers' })).toEqual({});
  expect(await of({ version: 1, carriedBy: 'workers', models })).toEqual({ models });
  const turn = { priority: 'high', place: 3 };
  expect(await of({ version: 1, carriedBy: 'workers', models, turn })).toEqual({ models, turn });
});

test('batches/.schedules/<id>.json: a batch that begins by itself', async () => {
  const schedule = {
    ...{ version: 1, id: 'nightly', cron: '0 2 * * *', timeZone: 'Europe/Berlin', actor: 'user:ada', createdAt: AT },
    args: ['scenarios/*', '--runs', '3'],
  };
  const root = await scratch();
  await put(join(root, 'batches/.schedules/nightly.json'), schedule);
  const steered = {
    ...{ ...schedule, id: 'steered', overlap: 'queue', catchUpMs: 3_600_000, since: AT },
    paused: { at: AT, actor: 'user:ada' },
  };
  await put(join(root, 'batches/.schedules/steered.json'), steered);
  expect(await readSchedules(openSharedFiles(root))).toEqual([schedule, steered]);
});

test('batches/.starts/<schedule>/: what became of its times', async () => {
  const root = await scratch();
  const [due, batch] = ['2026-11-20T02:00:00.000Z', 'nightly-20261120-020000'];
  await put(join(root, `batches/.starts/nightly/${batch}.json`), {
    version: 1,
    due,
    decided: 'begin',
    asked: 'user:ada',
  });
  await put(join(root, `batches/.starts/nightly/${batch}.begun-1.json`), { version: 1, worker: 'w-1', at: AT });
  await put(join(root, `batches/.starts/nightly/${batch}.ended.json`), { version: 1, exit: 0, at: AT });
  expect(await readStarts(openSharedFiles(root), 'nightly')).toEqual([
    {
      ...{ version: 1, due, decided: 'begin', asked: 'user:ada', batch },
      ...{ claims: [{ version: 1, worker: 'w-1', at: AT }], ending: { version: 1, exit: 0, at: AT } },
    },
  ]);
});
