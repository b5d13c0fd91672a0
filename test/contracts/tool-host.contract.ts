/** What the agent loop may count on, whichever tools stand behind the port. */
import { describe, expect, test } from 'vitest';
import type { ToolHost } from '../../src/ports/tools/tool-host.ts';
import { ToolDefinition } from '../../src/transcript/message.ts';

export type ToolCall = { name: string; input: Record<string, unknown> };

export type ToolHostUnderTest = {
  host: ToolHost;
  /** A call that succeeds, and changes nothing that it reads. */
  good: ToolCall;
  /** Calls that must fail: wrong input, or something that is not allowed. */
  bad: readonly ToolCall[];
};

export function toolHostContract(name: string, open: () => Promise<ToolHostUnderTest>): void {
  const signal = new AbortController().signal;

  describe(`${name} keeps the contract of a tool host`, () => {
    test('every definition is one that the API takes, and no name stands twice', async () => {
      const { host } = await open();
      for (const definition of host.definitions) expect(ToolDefinition.parse(definition)).toEqual(definition);
      const names = host.definitions.map((definition) => definition.name);
      expect(new Set(names).size).toBe(names.length);
    });

    test('a good call answers, and the same call answers the same', async () => {
      const { host, good } = await open();
      const first = await host.call(good.name, good.input, signal);
      expect(first.is_error).toBe(false);
      expect(first.content).not.toBe('');
      expect(await host.call(good.name, good.input, signal)).toEqual(first);
    });

    test('a tool that fails answers with is_error and says why', async () => {
      const { host, bad } = await open();
      for (const { name: tool, input } of bad) {
        const answer = await host.call(tool, input, signal);
        expect(answer, JSON.stringify(input)).toMatchObject({ is_error: true });
        expect(answer.content).not.toBe('');
      }
    });

    test('a name that is no tool of this host is an answer too', async () => {
      const { host } = await open();
      for (const unknown of ['no_such_tool', 'constructor', '__proto__', '']) {
        expect(await host.call(unknown, {}, signal)).toMatchObject({ is_error: true });
      }
    });

    test('an abort rejects with its reason', async () => {
      const { host, good } = await open();
      const reason = new Error('the run was cancelled');
      await expect(host.call(good.name, good.input, AbortSignal.abort(reason))).rejects.toBe(reason);
    });
  });
}
