/** Typed tools of the harness itself: input parsed by a zod schema, the answer is JSON text. */
import { z } from 'zod';
import { formatInputFaults } from '../../ports/tools/input-faults.ts';
import type { ToolAnswer, ToolHost } from '../../ports/tools/tool-host.ts';

export type ControlTool = {
  name: string;
  description: string;
  schema: z.ZodType<Record<string, unknown>>;
  run: (input: unknown, signal: AbortSignal) => Promise<ToolAnswer>;
  /** Its calls do not depend on each other. */
  parallel?: boolean;
};

/** Binds a schema to its handler, so that the handler only ever sees parsed input. */
export function controlTool<Schema extends z.ZodType<Record<string, unknown>>>(
  { name, description, schema }: { name: string; description: string; schema: Schema },
  handle: (input: z.infer<Schema>, signal: AbortSignal) => Promise<unknown>,
): ControlTool {
  return {
    name,
    description,
    schema,
    run: async (input, signal) => {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return { content: `${name}: ${formatInputFaults(parsed.error)}`, is_error: true };
      return { content: JSON.stringify(await handle(parsed.data, signal)), is_error: false };
    },
  };
}

export function controlToolHost(tools: readonly ControlTool[]): ToolHost {
  return {
    definitions: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: inputSchema(tool.schema),
    })),
    parallel: new Set(tools.flatMap(({ name, parallel }) => (parallel === true ? [name] : []))),
    call: async (name, input, signal) => {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) return { content: `No tool is named ${name}.`, is_error: true };
      return tool.run(input, signal);
    },
  };
}

function inputSchema(schema: z.ZodType): { type: 'object'; [key: string]: unknown } {
  const { $schema: _, type: _type, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return { type: 'object', ...rest };
}
