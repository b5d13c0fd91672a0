/** Calls that wait for batches, on the offline model's batch endpoint: what is sent, found again, and paid (13.11). */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAnthropicModel } from '../../../../src/adapters/anthropic/anthropic-model.ts';
import { checkBatches } from '../../../../src/adapters/anthropic/batches/batches-api.ts';
import { openEconomy, type EconomyOptions } from '../../../../src/adapters/anthropic/batches/economy.ts';
import { readWaves } from '../../../../src/adapters/anthropic/batches/wave-record.ts';
import type { BatchFaultKind } from '../../../../src/adapters/simulated/batches/batch-fault.ts';
import { startSimulator, type SimulatorOptions } from '../../../../src/adapters/simulated/start.ts';
import type { ModelRequest, TryBill } from '../../../../src/ports/model.ts';
import { openSharedFiles } from '../../../../src/disk/shared-files.ts';
import { startScriptedServer } from '../../../support/scripted-server.ts';
import { TESTER } from '../../simulated/wire.ts';

const live = new AbortController().signal;

function requestOf(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'claude-opus-5-5',
    system: [{ type: 'text', text: 'tester', cache_control: { type: 'ephemeral' } }],
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: `go ${text}` }] }],
    max_tokens: 500,
    ...more,
  };
}

async function scratch(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tandem-economy-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const planned = (...kinds: BatchFaultKind[]) => ({ batchFaults: kinds.map((kind) => ({ kind, nth: 1 })) });

/** The offline model, and processes that talk to it one after the other. */
async function bench(options: Partial<SimulatorOptions> = {}) {
  const simulator = await startSimulator({ simulationDir: undefined, scripts: [TESTER], ...options });
  onTestFinished(() => simulator.close());
  const told: string[] = [];
  const dir = await scratch();
  const endpoint = { baseUrl: simulator.url, apiKey: 'offline', timeoutMs: 5000 };
  const newProcess = (more: Partial<EconomyOptions> = {}) => {
    const retry = { tries: 1, minDelayMs: 1, maxDelayMs: 1 };
    const options = { simulated: false, gatherMs: 20, pollMs: { min: 5, max: 10 }, tries: 4, liveAfterMs: undefined };
    const economy = openEconomy({
      ...endpoint,
      live: createAnthropicModel({ ...endpoint, retry }),
      ...options,
      ...more,
    });
    const model = (name: string, at = dir) =>
      economy.model({ dir: at, files: openSharedFiles(at), name, tell: (detail) => void told.push(detail) });
    return {
      model,
      all: (count: number) => Promise.all(lanes(count).map((name) => model(name).call(requestOf(name), live))),
    };
  };
  const paid = () =>
    simulator.batches.flatMap(({ results = [] }) => results.filter(({ result }) => result.type === 'succeeded')).length;
  const liveCalls = () => simulator.requests.filter(({ path }) => path === '/v1/messages').length;
  return { simulator, newProcess, told, dir, paid, liveCalls };
}

const lanes = (count: number): string[] => Array.from({ length: count }, (_, index) => `lane-${index}`);

describe('a wave', () => {
  test('holds the waiting calls of all conversations of all runs of one model, at half price', async () => {
    const { simulator, newProcess, dir, told } = await bench();
    const other = await scratch();
    const { model } = newProcess();
    const calls = [
      ...lanes(3).map((name) => model(name).call(requestOf(name), live)),
      ...lanes(2).map((name) => model(name, other).call(requestOf(name), live)),
      model('x').call(requestOf('x', { model: 'claude-haiku-5-5' }), live),
    ];
    const responses = await Promise.all(calls);
    for (const { content, usage } of responses) {
      expect(content).toMatchObject([{ type: 'text', text: 'Done.' }]);
      expect(usage.service_tier).toBe('batch');
    }
    expect(simulator.batches.map(({ requests }) => requests.length).toSorted((a, b) => a - b)).toEqual([1, 5]);
    const { params } = simulator.batches.flatMap(({ requests }) => requests)[0] ?? {};
    expect(params).toMatchObject({ system: [{ cache_control: { type: 'ephemeral', ttl: '1h' } }] });
    expect(params).not.toHaveProperty('stream');
    const [mine, theirs] = [await readWaves(openSharedFiles(dir)), await readWaves(openSharedFiles(other))];
    expect([mine.length, theirs.length]).toEqual([2, 1]);
    expect(mine.map(({ batch }) => batch)).toContain(theirs[0]?.batch);
    expect(told.some((line) => /5 calls .* at half price/.test(line))).toBe(true);
  });

  test('that was sent is found again by the next process, and nothing is paid twice', async () => {
    const { simulator, newProcess, paid } = await bench({ batchDelayMs: 150 });
    const stop = new AbortController();
    const first = newProcess();
    const waiting = lanes(4).map((name) => first.model(name).call(requestOf(name), stop.signal));
    while (simulator.batches.length === 0) await new Promise((wait) => setTimeout(wait, 5));
    stop.abort(new Error('stopped'));
    for (const one of waiting) await expect(one).rejects.toThrow('stopped');
    const next = newProcess();
    expect(await next.all(4)).toHaveLength(4);
    // The same request once more is another call.
    await next.model('lane-0').call(requestOf('lane-0'), live);
    expect(simulator.batches.map(({ requests }) => requests.length)).toEqual([4, 1]);
    expect(paid()).toBe(5);
  });

  test('that was stopped before it was sent costs nothing, and says so', async () => {
    const { simulator, newProcess } = await bench();
    const stop = new AbortController();
    const bills: TryBill[] = [];
    const terms = { onFailedTry: async (bill: TryBill) => void bills.push(bill) };
    const call = newProcess({ gatherMs: 60_000 }).model('a').call(requestOf('a'), stop.signal, terms);
    setTimeout(() => stop.abort(new Error('stopped')), 20);
    await expect(call).rejects.toThrow('stopped');
    expect([bills, simulator.batches.length]).toEqual([[{ billed: 'none' }], 0]);
  });

  test('whose answer was lost is recognised by its custom ids, among batches of others that look like it', async () => {
    const { simulator, newProcess, paid } = await bench(planned('answer_lost'));
    expect(await newProcess().all(3)).toHaveLength(3);
    expect([simulator.batches.length, paid()]).toEqual([1, 3]);
  });

  test('whose process died between sending and the answer is recognised by the next one', async () => {
    const { simulator, newProcess, paid, dir } = await bench();
    await newProcess().all(3);
    const [file = ''] = await readdir(join(dir, 'economy'));
    const path = join(dir, 'economy', file);
    const { batch: _unknown, ...before } = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    await writeFile(path, JSON.stringify(before));
    // Somebody else's, of the same size.
    const others = await scratch();
    await Promise.all(
      lanes(3).map((name) =>
        newProcess()
          .model(name, others)
          .call(requestOf(`${name} other`), live),
      ),
    );
    const batches = simulator.batches.length;
    expect(await newProcess().all(3)).toHaveLength(3);
    expect([simulator.batches.length, paid()]).toEqual([batches, 6]);
    expect(JSON.parse(await readFile(path, 'utf8'))).toHaveProperty('batch', simulator.batches[0]?.id);
  });

  test('whose process died before it was sent is sent by the next one', async () => {
    const { simulator, newProcess, paid, dir } = await bench();
    await newProcess().all(2);
    const [file = ''] = await readdir(join(dir, 'economy'));
    const path = join(dir, 'economy', file);
    const { batch, ...before } = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    await writeFile(path, JSON.stringify({ ...before, newest: batch }));
    expect(await newProcess().all(2)).toHaveLength(2);
    expect([simulator.batches.length, paid()]).toEqual([2, 4]);
    expect(await readWaves(openSharedFiles(dir))).toHaveLength(1);
  });
});

describe('what goes wrong is settled call by call', () => {
  test.each(['half_expired', 'half_canceled', 'half_errored', 'expired'] as const)('%s', async (kind) => {
    const { simulator, newProcess, paid } = await bench(planned(kind));
    expect(await newProcess().all(5)).toHaveLength(5);
    expect(simulator.batches.map(({ requests }) => requests.length)).toEqual([5, kind === 'expired' ? 5 : 2]);
    expect(paid()).toBe(5);
  });

  test.each(['not_created', 'status_500', 'results_torn'] as const)('%s is tried again', async (kind) => {
    const { simulator, newProcess, paid } = await bench(planned(kind));
    expect(await newProcess().all(3)).toHaveLength(3);
    expect([simulator.batches.length, paid()]).toEqual([1, 3]);
  });

  test('a request that the API refuses fails alone, in the words of a live call, and is billed nothing', async () => {
    const { newProcess } = await bench();
    const { model, all } = newProcess();
    const bills: TryBill[] = [];
    const terms = { onFailedTry: async (bill: TryBill) => void bills.push(bill) };
    const bad = model('bad').call(requestOf('x', { messages: [] }), live, terms);
    const [refused] = await Promise.allSettled([bad, all(2)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'model_refused' } });
    expect(bills).toEqual([{ billed: 'none' }]);
  });

  test('what never succeeds ends as retryable after the tries', async () => {
    const faults = [1, 2, 3, 4].map((nth) => ({ kind: 'expired' as const, nth }));
    const { newProcess, simulator } = await bench({ batchFaults: faults });
    const bills: TryBill[] = [];
    const terms = { onFailedTry: async (bill: TryBill) => void bills.push(bill) };
    const call = newProcess().model('a').call(requestOf('a'), live, terms);
    await expect(call).rejects.toMatchObject({ code: 'model_unavailable', retryable: true });
    expect([simulator.batches.length, bills.length]).toEqual([4, 4]);
  });

  test('what is older than allowed is cancelled and finished live; what was in work is used', async () => {
    const { newProcess, paid, liveCalls, told, simulator } = await bench(planned('stuck'));
    const responses = await newProcess({ liveAfterMs: 60 }).all(5);
    expect(responses.map(({ usage }) => usage.service_tier ?? 'live').toSorted()).toEqual([
      'batch',
      'batch',
      'batch',
      'live',
      'live',
    ]);
    expect([simulator.batches.length, paid(), liveCalls()]).toEqual([1, 3, 2]);
    expect(told.join('\n')).toMatch(/older than allowed.*finished live/);
  });

  test('a batch that the endpoint does not know stops for a person, unless the offline model had it', async () => {
    const { simulator, newProcess, dir } = await bench();
    await newProcess().all(1);
    const [file = ''] = await readdir(join(dir, 'economy'));
    const path = join(dir, 'economy', file);
    const record = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    await writeFile(path, JSON.stringify({ ...record, batch: 'msgbatch_gone' }));
    await expect(newProcess().all(1)).rejects.toMatchObject({
      code: 'model_refused',
      message: expect.stringContaining(path),
    });
    await writeFile(path, JSON.stringify({ ...record, endpoint: 'https://elsewhere' }));
    await expect(newProcess().all(1)).rejects.toMatchObject({ code: 'config_invalid' });
    expect(simulator.batches).toHaveLength(1);
    await writeFile(path, JSON.stringify({ ...record, batch: 'msgbatch_gone', simulated: true }));
    expect(await newProcess().all(1)).toHaveLength(1);
  });

  test('a request that needs a beta is made live', async () => {
    const { newProcess, liveCalls, simulator } = await bench();
    await newProcess()
      .model('a')
      .call(requestOf('a', { betas: ['context-1m-2025-08-07'] }), live);
    expect([liveCalls(), simulator.batches.length]).toEqual([1, 0]);
  });
});

test('an endpoint without batches is refused before anything is paid', async () => {
  const server = await startScriptedServer([
    (response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('no such route'),
  ]);
  onTestFinished(server.close);
  const checked = checkBatches({ baseUrl: server.url, apiKey: 'a-key', timeoutMs: 1000 }, live);
  await expect(checked).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('takes no batches') });
});
