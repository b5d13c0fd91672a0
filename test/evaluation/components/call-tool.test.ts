import { describe, expect, test } from 'vitest';
import { callTool, type Stage } from '../../../src/evaluation/components/call-tool.ts';
import type { JsonObject } from '../../../src/scenario/json/json-value.ts';
import { listArguments, type OpenSandbox } from '../../../src/ports/sandbox.ts';

const { signal } = new AbortController();
const schema = { type: 'object', properties: { on: { type: 'boolean' } } };
const broken = { on: 'yes' };

/** A tool that leaves this world behind. */
function stageOn(after: JsonObject | undefined, startWorld: JsonObject): Stage {
  const session: OpenSandbox = {
    call: async ({ args: given }) => {
      const [input, world] = listArguments(given);
      return { ok: true, value: 1, args: [input, after ?? world] };
    },
    askAll: async () => [],
    close: async () => undefined,
  };
  const tool = { name: 't', description: 'x', input_schema: { type: 'object' as const }, examples: [] };
  return { tools: new Map([['t', tool]]), session, worldSchema: schema, startWorld };
}
const callOn = (after: JsonObject | undefined, world: JsonObject, start = world) =>
  callTool(stageOn(after, start), { tool: 't', args: {}, world }, signal);

describe('the world that a tool leaves behind', () => {
  test('must keep to the schema, or the tool has failed and the world is as it was', async () => {
    const world = { on: true };
    expect(await callOn(broken, world)).toMatchObject({ is_error: true, error: 'bad_output', change: [], world });
  });

  test('is nobody’s fault when the one that it all began with does not keep to it either', async () => {
    const call = await callOn({ on: 'no' }, broken);
    expect(call).toMatchObject({ is_error: false, world: { on: 'no' } });
    expect(call.change).toEqual([{ op: 'replace', path: '/on', value: 'no' }]);
  });

  test('is the very same when nothing was changed, and is not looked through again', async () => {
    const world = { on: true };
    expect((await callOn(undefined, world)).world).toBe(world);
    expect((await callOn({ on: true }, world)).world).toBe(world);
  });
});
