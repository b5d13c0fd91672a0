/** A tool that ignores an argument is blamed, and not the sample that expects it to listen. */
import { expect, test } from 'vitest';
import { turnOn } from '../lamps.ts';
import { linesOf, replacing, verify, withSample } from './verify-lamps.ts';

const deaf = {
  'tools/switch_lamp.mjs': replacing('const lamp = world.lamps[id];', 'const lamp = world.lamps.hall; on = !lamp.on;'),
};
/** Both gold paths end wrong with a tool that switches the hall lamp, whatever it is asked. */
const leaveOn = {
  ...turnOn,
  gold: [{ tool: 'switch_lamp', args: { id: 'hall', on: true } }],
  start: { base: 'house.json', patch: [] },
  expect: { ...turnOn.expect, end_state: 'unchanged' },
};

test('a gold path that ends wrong where a deaf tool wrote is the fault of the tool, and its argument is named', async () => {
  const verification = await verify({ ...withSample('turn-on', leaveOn), edits: deaf });
  expect(linesOf(verification)[0]).toBe('2 tool-suspect switch_lamp');
  expect(verification.problems[0]?.message).toMatch(/ignores its argument "(id|on)".*turn-on/);
  expect(linesOf(verification)).not.toContain('4 gold-fails turn-on turn-on');
});

test('a tool that listens is not blamed for a sample that expects something else', async () => {
  const wrong = { ...turnOn, expect: { ...turnOn.expect, end_state: 'unchanged' } };
  const lines = linesOf(await verify(withSample('turn-on', wrong)));
  expect(lines).toContain('4 gold-fails turn-on turn-on');
  expect(lines.filter((line) => line.startsWith('2'))).toEqual([]);
});

test('a tool that looks at one argument first is not deaf for the rest: another gold path shows that it listens', async () => {
  const first =
    'if (on !== true) { world.lamps.cellar.on = on; return { ok: true }; }\n  const lamp = world.lamps[id];';
  const edits = { 'tools/switch_lamp.mjs': replacing('const lamp = world.lamps[id];', first) };
  const wrong = { ...leaveOn, id: 'turn-off', gold: [{ tool: 'switch_lamp', args: { id: 'hall', on: false } }] };
  const { problems } = await verify({
    files: { 'samples/turn-on.json': turnOn, 'samples/turn-off.json': wrong },
    edits,
  });
  expect(problems.filter(({ sample }) => sample === 'turn-off')).not.toEqual([]);
  expect(problems.filter(({ message }) => message.includes('ignores its argument'))).toEqual([]);
});
