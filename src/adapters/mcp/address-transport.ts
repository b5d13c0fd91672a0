/** Messages with a server at an address, over streamable HTTP, with limits on answer sizes and reconnections. */
import type { Transport } from '@modelcontextprotocol/client';

type McpClientModule = typeof import('@modelcontextprotocol/client');
export type AddressOptions = { url: string; headers: Readonly<Record<string, string>>; maxBytes: number };

/** The shortest pause before a server that asks to be called again at once. */
const LEAST_PAUSE_MS = 250;

/** `onForgotten`: called when the server does not know the session any more, so that a new one is opened. */
export function addressTransport(
  { StreamableHTTPClientTransport }: McpClientModule,
  { url, headers, maxBytes }: AddressOptions,
  onForgotten: () => void,
): Transport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: async (input, init) => {
      // No stream for unsolicited messages is opened, because they are ignored.
      if (init?.method === 'GET' && !new Headers(init.headers).has('last-event-id'))
        return new Response(null, { status: 405 });
      // Redirects are refused unless the library asks for them, because headers and body are for this address only.
      const response = await fetch(input, { redirect: 'error', ...init });
      if (response.status === 404) onForgotten();
      return capResponse(response, maxBytes);
    },
    reconnectionScheduler: (reconnect, ms) => {
      const waiting = setTimeout(reconnect, Math.max(ms, LEAST_PAUSE_MS)).unref();
      return () => clearTimeout(waiting);
    },
  });
}

/** Cuts an answer that is too long, and lets the call fail. */
function capResponse(response: Response, maxBytes: number): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const cap = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) controller.error(new Error(`an answer of more than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(cap), { status, statusText, headers });
}
