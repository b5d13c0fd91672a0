import { describe, expect, test } from 'vitest';
import { type Change, linesOf, replacing, verify } from './verify-lamps.ts';

describe('tools', () => {
  const edit = (from: string | RegExp, to: string, tool = 'switch_lamp'): Change => ({
    edits: { [`tools/${tool}.mjs`]: replacing(from, to) },
  });

  test.each<[string, Change, string]>([
    [
      'an example that its own schema refuses',
      edit("{ id: 'hall', on: true }", "{ id: 'hall' }"),
      '2 tool-example-invalid switch_lamp',
    ],
    [
      'an example on a world that is not there',
      edit("world: 'house'", "world: 'palace'"),
      '2 tool-example-invalid switch_lamp',
    ],
    [
      'a tool that throws on a valid input',
      edit('lamp.on = on;', 'throw new Error("stuck");'),
      '2 tool-failed switch_lamp',
    ],
    ['a tool that answers nothing', edit('return { ok: true };', ''), '2 tool-failed switch_lamp'],
    [
      'a tool that leaves a world which does not fit',
      edit('lamp.on = on;', 'lamp.on = "yes";'),
      '2 tool-failed switch_lamp',
    ],
    [
      'a tool that answers by chance',
      edit('{ ok: true }', '{ ok: true, at: Math.random() }'),
      '2 tool-nondeterministic switch_lamp',
    ],
    [
      'a tool that remembers its calls',
      edit(
        'lamp.on = on;',
        'lamp.on = on; globalThis.lampCalls = (globalThis.lampCalls ?? 0) + 1; lamp.locked = globalThis.lampCalls % 2 === 0;',
      ),
      '2 tool-nondeterministic switch_lamp',
    ],
    [
      'a reading tool that writes',
      edit('return world', 'world.lamps[id].on = true; return world', 'read_lamp'),
      '2 tool-changes-world read_lamp',
    ],
  ])('%s is a problem of layer 2', async (_title, change, line) => {
    expect(linesOf(await verify(change))).toContain(line);
  });

  test('a tool that silently loses its change is suspected, and the sample that shows it is not blamed', async () => {
    const verification = await verify(edit('lamp.on = on;', ''));
    expect(linesOf(verification)).toEqual(['2 tool-suspect switch_lamp']);
    expect(verification.problems[0]?.message).toContain('changes nothing on any example or gold path');
    expect(verification.problems[0]?.message).toContain('turn-on');
  });

  test('a tool that throws only on the gold path is blamed there, with the step', async () => {
    const { problems } = await verify(
      edit(
        'lamp.on = on;',
        "if (id === 'hall' && world.lamps.hall.on === false && on) throw new Error('stuck'); lamp.on = on;",
      ),
    );
    expect(problems).toContainEqual(
      expect.objectContaining({ layer: 2, code: 'tool-failed', component: 'switch_lamp', sample: 'turn-on' }),
    );
    const message = problems.find(({ sample }) => sample === 'turn-on')?.message;
    expect(message).toContain('gold step 2: switch_lamp {"id":"hall","on":true}');
    expect(message).toContain('stuck');
  });
});
