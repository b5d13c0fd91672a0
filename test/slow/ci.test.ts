/** CI mode as a job meets it: slices, gates, outputs, recordings, baselines, spans (C.5). */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/chaos.ts';
import { initScenario, lastJson, makeProject, spendLines, start, tandem } from '../support/cli.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';

const AUTO = ['--on-gate', 'auto:demo', '--json'];

async function desk(latencyMs = 0): Promise<string> {
  const project = await makeProject();
  await initScenario(project, 'desk');
  await mkdir(join(project, 'config/profiles'), { recursive: true });
  const profile = `version: 1\nsimulator: { latency_ms: ${latencyMs} }\n`;
  await writeFile(join(project, 'config/profiles/slow.yaml'), profile);
  return project;
}

const outputsIn = async (file: string) =>
  Object.fromEntries(
    (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );

describe('--max-minutes', () => {
  test('ends a slice with exit 7, and the same command line goes on to the same verdict without paying twice', async () => {
    const project = await desk(400);
    const calm = lastJson(await tandem(project, ['run', 'desk', '--id', 'calm', '--profile', 'slow', ...AUTO]));
    const slice = ['run', 'desk', '--id', 'cut', '--continue', '--profile', 'slow', '--max-minutes', '0.1', ...AUTO];
    const codes: (number | null)[] = [];
    let last = await tandem(project, slice);
    for (codes.push(last.code); last.code === 7 && codes.length < 40; codes.push(last.code))
      last = await tandem(project, slice);
    expect(codes.filter((code) => code === 7).length).toBeGreaterThan(0);
    expect(codes.at(-1)).toBe(0);
    const cut = lastJson(last);
    for (const key of ['status', 'rounds', 'iterations', 'successRate', 'modelCalls'] as const)
      expect(cut[key]).toEqual(calm[key]);
    expect(await callsOf(project, 'cut')).toEqual(await callsOf(project, 'calm'));
  });
});

/** Every paid call by its place, for agents read how long trials took, and that is another digest in another run. */
async function callsOf(project: string, run: string): Promise<string[]> {
  const lines = await spendLines(join(project, 'scenarios/desk/runs', run));
  // A call that was cut off and is made again would have been released in between.
  expect(lines.filter(({ type }) => type === 'released').length).toBeLessThan(6);
  return lines.flatMap(({ type, call }) => (type === 'settled' ? [call.replace(/\.\w{8}$/, '')] : [])).toSorted();
}

describe('a gate in CI', () => {
  test('ends with the code that was asked for, outputs with the digest, a summary, a notice, and never as passed', async () => {
    const project = await desk();
    const [out, sum] = [join(project, 'out'), join(project, 'sum')];
    const env = { GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: out, GITHUB_STEP_SUMMARY: sum, GITHUB_WORKSPACE: project };
    const done = await tandem(
      project,
      ['run', 'desk', '--on-gate', 'exit', '--gate-exit-code', '0', '--junit', 'j.xml', '--json'],
      env,
    );
    expect(done.code).toBe(0);
    const outputs = await outputsIn(out);
    expect(outputs).toMatchObject({
      status: 'awaiting_approval',
      exit_code: '0',
      gate: 'HITL-1.r1',
      digest: lastJson(done)['digest'],
    });
    expect(await readFile(sum, 'utf8')).toContain('HITL-1.r1 waits for a person');
    expect(await readFile(join(project, 'j.xml'), 'utf8')).toContain('<skipped message="waiting at HITL-1.r1"/>');
    const [held = '', ...rest] = done.stderr.split('\n').filter((line) => line.startsWith('::'));
    expect(held).toMatch(/^::stop-commands::[0-9a-f]{32}$/);
    expect(rest[0]).toBe(`::${held.slice('::stop-commands::'.length)}::`);
    expect(rest[1]).toMatch(/^::notice file=scenarios\/desk\/scenario\.yaml,title=HITL-1\.r1 waits/);
  });

  test('is waited for as long as --timeout says, and stays open', async () => {
    const project = await desk();
    const begun = Date.now();
    const done = await tandem(project, ['run', 'desk', '--on-gate', 'wait', '--timeout', '1s', '--json']);
    expect([done.code, lastJson(done)['status']]).toEqual([4, 'awaiting_approval']);
    expect(Date.now() - begun).toBeLessThan(15_000);
  });

  test('--id of a run that exists says how to go on', async () => {
    const project = await desk();
    await tandem(project, ['run', 'desk', '--id', 'x', '--on-gate', 'exit']);
    const again = await tandem(project, ['run', 'desk', '--id', 'x', '--on-gate', 'exit']);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('tandem resume x');
  });
});

describe('a recording', () => {
  test('is replayed without a model to the same verdict, and a change that it does not hold stops loudly', async () => {
    const project = await desk();
    const recorded = lastJson(await tandem(project, ['run', 'desk', '--record', 'rec', ...AUTO]));
    // A key is set and an address that nobody answers: whoever called a model now would fail.
    const alone = { ANTHROPIC_API_KEY: 'sk-ant-none', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
    await rm(join(project, 'scenarios/desk/simulation'), { recursive: true });
    const replayed = lastJson(await tandem(project, ['run', 'desk', '--replay', 'rec', ...AUTO], alone));
    const { run: _run, folder: _folder, durationMs: _ms, ...same } = recorded;
    expect(replayed).toMatchObject(same);
    expect(await tandem(project, ['report', String(replayed['run'])])).toMatchObject({ code: 0 });
    expect(await tandem(project, ['run', 'desk', '--record', 'rec', ...AUTO])).toMatchObject({ code: 2 });

    const prompt = join(project, 'scenarios/desk/brief.md');
    await writeFile(prompt, `${await readFile(prompt, 'utf8')}\nOne more rule.\n`);
    const changed = await tandem(project, ['run', 'desk', '--replay', 'rec', ...AUTO], alone);
    expect(changed.code).toBe(8);
    expect(changed.stderr).toMatch(/is not in the recording .*differs first in message \d+ of \d+/s);
  });

  test('whose replay is killed in the middle goes on by resume to the same verdict', async () => {
    const project = await desk();
    const recorded = lastJson(await tandem(project, ['run', 'desk', '--record', 'rec', ...AUTO]));
    const killed = start(project, ['run', 'desk', '--replay', 'rec', '--id', 'killed', ...AUTO]);
    const traces = join(project, 'scenarios/desk/runs/killed/wip');
    await eventually(async () => {
      const names = await readdir(traces, { recursive: true });
      if (!names.some((name) => /turns.(subject|together)/.test(name))) throw new Error('no sample is played yet');
    });
    killed.kill('SIGKILL');
    await killed.done;
    const resumed = await tandem(project, ['resume', 'killed', '--replay', 'rec', ...AUTO]);
    expect(resumed.code, resumed.stderr).toBe(0);
    // A call that was under way at the kill may have been billed: its price stays uncertain.
    const { run: _run, folder: _folder, durationMs: _ms, uncertainUsd: _uncertain, ...told } = recorded;
    const { costAtMostUsd: _most, ...same } = told;
    expect(lastJson(resumed)).toMatchObject(same);
  });

  test('of a batch answers the batch again', async () => {
    const project = await desk();
    const args = ['batch', 'desk', '--runs', '2', ...AUTO];
    const recorded = await tandem(project, [...args, '--record', 'rec']);
    const replayed = await tandem(project, [...args, '--replay', 'rec']);
    expect([recorded.code, replayed.code]).toEqual([0, 0]);
    expect(lastJson(replayed)['modelCalls']).toBe(lastJson(recorded)['modelCalls']);
  });
});

test('--baseline lets a run pass that misses its target and is no worse than before', async () => {
  const project = await desk();
  const brief = join(project, 'scenarios/desk/scenario.yaml');
  await writeFile(brief, (await readFile(brief, 'utf8')).replace(/max_iterations: \d+/, 'max_iterations: 1'));
  expect((await tandem(project, ['run', 'desk', '--id', 'base', ...AUTO])).code).toBe(1);
  const held = await tandem(project, ['run', 'desk', '--baseline', 'base', ...AUTO]);
  expect(held.code).toBe(0);
  expect(lastJson(held)['baseline']).toMatchObject({ label: 'same' });
  expect((await tandem(project, ['run', 'desk', '--baseline', 'nobody', ...AUTO])).code).toBe(2);
});

test('one variable switches spans on: run, steps, calls, tools, samples and gate, one trace over two processes', async () => {
  const project = await desk();
  const receiver = await startOtlpReceiver();
  try {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    const waiting = lastJson(await tandem(project, ['run', 'desk', '--id', 'x', '--on-gate', 'exit', '--json'], env));
    const before = receiver.spans.length;
    await tandem(project, ['gates', 'approve', 'x', '--digest', String(waiting['digest']), '--accept']);
    const done = lastJson(await tandem(project, ['resume', 'x', ...AUTO], env));
    const { spans } = receiver;
    expect(before).toBeGreaterThan(3);
    expect(spans.length).toBeGreaterThan(before);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const names = (prefix: string) => spans.filter(({ name }) => name.startsWith(prefix));
    expect(names('run desk')).toHaveLength(1);
    expect(names('gate HITL-1.r1')).toHaveLength(1);
    expect(names('step ').map(({ name }) => name)).toEqual(['step design.r1', 'step execute.i1', 'step execute.i2']);
    expect(names('chat ')).toHaveLength(Number(done['modelCalls']));
    expect(names('execute_tool submit_design')).toHaveLength(1);
    expect(names('sample ').length).toBeGreaterThan(1);
    const parents = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    const under = (child: string, parent: RegExp) =>
      names(child).some(({ parentSpanId }) => parent.test(parents.get(parentSpanId ?? '') ?? ''));
    expect(under('step ', /^run desk$/) && under('gate ', /^run desk$/)).toBe(true);
    expect(under('execute_tool ', /^step /) && under('sample ', /^execute_tool submit_iteration$/)).toBe(true);
    expect(under('chat ', /^step /) && under('chat ', /^sample /)).toBe(true);
    const orphans = spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !parents.has(parentSpanId));
    expect(orphans).toEqual([]);
  } finally {
    await receiver.close();
  }
});

test('a run folder that travels between jobs goes on where it is unpacked', async () => {
  const [first, second] = [await desk(), await desk()];
  await tandem(first, ['run', 'desk', '--id', 'x', '--on-gate', 'exit']);
  await cp(join(first, 'scenarios/desk/runs/x'), join(second, 'scenarios/desk/runs/x'), { recursive: true });
  const done = await tandem(second, ['run', 'desk', '--id', 'x', '--continue', ...AUTO]);
  expect([done.code, lastJson(done)['status']]).toEqual([0, 'succeeded']);
});

test('a slice that is stopped by a signal keeps its exit code and its state', async () => {
  const project = await desk(100);
  const child = start(project, ['run', 'desk', '--id', 'x', '--profile', 'slow', '--max-minutes', '5', ...AUTO]);
  await new Promise<void>((seen) =>
    child.stderr?.on('data', (text: string) => text.includes('Init designs') && seen()),
  );
  child.kill('SIGTERM');
  expect((await child.done).code).toBe(143);
  expect((await tandem(project, ['run', 'desk', '--id', 'x', '--continue', ...AUTO])).code).toBe(0);
});
