/** The guarantees that the agent loop relies on, whichever tools are behind the port. */
import assert from 'node:assert/strict';
import type { ToolHost } from '../../../src/ports/tools/tool-host.ts';
import { ToolDefinition } from '../../../src/transcript/message.ts';
import { createCases, type Checks, type ContractCase } from './contract-case.ts';
import { assertLike } from './assertions.ts';

export type ToolCall = { name: string; input: Record<string, unknown> };

export type ToolHostUnderTest = {
  host: ToolHost;
  /** A call that succeeds without changing anything that it reads. */
  good: ToolCall;
  /** Calls that must fail: wrong input, or a forbidden operation. */
  bad: readonly ToolCall[];
};

const signal = new AbortController().signal;

const CHECKS: Checks<ToolHostUnderTest> = {
  'every definition is one that the API takes, and no name stands twice': async ({ host }) => {
    for (const definition of host.definitions) assert.deepEqual(ToolDefinition.parse(definition), definition);
    const names = host.definitions.map((definition) => definition.name);
    assert.equal(new Set(names).size, names.length);
  },
  'a good call answers, and the same call answers the same': async ({ host, good }) => {
    const first = await host.call(good.name, good.input, signal);
    assert.equal(first.is_error, false);
    assert.notEqual(first.content, '');
    assert.deepEqual(await host.call(good.name, good.input, signal), first);
  },
  'a tool that fails answers with is_error and says why': async ({ host, bad }) => {
    for (const { name: tool, input } of bad) {
      const answer = await host.call(tool, input, signal);
      assert.equal(answer.is_error, true, JSON.stringify(input));
      assert.notEqual(answer.content, '');
    }
  },
  'a name that is no tool of this host is an answer too': async ({ host }) => {
    for (const unknown of ['no_such_tool', 'constructor', '__proto__', '']) {
      assertLike(await host.call(unknown, {}, signal), { is_error: true });
    }
  },
  'an abort rejects with its reason': async ({ host, good }) => {
    const reason = new Error('the run was cancelled');
    await assert.rejects(host.call(good.name, good.input, AbortSignal.abort(reason)), (error) => error === reason);
  },
};

export function toolHostCases(open: () => Promise<ToolHostUnderTest>): ContractCase[] {
  return createCases(CHECKS, open);
}
