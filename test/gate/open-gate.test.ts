/** The frozen pack of a gate: why there is another round, as the reviewer is told it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDesk, type Desk } from '../web/desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(async () => desk.remove());

test('a design that came back says what was seen, not only under which title', async () => {
  const run = await desk.waiting('run-1', [{}, {}]);
  const pack = JSON.parse((await run.read('gates/HITL-1.r2/pack.json')) ?? '') as { why: { text: string } };
  expect(pack.why.text).toMatch(/^Execute returned it after iteration 1\. .* R1 against R2: both cannot hold\.$/);
});
