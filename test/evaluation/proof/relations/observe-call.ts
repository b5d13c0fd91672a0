/** A call of a tool that runs in the test itself, as the relations of a proof take it. */
import { callTool, type Stage } from '../../../../src/evaluation/components/call-tool.ts';
import type { ObservedCall } from '../../../../src/evaluation/proof/relations/observed-calls.ts';
import type { SandboxCall } from '../../../../src/ports/sandbox.ts';
import type { JsonObject } from '../../../../src/scenario/json/json-value.ts';

export type Run = (input: Record<string, string>, world: JsonObject) => unknown;

/** A call as a gold path made it. */
export async function observeCall(tool: string, run: Run, input: JsonObject, world: JsonObject): Promise<ObservedCall> {
  const session = {
    call: ({ args }: SandboxCall) => {
      const [given, seen] = structuredClone(args as unknown[]) as [Record<string, string>, JsonObject];
      return Promise.resolve({ ok: true as const, value: run(given, seen), args: [given, seen] });
    },
  };
  const spec = { name: tool, description: tool, input_schema: { type: 'object' }, examples: [] };
  const started = { tools: new Map([[tool, spec]]), session, worldSchema: undefined, startWorld: world };
  const stage = started as unknown as Stage;
  const made = await callTool(stage, { tool, args: input, world }, new AbortController().signal);
  return { sample: 's', call: { step: 1, tool, input, ...made, is_error: false }, world, stage };
}
