/** `tandem gates stats`: the same numbers as on the page, for a terminal and for a machine. */
import { expect, test } from 'vitest';
import { gateStats } from '../../src/cli/gates/stats.ts';
import { quietIo } from '../support/project.ts';
import { signedIn } from './client.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();

test('people together and one by one: answers, haste, what came back', async () => {
  await desk.waiting('run-1', [{}, {}]);
  const client = await signedIn(desk.review());
  await client.send('/runs/run-1/gates/HITL-1.r2', { decision: 'approve' });
  const io = quietIo(desk.root);
  await gateStats({}, io);
  expect(io.said).toHaveLength(2);
  expect(io.said[0]).toMatch(/^all people: 2 decisions, 2 approved · .* under 5 s 1 \(50 %\) · came back 1 \(50 %\)/);
  await gateStats({ json: true }, io);
  const told = JSON.parse(io.said.at(-1) ?? '') as { people: object; each: object[] };
  expect(told.people).toMatchObject({ decisions: 2, hasty: 1, cameBack: 1 });
  expect(told.each).toMatchObject([{ actor: 'user:ada', approvals: 2 }]);
});

test('nothing decided yet is said so', async () => {
  const io = quietIo(desk.root);
  await gateStats({}, io);
  expect(io.said).toEqual(['Nothing was decided yet.']);
});
