/** Brings open runs of a shipped scenario of an earlier week to their end with today's code. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { RULES_VERSION } from '../../src/scenario/attribution/problem-code.ts';
import { readEvents, readState } from '../../src/run-folder/snapshot.ts';
import { lastJson, makeProject, tandem } from './cli.ts';

export const SHIPPED = resolve('test/golden-runs/shipped');
const DECISION = ['--on-gate', 'auto:demo', '--json'];

/** The tests of one archive, in a project of its own; `states` are the runs that are brought to their end as they lie there. */
export function testShippedRuns(archive: string, states = ['waiting-r1', 'mid-design', 'mid-iteration']): void {
  let project = '';
  const open = (id: string) => {
    const roots = [join(project, 'scenarios')];
    return openFileRunStore({ roots, clock: { now: () => new Date() }, worker: 't' }).open(id);
  };
  const stateAt = async (id: string) => readState(await open(id));
  const passedAtEnd = async (id: string) => (await stateAt(id)).iterations.map(({ passed }) => passed).at(-1);
  const forkAt = async (id: string, type: string): Promise<void> => {
    const events = await readEvents(await open('finished'));
    const at = String(events.find(({ body }) => body.type === type)?.seq ?? 0);
    expect(await tandem(project, ['fork', 'finished', '--at', at, '--id', id])).toMatchObject({ code: 0 });
  };
  const endAsItWouldHave = async (id: string): Promise<void> => {
    const ended = await tandem(project, ['resume', id, ...DECISION]);
    expect({ code: ended.code, stderr: ended.stderr.slice(-2000) }).toMatchObject({ code: 0 });
    expect(lastJson(ended)).toMatchObject({ status: 'succeeded' });
    expect(ended.stderr).toContain(
      `judged   by the rules of the proof that it began with (1; today's: ${RULES_VERSION})`,
    );
    expect(ended.stderr).toContain('judged   where no sample says otherwise its users are scripted');
    expect(await passedAtEnd(id)).toBe(await passedAtEnd('finished'));
  };

  beforeAll(async () => {
    project = await makeProject();
    await mkdir(join(project, 'scenarios'), { recursive: true });
    const packed = brotliDecompressSync(await readFile(join(SHIPPED, `${archive}.tar.br`)));
    execFileSync('tar', ['-xf', '-'], { cwd: join(project, 'scenarios'), input: packed });
  });

  test.concurrent.each(states)('%s', endAsItWouldHave);

  test('a fork of the finished one from before its first iteration', async () => {
    await forkAt('forked', 'gate.decided');
    await endAsItWouldHave('forked');
    expect((await stateAt('forked')).origin.rules).toBeUndefined();
  });

  test('upgrade-check names what today would refuse, and a run may take today’s rules', async () => {
    await forkAt('judged', 'iteration.done');
    const checked = await tandem(project, ['upgrade-check', '--json']);
    const { runs } = lastJson(checked) as { runs: { run: string; rules?: number; refused?: string[] }[] };
    const found = runs.find(({ run }) => run === 'judged');
    expect(found).toMatchObject({ rules: 1, refused: [expect.stringContaining('checker-demands-spelling: ')] });
    expect(found).toMatchObject({ judged: [expect.stringContaining('its users are scripted')] });
    expect((await tandem(project, ['resume', 'judged', '--take', 'proof'])).code).toBe(2);
    expect(await tandem(project, ['pause', 'judged'])).toMatchObject({ code: 0 });
    const refused = await tandem(project, ['resume', 'judged', '--take', 'proof', ...DECISION]);
    expect({ code: refused.code, rules: (await stateAt('judged')).origin.rules }).toEqual({
      code: 8,
      rules: RULES_VERSION,
    });
    expect(refused.stderr).toContain('checker-demands-spelling');
  });
}
