/** The checks for the real API, put to the offline one: each must be able to come out either way. */
import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import * as live from '../../live/checks.ts';
import { liveScript } from '../../support/live-script.ts';
import { withSimulator } from './wire.ts';

function findings(
  options: { model: string; heard?: string; refusalText?: string; faults?: { at: number; kind: 'refusal' }[] },
  checks: readonly live.LiveCheck[],
): Promise<live.Finding[]> {
  const { model, heard = 'Purple. HEARD.', refusalText, faults = [] } = options;
  return withSimulator({ scripts: [liveScript(heard)], faults }, async ({ url }) => {
    const client = new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0, logLevel: 'off', openTelemetry: false });
    const found: live.Finding[] = [];
    for (const check of checks) found.push(await check({ client, model, refusalText }));
    return found;
  });
}

test('what the harness relies on is found where it holds', async () => {
  const found = await findings({ model: 'claude-sonnet-5-5' }, [
    live.textAfterToolResults,
    live.loopClosedByNote,
    live.cachingAsBilled,
  ]);
  expect(found.map(({ agrees, seen }) => [agrees, seen])).toEqual([
    [true, 'end_turn: Purple. HEARD.'],
    [true, 'end_turn: OK.'],
    [true, expect.stringMatching(/^wrote (\d{4,}), then read \1 and wrote 0;/)],
  ]);
});

test('an instruction that is not heard disagrees', async () => {
  const [found] = await findings({ model: 'claude-sonnet-5-5', heard: 'Purple.' }, [live.textAfterToolResults]);
  expect(found?.agrees).toBe(false);
});

test('a refusal is seen with its details; without a test text the question stays open', async () => {
  const faults = [{ at: 1, kind: 'refusal' as const }];
  const [refused] = await findings({ model: 'claude-sonnet-5-5', refusalText: 'please refuse', faults }, [
    live.refusal,
  ]);
  expect(refused).toMatchObject({ agrees: true, seen: expect.stringContaining('refusal, details') });
  const [open] = await findings({ model: 'claude-sonnet-5-5' }, [live.refusal]);
  expect(open?.agrees).toBeUndefined();
});

test('rewritten history: whether thinking is bound decides, and a wrong guess is found out', async () => {
  const both = [live.thinkingAfterRewrite(true), live.thinkingAfterRewrite(false)];
  for (const model of ['claude-opus-5-5', 'claude-sonnet-5-5']) {
    const found = await findings({ model }, both);
    expect(new Set(found.map(({ agrees }) => agrees))).toEqual(new Set([false, true]));
  }
});
