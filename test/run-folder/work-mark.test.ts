/** A run is carried as long as its mark belongs to a process that lives. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { getPidScope } from '../../src/disk/live-mark.ts';
import { findCarrier, markWork } from '../../src/run-folder/work-mark.ts';
import { useDesk } from '../web/use-desk.ts';

const desk = useDesk();

test('the mark of this process, of a dead one, and of workers', async () => {
  const run = await desk.waiting('run-1');
  expect(await findCarrier(run)).toBe('nothing');
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  const until = new Date(Date.now() + 60_000).toISOString();
  const dead = { version: 1, place: getPidScope(), pid: child.pid, until, said: '' };
  await run.shared.write('carrying/dead.json', JSON.stringify(dead));
  expect(await findCarrier(run)).toBe('nothing');
  const end = await markWork(run);
  expect(await findCarrier(run)).toBe('process');
  expect([...(await run.shared.list('carrying'))]).toHaveLength(1);
  await end();
  expect(await findCarrier(run)).toBe('nothing');
  await run.write('queue.json', '{"version":1,"carriedBy":"workers"}');
  expect(await findCarrier(run)).toBe('workers');
});
