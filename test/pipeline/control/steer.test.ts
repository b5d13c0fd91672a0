/** What a person says to an agent at work: on record, read before its next call, once, and never at a gate. */
import { expect, onTestFinished, test } from 'vitest';
import type { App } from '../../../src/app/open-app.ts';
import { steer } from '../../../src/pipeline/control/steer.ts';
import { advance } from '../../../src/pipeline/drive/advance.ts';
import { stateOf } from '../../../src/pipeline/drive/drive.ts';
import type { ProgressEvent } from '../../../src/ports/progress.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import { readEvents } from '../../../src/run-folder/snapshot.ts';
import { listSteering } from '../../../src/run/steering.ts';
import { begin, decide, live, makeProject } from '../../support/project.ts';

const WORDS = { text: 'Amounts are in euro.', actor: 'user:ada', via: 'cli', nonce: 'n1' };

async function atWork(
  onEvent: (event: ProgressEvent) => void = () => undefined,
): Promise<{ app: App; run: RunFolder }> {
  const project = await makeProject();
  const app = await project.open(onEvent);
  onTestFinished(async () => {
    await app.close();
    await project.remove();
  });
  const run = await begin(project, app);
  await advance(run.id, app.deps, live);
  return { app, run };
}

const saidTo = async (run: RunFolder, agent: string) =>
  (await run.transcripts.read(agent)).flatMap((entry) =>
    entry.type === 'message' && entry.said !== undefined
      ? [{ id: entry.id, origin: entry.origin, said: entry.said }]
      : [],
  );

test('Init reads it once, in the words of the person, and the journal says where', async () => {
  const { app, run } = await atWork();
  const words = await steer(run, WORDS);
  expect(await steer(run, WORDS)).toEqual(words);
  await advance(run.id, app.deps, live);
  expect(await stateOf(run.id, app.deps)).toMatchObject({ status: 'awaiting_approval' });
  const { at } = words;
  expect(await saidTo(run, 'init')).toEqual([
    { id: 'e2', origin: 'human', said: { actor: 'user:ada', at, event: words.seq } },
  ]);
  expect(listSteering(await readEvents(run))).toEqual([{ ...words, heard: { step: 'design.r1', entry: 'e2' } }]);
});

test('a try after another reads it in the same place, and pays for nothing again', async () => {
  let steps = 0;
  const stop = new AbortController();
  let said: Promise<unknown> = Promise.resolve();
  const { app, run } = await atWork((event) => {
    if (event.type !== 'step') return;
    steps += 1;
    if (steps === 2) said = steer(run, WORDS);
    if (steps === 3) stop.abort(new Error('the process dies'));
  });
  await expect(advance(run.id, app.deps, stop.signal)).rejects.toThrow('the process dies');
  await said;
  const before = await run.spending.list();
  // What came while no process was there is read before the first call that is new.
  await steer(run, { ...WORDS, text: 'And dates are in ISO form.', nonce: 'n2' });
  await advance(run.id, app.deps, live);
  const heard = await saidTo(run, 'init');
  expect(heard.map(({ said: { event } }) => event)).toEqual(listSteering(await readEvents(run)).map(({ seq }) => seq));
  expect(listSteering(await readEvents(run)).map((one) => one.heard?.entry)).toEqual(heard.map(({ id }) => id));
  const after = await run.spending.list();
  const again = before.filter(({ call, usd }) => after.some((one) => one.call === call && one.usd !== usd));
  expect(again).toEqual([]);
  const paidTwice = after.filter(({ answers }) => answers !== 1);
  expect(paidTwice).toEqual([]);
});

test('no agent, no policy and nobody who may not decide steers; at a gate a decision is needed', async () => {
  const { app, run } = await atWork();
  for (const actor of ['agent:execute', 'policy:demo', 'user:'])
    await expect(steer(run, { ...WORDS, actor })).rejects.toMatchObject({ code: 'gate_refused' });
  await expect(steer(run, WORDS, ['user:grace'])).rejects.toMatchObject({ code: 'gate_refused' });
  await expect(steer(run, { ...WORDS, text: ' ' })).rejects.toMatchObject({ code: 'usage' });
  await advance(run.id, app.deps, live);
  const gate = await stateOf(run.id, app.deps);
  await expect(steer(run, WORDS)).rejects.toThrow(/waits at HITL-1\.r1, where a decision is needed/);
  await decide(app, gate, 'reject');
  await expect(steer(run, WORDS)).rejects.toThrow(/is rejected: no agent is at work/);
  expect(listSteering(await readEvents(run))).toEqual([]);
});
