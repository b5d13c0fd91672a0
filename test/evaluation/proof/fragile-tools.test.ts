import { describe, expect, test } from 'vitest';
import { replacing, verify } from './verify-lamps.ts';

describe('a tool that breaks on what its schema allows and no gold path sends', () => {
  const fragile = replacing(
    'const lamp = world.lamps[id];',
    "if (id !== id.toLowerCase()) throw new Error('no capitals, please');\n  const lamp = world.lamps[id];",
  );

  test('is reported before the first paid call, as a doubt that stops nothing', async () => {
    const { ok, problems, remarks } = await verify({ edits: { 'tools/switch_lamp.mjs': fragile } });
    expect({ ok, problems }).toEqual({ ok: true, problems: [] });
    expect(remarks).toMatchObject([{ layer: 2, code: 'tool-fragile', component: 'switch_lamp' }]);
    expect(remarks?.[0]?.message).toContain('tools/switch_lamp.mjs: it breaks on {"id":"HALL","on":true}');
  });

  test('is not doubted when its schema forbids such an input', async () => {
    const strict = replacing("id: { type: 'string' }", "id: { type: 'string', enum: ['hall', 'cellar'] }");
    const edit = (text: string): string => strict(fragile(text));
    expect((await verify({ edits: { 'tools/switch_lamp.mjs': edit } })).remarks).toBeUndefined();
  });
});
