/** The batch endpoint of the offline model, through the vendor's own client (docs/internals/api-rules.md §5.2). */
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import type { SimulatorOptions, Simulator } from '../../../../src/adapters/simulated/start.ts';
import type { BatchFault } from '../../../../src/adapters/simulated/batches/batch-fault.ts';
import { BASE, post, TESTER, withSimulator } from '../wire.ts';

const PATH = '/v1/messages/batches';
const one = (custom_id: string, params: object = BASE) => ({ custom_id, params: params as typeof BASE });
const many = (count: number) => Array.from({ length: count }, (_, index) => one(`call-${index}`));

type Batches = Anthropic['messages']['batches'];

function onServer(options: Partial<SimulatorOptions>, run: (batches: Batches, simulator: Simulator) => Promise<void>) {
  return withSimulator({ scripts: [TESTER], ...options }, (simulator) => {
    const client = new Anthropic({ baseURL: simulator.url, apiKey: 'any', maxRetries: 0, logLevel: 'off' });
    return run(client.messages.batches, simulator);
  });
}

async function resultsOf(batches: Batches, id: string) {
  const found = [];
  for await (const line of await batches.results(id)) found.push(line);
  return found;
}

describe('a batch', () => {
  test('is in progress, then ended; its results come in another order, at the tier of batches', () => {
    let now = new Date('2026-11-22T20:00:00Z');
    return onServer({ batchDelayMs: 60_000, now: () => now }, async (batches) => {
      const sent = await batches.create({ requests: many(12) as never });
      expect(sent).toMatchObject({ processing_status: 'in_progress', results_url: null, ended_at: null });
      expect(sent.request_counts).toMatchObject({ processing: 12, succeeded: 0 });
      expect(sent.expires_at).toBe('2026-11-23T20:00:00.000Z');
      await expect(batches.results(sent.id)).rejects.toThrow(/results_url/);
      now = new Date('2026-11-22T20:01:00Z');
      const ended = await batches.retrieve(sent.id);
      expect(ended.processing_status).toBe('ended');
      expect(ended.request_counts).toMatchObject({ processing: 0, succeeded: 12 });
      const lines = await resultsOf(batches, sent.id);
      const ids = lines.map(({ custom_id: id }) => id);
      expect(ids).not.toEqual(many(12).map(({ custom_id: id }) => id));
      expect(ids.toSorted()).toEqual(
        many(12)
          .map(({ custom_id: id }) => id)
          .toSorted(),
      );
      expect(lines[0]?.result).toMatchObject({ type: 'succeeded', message: { usage: { service_tier: 'batch' } } });
    });
  });

  test('looks at each request as a live call is looked at, and refuses that one alone', () =>
    onServer({}, async (batches, simulator) => {
      const empty = { ...BASE, messages: [] };
      const requests = [one('good'), one('bad', empty), one('streamed', { ...BASE, stream: true })];
      const { id } = await batches.create({ requests: requests as never });
      const lines = await resultsOf(batches, id);
      const byId = new Map(lines.map((line) => [line.custom_id, line.result]));
      expect(byId.get('good')?.type).toBe('succeeded');
      const live = await post(simulator, empty);
      expect(byId.get('bad')).toMatchObject({ type: 'errored', error: { error: live.body['error'] } });
      expect(byId.get('streamed')).toMatchObject({ error: { error: { message: 'stream: not allowed in a batch' } } });
      expect(simulator.batches[0]?.results).toHaveLength(3);
    }));

  test.each([
    ['no requests', { requests: [] }, /at least 1 item/],
    ['a custom id that is none', { requests: [one('a b')] }, /requests\.0\.custom_id/],
    ['a custom id twice', { requests: [one('a'), one('a')] }, /came twice/],
    ['another field', { requests: [one('a')], model: 'x' }, /model/],
  ])('is refused as a whole for %s', (_title, body, says) =>
    onServer({}, async (_batches, simulator) => {
      const { status, body: answer } = await post(simulator, body, { path: PATH });
      expect(status).toBe(400);
      expect(JSON.stringify(answer)).toMatch(says);
      expect(simulator.batches).toEqual([]);
    }),
  );

  test('can be cancelled: what was in work is finished, the rest is not billed', () =>
    onServer({ batchDelayMs: 1e9 }, async (batches) => {
      const { id } = await batches.create({ requests: many(5) as never });
      expect((await batches.cancel(id)).processing_status).toBe('canceling');
      const { processing_status: status, request_counts: counts } = await batches.retrieve(id);
      expect([status, counts.succeeded, counts.canceled]).toEqual(['ended', 3, 2]);
    }));

  test('expires after a day', () => {
    let now = new Date('2026-11-22T20:00:00Z');
    return onServer({ batchDelayMs: 1e12, now: () => now }, async (batches) => {
      const { id } = await batches.create({ requests: many(2) as never });
      now = new Date('2026-11-23T20:00:00Z');
      expect((await batches.retrieve(id)).request_counts).toMatchObject({ expired: 2, succeeded: 0 });
    });
  });

  test('is listed without its custom ids, newest first, page by page', () =>
    onServer({}, async (batches) => {
      const ids = [];
      for (let count = 1; count <= 5; count += 1)
        ids.push((await batches.create({ requests: many(count) as never })).id);
      const listed = [];
      for await (const batch of batches.list({ limit: 2 })) listed.push(batch.id);
      expect(listed).toEqual(ids.toReversed());
      const page = await batches.list({ limit: 1 });
      expect(JSON.stringify(page.data)).not.toContain('call-0');
      await expect(batches.retrieve('msgbatch_unknown')).rejects.toMatchObject({ status: 404 });
    }));
});

describe('a planned fault', () => {
  const planned = (...kinds: BatchFault['kind'][]) => ({ batchFaults: kinds.map((kind) => ({ kind, nth: 1 })) });

  test.each([
    ['half_expired', 'expired'],
    ['half_canceled', 'canceled'],
    ['half_errored', 'errored'],
  ] as const)('%s hits every second request', (kind, type) =>
    onServer(planned(kind), async (batches) => {
      const { id } = await batches.create({ requests: many(4) as never });
      const lines = await resultsOf(batches, id);
      expect(lines.filter(({ result }) => result.type === type)).toHaveLength(2);
      expect(lines.filter(({ result }) => result.type === 'succeeded')).toHaveLength(2);
    }),
  );

  test('an answer that is lost leaves a batch behind, and a server that fails does not', () =>
    onServer(
      {
        batchFaults: [
          { kind: 'answer_lost', nth: 1 },
          { kind: 'not_created', nth: 2 },
        ],
      },
      async (batches, simulator) => {
        await expect(batches.create({ requests: many(1) as never })).rejects.toThrow();
        expect(simulator.batches).toHaveLength(1);
        await expect(batches.create({ requests: many(1) as never })).rejects.toMatchObject({ status: 500 });
        expect(simulator.batches).toHaveLength(1);
      },
    ));

  test('a status that fails and results that break off come once', () =>
    onServer(planned('status_500', 'results_torn'), async (batches) => {
      const { id } = await batches.create({ requests: many(3) as never });
      await expect(batches.retrieve(id)).rejects.toMatchObject({ status: 500 });
      await expect(resultsOf(batches, id)).rejects.toThrow();
      expect(await resultsOf(batches, id)).toHaveLength(3);
    }));
});
