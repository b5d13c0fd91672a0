/** The main job as its user meets it: one command, a real process, no key, no server, no question. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/chaos.ts';
import { FINISHED_RUN, finishedProject, lastJson, makeProject, start, tandem } from '../support/cli.ts';
import { startProxy } from '../support/validating-proxy.ts';

let project: string;
let folder: string;
let result: Record<string, unknown>;

beforeAll(async () => {
  // It ended with 0, or it were not shared. With the strength of its proofs `.ci/run` plays it, from a fresh clone.
  project = await finishedProject();
  folder = join(project, 'scenarios/refund-desk/runs', FINISHED_RUN);
  result = JSON.parse(await readFile(join(project, 'finished.json'), 'utf8')) as Record<string, unknown>;
}, 300_000);

describe('tandem run refund-desk --profile demo', () => {
  test('succeeds after one return to Init, with both agents compacted (S0.23, S0.24, S0.25, C.3)', () => {
    expect(result).toMatchObject({ status: 'succeeded', rounds: 2, simulated: true, target: 0.85 });
    expect(result['iterations']).toBeGreaterThanOrEqual(3);
    expect(result['successRate']).toBeGreaterThanOrEqual(0.85);
    const compactions = result['compactions'] as { init: number; execute: number };
    expect(compactions.init).toBeGreaterThanOrEqual(1);
    expect(compactions.execute).toBeGreaterThanOrEqual(1);
  });

  test('the JSON object holds exactly what is promised', () => {
    expect(Object.keys(result).toSorted()).toEqual(
      [
        'run',
        'folder',
        'status',
        'rounds',
        'iterations',
        'successRate',
        'target',
        'verdict',
        'against',
        'judges',
        'unproven',
        'uncertainUsd',
        'costAtMostUsd',
        'compactions',
        'modelCalls',
        'costUsd',
        'simulated',
        'durationMs',
      ].toSorted(),
    );
  });

  test('the policy that answered the gate is named on screen, in the journal and in the report', async () => {
    expect(await readFile(join(project, 'finished.txt'), 'utf8')).toContain('policy:demo');
    expect(await readFile(join(folder, 'out/report.html'), 'utf8')).toContain('policy:demo');
    expect(await readFile(join(folder, 'out/summary.md'), 'utf8')).toMatch(/policy:demo/);
    const status = await tandem(project, ['report', String(result['run']), '--format', 'json']);
    expect(status.stdout).toContain('policy:demo');
    // The table of cases is the gate's; what samples reach of it is of the last iteration.
    const { cases, iterations } = JSON.parse(status.stdout) as {
      cases: { reached: { iteration: number } };
      iterations: unknown[];
    };
    expect(cases.reached.iteration).toBe(iterations.length);
  });

  test('Init hears what code doubts in its design, and hands in what the sources leave open all the same', async () => {
    const said = await readFile(join(folder, 'transcripts/init.jsonl'), 'utf8');
    expect(said).toMatch(/reviewer_will_see.{0,400}R7 demands card, R8 demands gift card/);
  });

  test('what agents and harness exchange lies on disk (C.6, S0.21)', async () => {
    expect(await readFile(join(folder, 'handoffs/001-init-to-execute.md'), 'utf8')).toContain(
      'execution_output_dir="execution_outputs/iteration_1"',
    );
    expect(await readFile(join(folder, 'handoffs/002-execute-to-init.md'), 'utf8')).toContain(
      '<execute_to_init_context',
    );
    const problems = JSON.parse(
      await readFile(join(folder, 'execution_outputs/iteration_2/layer1_problems.json'), 'utf8'),
    ) as { problems: { rules: string[] }[] };
    expect(problems.problems[0]?.rules.length).toBeGreaterThanOrEqual(2);
  });
});

test('through a validating proxy not one request is invalid', async () => {
  const own = await makeProject('refund-desk');
  const portFile = join(own, 'port');
  const simulator = start(own, ['simulate', 'refund-desk', '--port-file', portFile]);
  try {
    const port = await eventually(() => readFile(portFile, 'utf8'));
    const proxy = await startProxy(`http://127.0.0.1:${port.trim()}`);
    try {
      const run = await tandem(own, ['run', 'refund-desk', '--profile', 'demo', '--json'], {
        ANTHROPIC_BASE_URL: proxy.url,
        ANTHROPIC_API_KEY: 'offline',
      });
      expect(proxy.invalid).toEqual([]);
      expect(lastJson(run)).toMatchObject({ status: 'succeeded', rounds: 2, simulated: true });
      expect(proxy.calls()).toBe(lastJson(run)['modelCalls']);
    } finally {
      await proxy.close();
    }
  } finally {
    simulator.kill('SIGTERM');
    await simulator.done;
  }
});
