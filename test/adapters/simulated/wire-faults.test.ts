/** Broken responses, byte for byte: what a client that is not the SDK would see. */
import { expect, test } from 'vitest';
import { cutDrafts } from '../../../src/adapters/simulated/reply.ts';
import { BASE, TESTER, withSimulator } from './wire.ts';

const headers = { 'x-api-key': 'any', 'anthropic-version': '2026-10-21' };

test.each([true, false])('a cut hangs up in mid-body, streamed: %s', (stream) =>
  withSimulator({ scripts: [TESTER], faults: [{ at: 1, kind: 'cut' }] }, async ({ url }) => {
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...BASE, stream }),
    });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  }),
);

test('each event has its event line, and the error of a broken stream its request id', () =>
  withSimulator({ scripts: [TESTER], faults: [{ at: 1, kind: 'mid_stream' }] }, async ({ url }) => {
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...BASE, stream: true }),
    });
    const events = (await response.text()).trim().split('\n\n');
    expect(
      events.map((event) => /^event: (\w+)\ndata: \{"type":"\1"|^event: (\w+)\ndata: /.exec(event)?.[1] ?? event),
    ).toEqual(['message_start', 'content_block_start', 'ping', 'content_block_delta', 'content_block_stop', 'error']);
    expect(events.at(-1)).toContain(response.headers.get('request-id'));
  }));

test('output is never cut through the middle of a character', () => {
  const text = '\u{1f600}'.repeat(20);
  for (let budget = 1; budget < 20; budget += 1) {
    const [draft] = cutDrafts([{ type: 'text', text }], budget, 1.3);
    expect(draft === undefined || (draft.type === 'text' && draft.text.isWellFormed())).toBe(true);
  }
});
