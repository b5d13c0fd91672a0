/**
 * Serves the tools and the user of an exported sample by the Model Context Protocol over standard input and output.
 * Written without a library, because the program must be one small file.
 */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import type { Action } from '../../interop/harbor/actions.ts';
import type { Reply } from '../../interop/harbor/scene.ts';
import { SAY_TO_USER } from '../../interop/harbor/say-to-user.ts';
import { describeError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';

type OfferedTool = { name: string; description: string; input_schema: unknown };

/** The newest version comes first, and is offered to a client that asks for an unknown one. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const Request = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
});
type Request = z.infer<typeof Request>;

const CallTool = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) });

/** Contract: resolves when the input ends; requests are answered one after the other. */
export async function serveMcp(
  tools: readonly OfferedTool[],
  act: (action: Action) => Promise<Reply>,
  { input, output }: { input: Readable; output: Writable },
): Promise<void> {
  const send = (id: Request['id'], answer: object): void =>
    void output.write(`${JSON.stringify({ jsonrpc: '2.0', id: id ?? null, ...answer })}\n`);
  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue;
    const request = Request.safeParse(parseJson(line)).data;
    if (request === undefined) send(undefined, rpcError(-32_600, 'this is no JSON-RPC request'));
    else if (request.id !== undefined) send(request.id, await answerTo(request, tools, act));
  }
}

async function answerTo(
  { method, params }: Request,
  tools: readonly OfferedTool[],
  act: (action: Action) => Promise<Reply>,
): Promise<object> {
  switch (method) {
    case 'initialize': {
      const wanted = VERSIONS.find((version) => version === params['protocolVersion']);
      const serverInfo = { name: 'world', version: '1' };
      return { result: { protocolVersion: wanted ?? VERSIONS[0], capabilities: { tools: {} }, serverInfo } };
    }
    case 'ping':
      return { result: {} };
    case 'tools/list':
      return {
        result: {
          tools: [...tools, SAY_TO_USER].map(({ input_schema, ...tool }) => ({ ...tool, inputSchema: input_schema })),
        },
      };
    case 'tools/call': {
      const call = CallTool.safeParse(params);
      if (!call.success) return rpcError(-32_602, 'tools/call needs a name and arguments');
      const { text, isError } = await act(toAction(call.data)).catch((error: unknown) => ({
        text: describeError(error),
        isError: true,
      }));
      return { result: { content: [{ type: 'text', text }], isError } };
    }
    default:
      return rpcError(-32_601, `there is no method ${method}`);
  }
}

function toAction({ name: tool, arguments: args }: z.infer<typeof CallTool>): Action {
  const { text, go_on } = args;
  return tool === SAY_TO_USER.name && typeof text === 'string' && text !== ''
    ? { says: text, waits: go_on !== true }
    : { tool, args };
}

function rpcError(code: number, message: string): object {
  return { error: { code, message } };
}
