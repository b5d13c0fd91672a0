/** Messages with a server at an address, over streamable HTTP: its answers end, and it is never called in a loop. */
import type { Transport } from '@modelcontextprotocol/client';

type Library = typeof import('@modelcontextprotocol/client');
export type AddressOptions = { url: string; headers: Readonly<Record<string, string>>; maxBytes: number };

/** The pause for a server that wants to be called again at once. */
const LEAST_PAUSE_MS = 250;

/** `onForgotten`: it does not know us any more, so it has to be begun with anew. */
export function addressTransport(
  { StreamableHTTPClientTransport }: Library,
  { url, headers, maxBytes }: AddressOptions,
  onForgotten: () => void,
): Transport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: async (input, init) => {
      // Unsolicited messages are ignored, so nobody listens.
      if (init?.method === 'GET' && !new Headers(init.headers).has('last-event-id'))
        return new Response(null, { status: 405 });
      // Without a word of the library a redirect is not followed: what the address was given is for it alone.
      const response = await fetch(input, { redirect: 'error', ...init });
      if (response.status === 404) onForgotten();
      return capped(response, maxBytes);
    },
    reconnectionScheduler: (reconnect, ms) => {
      const waiting = setTimeout(reconnect, Math.max(ms, LEAST_PAUSE_MS)).unref();
      return () => clearTimeout(waiting);
    },
  });
}

/** An answer without end is cut where it is too long, and the call fails. */
function capped(response: Response, maxBytes: number): Response {
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
