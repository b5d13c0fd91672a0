/** The frozen pack of a gate: why there is another round, as the reviewer is told it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseFile } from '../../src/disk/parse-file.ts';
import { ReviewPack } from '../../src/gate/rules/review-pack.ts';
import { openDesk, type Desk } from '../web/desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(async () => desk.remove());

test('a design that came back is named by its title; what was seen is evidence, one fold away', async () => {
  const run = await desk.waiting('run-1', [{}, {}]);
  const { why } = parseFile(ReviewPack, (await run.read('gates/HITL-1.r2/pack.json')) ?? '', 'pack.json');
  expect(why.text).toMatch(/^Execute returned the design after iteration 1[ ,].*: .*R1 against R2\.$/);
  const [seen] = why.evidence;
  expect(seen).toEqual({
    text: 'R1 against R2: both cannot hold.',
    path: 'execution_outputs/iteration_1/layer1_problems.json',
  });
});
