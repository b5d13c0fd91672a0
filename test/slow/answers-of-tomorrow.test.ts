/** A whole run against answers that hold what this version does not know, or half of what they should: bytes on the wire. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFaultRelay } from '../support/faults/relay.ts';
import type { FaultRate } from '../support/faults/choose-fault.ts';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { lastJson, makeProject, tandem } from '../support/cli.ts';

async function runUnder(scenario: 'refund-desk' | 'starter', faults: FaultRate[]) {
  const project = await makeProject(...(scenario === 'starter' ? [] : [scenario]));
  if (scenario === 'starter') await tandem(project, ['init', scenario]);
  const simulator = await startSimulator({ simulationDir: join(project, 'scenarios', scenario, 'simulation') });
  onTestFinished(() => simulator.close());
  const relay = await startFaultRelay({ upstream: simulator.url, faults, seed: 11 });
  onTestFinished(() => relay.close());
  const env = { ANTHROPIC_BASE_URL: relay.url, ANTHROPIC_API_KEY: 'offline' };
  const finished = await tandem(project, ['run', scenario, '--profile', 'demo', '--json'], env);
  return { finished, result: lastJson(finished), records: relay.records };
}

test('fields and blocks that are new come back unchanged through a whole run, and the user is informed once', async () => {
  const { finished, result, records } = await runUnder('refund-desk', [
    { kind: 'new_field', rate: 0.5 },
    { kind: 'new_block', rate: 0.5 },
  ]);
  expect(result).toMatchObject({ status: 'succeeded' });
  // The relay refuses a block that comes back without its field; the agents were compacted on the way, too.
  expect(records.filter(({ status }) => status !== 200)).toEqual([]);
  expect(records.length).toBeGreaterThan(50);
  expect(finished.stderr.match(/new to this version of Tandem/g)).toHaveLength(1);
  expect(finished.stderr).not.toContain('ANTHROPIC_BASE_URL');
  const transcript = await readFile(join(String(result['folder']), 'transcripts/execute.jsonl'), 'utf8');
  expect(transcript).toContain('"type":"unknown","wire":{"type":"future_block"');
  expect(transcript).toContain('"future_field":{"sealed":true');
});

test('half of a tool input is never run: the call is made again, and the verdict is the same', async () => {
  const { result, records } = await runUnder('starter', [{ kind: 'truncated_input', rate: 0.2 }]);
  expect(result).toMatchObject({ status: 'succeeded' });
  expect(records.filter(({ fault }) => fault === 'truncated_input')).not.toEqual([]);
});
