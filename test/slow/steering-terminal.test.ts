/** `tandem session --run … --steer` before a person: the agent reads what was typed before its next call; Enter alone and Ctrl-C change nothing. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { readEvents } from '../../src/run-folder/snapshot.ts';
import { listSteering } from '../../src/run/steering.ts';
import { relayedDesk } from '../support/relay.ts';
import { KEYS, openTerminal, pasted } from '../support/terminal.ts';

test('words, nothing, and Ctrl-C at 80 and at 200 columns', async () => {
  const desk = await relayedDesk();
  onTestFinished(async () => {
    await desk.close();
    await rm(desk.project, { recursive: true, force: true });
  });
  const held = Promise.withResolvers<void>();
  desk.meddle(({ who }) => {
    if (who !== 'init') return undefined;
    held.resolve();
    return () => undefined;
  });
  const first = desk.start(['run', 'desk', '--id', 'talked-to', '--on-gate', 'exit']);
  await held.promise;
  first.kill('SIGKILL');
  await first.done;
  // The agent is held in a call all the while, so that it is still there at the end.
  const asked = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  desk.meddle(({ who }) => {
    if (who !== 'init') return undefined;
    asked.resolve();
    return goesOn.promise.then(() => undefined);
  });

  const store = openFileRunStore({
    roots: [join(desk.project, 'scenarios')],
    clock: { now: () => new Date() },
    worker: 't',
  });
  const run = await store.open('talked-to');
  const resumed = desk.start(['resume', 'talked-to', '--on-gate', 'exit']);
  await asked.promise;
  const speak = async (columns: number) => {
    const at = await openTerminal(['session', '--run', 'talked-to', '--steer'], { cwd: desk.project, columns });
    await at.shows('init is at work on design.r1');
    await at.shows('> ');
    return at;
  };
  const nothing = await speak(200);
  nothing.send(KEYS.enter);
  await nothing.shows('Nothing was said; init goes on.');
  expect(await nothing.ended).toBe(0);
  const left = await speak(80);
  left.send(KEYS.ctrlC);
  expect(await left.ended).toBe(130);
  const spoken = await speak(80);
  spoken.send(`${pasted('In euro.\nNever in dollars.')}${KEYS.enter}`);
  await spoken.shows('On record as event');
  goesOn.resolve();
  await spoken.shows(/has read it \(entry e\d+/);
  expect(await spoken.ended).toBe(0);
  expect((await resumed.done).code).toBe(4);
  expect(listSteering(await readEvents(run))).toMatchObject([
    { actor: 'user:ada', text: 'In euro.\nNever in dollars.', heard: { step: 'design.r1' } },
  ]);
});
