/** Calls of tools with the protocol's own client. */
import type { Client } from '@modelcontextprotocol/client';

export async function callTool(client: Client, name: string, input: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { text, isError: isError === true };
}

export async function untilStatus(client: Client, run: string, done: RegExp): Promise<string> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { text } = await callTool(client, 'run_status', { run });
    const { status } = JSON.parse(text) as { status: string };
    if (done.test(status)) return status;
    await new Promise((later) => setTimeout(later, 100));
  }
  throw new Error(`${run} never came to ${done.source}`);
}
