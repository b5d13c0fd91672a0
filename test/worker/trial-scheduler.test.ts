/** Sharing the trials of an evaluation: the disk says which are done, the queue may forget, double, or be away. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openFileArtifacts } from '../../src/adapters/files/file-artifacts.ts';
import type { TrialSharing } from '../../src/pipeline/deps.ts';
import { scheduleTrials } from '../../src/worker/trial-scheduler.ts';
import { commitTrial, readEndedTrials, returnTrial } from '../../src/worker/trial-files.ts';
import type { Attempt } from '../../src/ports/artifacts.ts';
import type { TrialPointer, JobPriority } from '../../src/ports/job-queue.ts';
import { scratch } from '../support/scratch.ts';

let attempt: Attempt;
let puts: TrialPointer[];
let turns: (JobPriority | undefined)[];
let mark: string | undefined;
let notices: string[];
let tellEnded: () => void;
let onPut: (trial: TrialPointer) => Promise<void>;
const signal = new AbortController().signal;

beforeEach(async () => {
  const dir = await scratch();
  attempt = await openFileArtifacts(dir, 'w').begin('execute.i1', 'execution_outputs/iteration_1', []);
  [puts, turns, notices, mark] = [[], [], [], undefined];
  [tellEnded, onPut] = [() => undefined, async () => undefined];
});

function share(silenceMs = 60_000, aroundTrial?: TrialSharing['aroundTrial']): Promise<TrialSharing> {
  const lane = {
    put: async (_run: string, trial: TrialPointer, turn?: JobPriority) => {
      puts.push(trial);
      turns.push(turn);
      await onPut(trial);
    },
    onEnded: (tell: () => void) => {
      tellEnded = tell;
      return () => undefined;
    },
  };
  const progress = (event: { type: string; detail?: string }): void => void notices.push(event.detail ?? event.type);
  return scheduleTrials(lane)({ id: 'a', read: async () => mark }, attempt, { silenceMs, progress, aroundTrial });
}
const record = (name: string) => commitTrial(attempt, name, { played: name });

describe('the holder', () => {
  test('puts each trial once, by pointer only, and its turn comes when its record is on the disk', async () => {
    const { turnOf } = await share();
    const turns: string[] = [];
    const both = ['a', 'b'].map((sample) => turnOf(sample, 1, signal).then(() => turns.push(sample)));
    onPut = async ({ sample }) => {
      if (sample === 'b') setImmediate(() => void record('b.1').then(() => tellEnded()));
    };
    await both[1];
    expect(turns).toEqual(['b']);
    expect(puts).toEqual(['a', 'b'].map((sample) => ({ attempt: basename(attempt.dir), sample, trial: 1 })));
    await record('a.1');
    tellEnded();
    await Promise.all(both);
    expect(puts).toHaveLength(2);
  });

  test('gives each trial a place of its own under the priority of the run, so that evaluations go on side by side', async () => {
    mark = JSON.stringify({ version: 1, carriedBy: 'workers', turn: { priority: 'low', place: 7 } });
    const { turnOf } = await share();
    const both = ['a', 'b'].map((sample) => turnOf(sample, 1, signal));
    await expect.poll(() => turns.length).toBe(2);
    expect(turns).toEqual([0, 1].map((place) => ({ priority: 'low', place })));
    await record('a.1');
    await record('b.1');
    tellEnded();
    await Promise.all(both);
  });

  test('shares out again what the queue forgot, after the silence and not before', async () => {
    const { turnOf } = await share(20);
    onPut = async ({ sample }) => {
      // The queue forgets everything once.
      if (puts.length > 2) await record(`${sample}.1`);
      setTimeout(() => tellEnded(), 30);
    };
    await Promise.all([turnOf('a', 1, signal), turnOf('b', 1, signal)]);
    expect(puts.map(({ sample }) => sample)).toEqual(['a', 'b', 'a', 'b']);
  });

  test('finds a record without any word of the queue', async () => {
    const { turnOf } = await share();
    onPut = async ({ sample }) => record(`${sample}.1`);
    await turnOf('a', 1, signal);
  });

  test('lives through a queue that is away, and says so once', async () => {
    const { turnOf } = await share();
    onPut = async ({ sample }) => {
      setImmediate(() => tellEnded());
      if (puts.length < 4) throw new Error('the queue is away');
      await record(`${sample}.1`);
    };
    await turnOf('a', 1, signal);
    expect(notices).toEqual(['the queue is away']);
  });

  test('does not share what an earlier holder has, and shares again what was handed back to it', async () => {
    await record('a.1');
    await returnTrial(attempt, 'b.1', 'no sandbox there');
    const { turnOf } = await share();
    onPut = async ({ sample }) => record(`${sample}.1`).then(() => tellEnded());
    await Promise.all([turnOf('a', 1, signal), turnOf('b', 1, signal)]);
    expect(puts.map(({ sample }) => sample)).toEqual(['b']);
  });

  test('keeps a bounded number in the queue, so that other runs have their turn', async () => {
    const { turnOf } = await share();
    let most = 0;
    const done = new Set<string>();
    onPut = async ({ sample }) => {
      most = Math.max(most, puts.length - done.size);
      setTimeout(() => {
        void record(`${sample}.1`).then(() => {
          done.add(sample);
          tellEnded();
        });
      }, 5);
    };
    await Promise.all(Array.from({ length: 300 }, (_, index) => turnOf(`s${index}`, 1, signal)));
    expect(puts).toHaveLength(300);
    expect(most).toBeLessThanOrEqual(256);
  });

  test('stops waiting when the step is broken off, and is told when another worker has taken it over', async () => {
    const { turnOf } = await share();
    const stop = new AbortController();
    const waiting = turnOf('a', 1, stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    const other = turnOf('b', 1, signal);
    await rename(attempt.dir, join(dirname(attempt.dir), 'execute.i1@another'));
    tellEnded();
    await expect(other).rejects.toMatchObject({ code: 'attempt_lost' });
  });

  test('tells of a trial that it plays itself, and not of one that another worker has told of', async () => {
    const told: string[] = [];
    const { turnOf, aroundTrial } = await share(60_000, (sample, _trial, work) => {
      told.push(sample);
      return work();
    });
    onPut = async ({ sample }) => {
      await (sample === 'a' ? record('a.1') : returnTrial(attempt, 'b.1', 'why'));
      tellEnded();
    };
    await Promise.all([turnOf('a', 1, signal), turnOf('b', 1, signal)]);
    const done = { result: {}, tools: [] } as unknown as Awaited<ReturnType<NonNullable<TrialSharing['aroundTrial']>>>;
    for (const sample of ['a', 'b']) await aroundTrial?.(sample, 1, async () => done);
    expect(told).toEqual(['b']);
  });
});

describe('the record of a trial', () => {
  const kept = () => readFile(join(attempt.dir, 'turns/trials/a.1.json'), 'utf8');

  test('is committed once: a trial that was played twice counts once, the first one', async () => {
    await commitTrial(attempt, 'a.1', { by: 'first' });
    await commitTrial(attempt, 'a.1', { by: 'second' });
    expect(JSON.parse(await kept())).toEqual({ by: 'first' });
    expect([...(await readEndedTrials(attempt))]).toEqual([['a.1', 'played']]);
  });

  test('of an attempt that was taken over gets nowhere, least of all into the new one', async () => {
    const taken = join(dirname(attempt.dir), 'execute.i1@another');
    await rename(attempt.dir, taken);
    await expect(commitTrial(attempt, 'a.1', {})).rejects.toMatchObject({ code: 'attempt_lost' });
    await expect(returnTrial(attempt, 'a.1', 'why')).rejects.toMatchObject({ code: 'attempt_lost' });
    const now = openFileArtifacts(dirname(dirname(taken)), 'w').attemptAt('execute.i1@another', '');
    expect([...(await readEndedTrials(now))]).toEqual([]);
    await expect(readEndedTrials(attempt)).rejects.toMatchObject({ code: 'attempt_lost' });
  });

  test('is not taken for one while it is being written', async () => {
    await mkdir(join(attempt.dir, 'turns/trials'), { recursive: true });
    await writeFile(join(attempt.dir, 'turns/trials/.tmp-1.json'), '{');
    expect([...(await readEndedTrials(attempt))]).toEqual([]);
  });
});
