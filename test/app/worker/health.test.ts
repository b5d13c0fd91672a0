/** Health of a worker: alive is not ready, and beyond this machine the metrics and the reasons need a token. */
import { afterEach, expect, test } from 'vitest';
import { serveHealth, type Health, type HealthOptions } from '../../../src/app/worker/health.ts';

let health: Health | undefined;
afterEach(() => health?.close());

type Signs = { counts: () => Promise<unknown[]>; oldest?: () => Promise<unknown[]>; quietMs?: number; store?: string };

async function served({ counts, oldest = async () => [], quietMs = 0, store }: Signs, token?: string) {
  const signs = { counts, oldest, quietMs: () => quietMs, tally: () => new Map() };
  const telemetry = { measured: () => [] };
  const worker = {
    queue: { signs },
    telemetry,
    places: { init: 1 },
    sinceReconciledMs: () => 10,
    storeAwaited: async () => store,
  };
  health = await serveHealth({
    worker: worker as unknown as HealthOptions['worker'],
    ...{ lanes: ['init'], reconcileMs: 1000, listen: { host: '127.0.0.1', port: 0 }, token },
    project: async () => [],
  });
  const { port } = health;
  return async (path: string, authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return { status: answer.status, text: await answer.text() };
  };
}

const away = (): Promise<never> => Promise.reject(new Error('ECONNREFUSED'));
const waiting = async () => [{ lane: 'init', waiting: 3, active: 0, delayed: 0, failed: 0 }];

test('a worker whose queue is away is not ready, and a restart would not help', async () => {
  const get = await served({ counts: away });
  expect(await get('/healthz')).toMatchObject({ status: 503, text: expect.stringContaining('ECONNREFUSED') });
  expect(await get('/livez')).toMatchObject({ status: 200 });
});

test('a worker whose store is away is not ready, and a restart would not help', async () => {
  const get = await served({ counts: waiting, quietMs: 61_000, store: 'the store is away: no space left' });
  expect(await get('/healthz')).toMatchObject({ status: 503, text: expect.stringContaining('no space left') });
  expect(await get('/livez')).toMatchObject({ status: 200 });
});

test('a worker that takes nothing of what waits is to be restarted', async () => {
  const get = await served({ counts: waiting, quietMs: 61_000 });
  expect(await get('/livez?probe=1')).toMatchObject({ status: 503, text: expect.stringContaining('3 jobs of init') });
});

test('with a token the metrics are for who has it, and the reasons too', async () => {
  const get = await served({ counts: away }, 'a-token-of-some-length-24');
  for (const wrong of [undefined, 'Bearer wrong', 'a-token-of-some-length-24', ''])
    expect(await get('/metrics', wrong)).toMatchObject({ status: 401 });
  const right = await get('/metrics', 'Bearer a-token-of-some-length-24');
  expect(right).toMatchObject({ status: 200, text: expect.stringContaining('tandem_queue_up 0') });
  expect(await get('/healthz')).toEqual({ status: 503, text: '{"ok":false,"faults":1}' });
  expect((await get('/other')).status).toBe(404);
});

test('the age of the oldest waiting job is there for a person, and for who adds workers by it', async () => {
  const oldest = async () => [
    { lane: 'init', waitsMs: 2_000 },
    { lane: 'samples', waitsMs: 90_400 },
  ];
  const get = await served({ counts: waiting, oldest });
  expect(await get('/healthz')).toEqual({ status: 200, text: '{"ok":true,"faults":[],"oldestJobSeconds":90}' });
  expect((await get('/metrics')).text).toContain('tandem_queue_oldest_job_seconds{lane="samples"} 90.4');
});
