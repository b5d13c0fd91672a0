/** The dashboard of a queue whose server is away. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openBoard } from '../../../src/adapters/bullmq/board.ts';

test('a server that is away is said once, however often its clients try', async () => {
  const said: string[] = [];
  const address = { kind: 'redis', url: 'redis://127.0.0.1:1', shown: 'redis://127.0.0.1:1', space: 'tandem' } as const;
  const lanes = [{ lane: 'init' }, { lane: 'execute' }] as const;
  const board = await openBoard(address, { basePath: '/queue', lanes }, (line) => said.push(line));
  await vi.waitFor(() => expect(said).not.toEqual([]), 10_000);
  await delay(500);
  await board.close();
  expect(said).toEqual([expect.stringContaining('the queue redis://127.0.0.1:1 is away: ')]);
});
