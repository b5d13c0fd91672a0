/** The simulator as a server: where it listens, what it logs, how it ends, and how models age on its clock. */
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startSimulator } from '../../../src/adapters/simulated/start.ts';
import { ask, BASE, post, TESTER, withSimulator } from './wire.ts';

describe('the simulator', () => {
  test.each(['0.0.0.0', '::', '192.168.1.10', 'example.com', ''])('refuses to listen on "%s"', async (host) => {
    await expect(startSimulator({ simulationDir: undefined, host })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('loopback'),
    });
  });

  test('says so when its port is taken', () =>
    withSimulator({}, async ({ port }) => {
      await expect(startSimulator({ simulationDir: undefined, port })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining(`127.0.0.1:${port}`),
      });
    }));

  test('names the field of a script that is handed over broken', async () => {
    const scripts = [{ ...TESTER, who: '' }];
    await expect(startSimulator({ simulationDir: undefined, scripts })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('scripts[0].who'),
    });
  });

  test('logs each request: who answered, in which turn and step, or by which rule it was refused', async () => {
    const seen: unknown[] = [];
    await withSimulator({ scripts: [TESTER], onRequest: (record) => seen.push(record) }, async (simulator) => {
      await ask(simulator, BASE);
      await post(simulator, { ...BASE, messages: [] });
      await post(simulator, undefined, { method: 'GET', path: '/v1/models/claude-opus-5-5' });
      expect(simulator.requests).toEqual(seen);
    });
    expect(seen).toEqual([
      {
        ...{ path: '/v1/messages', status: 200, model: 'claude-opus-5-5', who: 'tester', turn: 'only', step: 1 },
        // What an account would be charged: storms hold the ledger against it.
        billed: expect.objectContaining({ input_tokens: 16, output_tokens: 2 }),
      },
      expect.objectContaining({ status: 400, rule: 'messages_present', refusal: expect.any(String) }),
      { path: '/v1/models/claude-opus-5-5', status: 200 },
    ]);
  });

  test('without scripts counts tokens, and refuses to answer', () =>
    withSimulator({}, async (simulator) => {
      const { max_tokens: _, ...counted } = BASE;
      expect((await post(simulator, counted, { path: '/v1/messages/count_tokens' })).status).toBe(200);
      expect((await post(simulator, BASE)).record?.refusal).toMatch(
        /^simulation script: no turn is meant. Scripts that match: none/,
      );
    }));

  test('closes while a request waits, and while one is being sent', async () => {
    const simulator = await startSimulator({ simulationDir: undefined, scripts: [TESTER], latencyMs: 60_000 });
    const waiting = ask(simulator, BASE).then(
      () => 'answered',
      () => 'cut off',
    );
    const half = request(`${simulator.url}/v1/messages`, { method: 'POST', headers: { 'content-length': '100' } });
    half.on('error', () => undefined);
    await new Promise<void>((resolve) => half.write('{', () => resolve()));
    await simulator.close();
    expect(await waiting).toBe('cut off');
  });

  test('lets models age on its clock: Sonnet 4.5 ends on 30 November 2026', async () => {
    const lifecycleOn = (day: string): Promise<unknown> =>
      withSimulator({ scripts: [TESTER], now: () => new Date(day) }, async (simulator) => {
        const { body } = await post(simulator, undefined, { method: 'GET', path: '/v1/models/claude-sonnet-4-5' });
        const used = await post(simulator, { ...BASE, model: 'claude-sonnet-4-5' });
        return [body['id'], body['lifecycle'], body['retires_at'], body['max_input_tokens'], used.status];
      });
    expect(await lifecycleOn('2026-09-01')).toEqual(['claude-sonnet-4-5-20250929', 'active', null, 200_000, 200]);
    expect(await lifecycleOn('2026-11-29')).toEqual([
      'claude-sonnet-4-5-20250929',
      'deprecated',
      '2026-11-30T00:00:00Z',
      200_000,
      200,
    ]);
    expect(await lifecycleOn('2026-11-30')).toEqual([
      'claude-sonnet-4-5-20250929',
      'retired',
      '2026-11-30T00:00:00Z',
      200_000,
      404,
    ]);
  });
});
