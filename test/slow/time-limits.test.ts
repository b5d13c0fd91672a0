/** Time that does not pass as it should: pings without an end, an hour of patience, a clock that is slow. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFaultRelay } from '../support/faults/relay.ts';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { digestAt, lastJson, makeProject, start, tandem } from '../support/cli.ts';

const HASTY = `version: 1
retry: { call_tries: 2, step_tries: 2, min_delay_ms: 1, max_delay_ms: 5, timeout_seconds: 5, answer_seconds: 1 }
`;

async function runUnder(kind: string) {
  const project = await makeProject('refund-desk');
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  await writeFile(join(project, 'config/profiles/hasty.yaml'), HASTY);
  const simulator = await startSimulator({ simulationDir: join(project, 'scenarios/refund-desk/simulation') });
  onTestFinished(() => simulator.close());
  const relay = await startFaultRelay({ upstream: simulator.url, faults: [{ kind, rate: 1 }], seed: 1 });
  onTestFinished(() => relay.close());
  const env = { ANTHROPIC_BASE_URL: relay.url, ANTHROPIC_API_KEY: 'offline' };
  const finished = await tandem(project, ['run', 'refund-desk', '--profile', 'hasty', '--json'], env);
  return { finished, result: lastJson(finished), calls: relay.records.length };
}

test('pings for ever end with the limit for one whole answer, and the run says so', async () => {
  const { finished, result, calls } = await runUnder('pings');
  expect(result).toMatchObject({ status: 'paused' });
  expect(finished.stderr).toContain('the answer was not complete after 1000 ms');
  expect(calls).toBe(4);
});

test('retry-after: 3600 is kept: one call, and a pause that names the hour', async () => {
  const { finished, result, calls } = await runUnder('429_hour');
  expect(result).toMatchObject({ status: 'paused' });
  expect(finished.stderr.replaceAll(/\s+/g, ' ')).toContain('go on in 60 min at the earliest');
  expect(calls).toBe(1);
});

test('a clock an hour behind a decision is named, and does not hold the run up', async () => {
  const project = await makeProject('refund-desk');
  const run = ['--profile', 'demo', '--json'];
  const waiting = await tandem(project, ['run', 'refund-desk', '--id', 'slow-clock', '--on-gate', 'exit', ...run]);
  expect(waiting.code).toBe(4);
  const digest = await digestAt(project, 'slow-clock');
  const decided = await tandem(project, ['gates', 'approve', 'slow-clock', '--digest', digest, '--accept']);
  expect(decided.code, decided.stderr).toBe(0);
  const slow = {
    NODE_OPTIONS: `--import=${resolve('test/support/skewed-clock.mjs')}`,
    TANDEM_TEST_SKEW_MS: String(-3_600_000),
  };
  const resumed = start(project, ['resume', 'slow-clock', '--on-gate', 'exit', ...run], slow);
  // It goes on: Execute has begun on the design that was approved an hour ahead. No more is run with a clock of lies.
  let said = '';
  resumed.stderr?.on('data', (text: string) => {
    said += text;
    if (said.includes('Execute writes')) resumed.kill('SIGKILL');
  });
  expect(await resumed.done).toMatchObject({ signal: 'SIGKILL' });
  expect(said).toContain('The clock of this machine is 60 min behind the decision of user:tester');
}, 60_000);
