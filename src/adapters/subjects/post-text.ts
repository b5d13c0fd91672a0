/** Posts a text and reads the answer. Node's own client takes a third of the processor time that `fetch` takes. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { brotliDecompressSync, unzipSync } from 'node:zlib';
import { describeError } from '../../errors.ts';

export type PostedText = { headers: Record<string, string>; body: string; mostBytes: number };

/** `bytes` is undefined when there are too many, and empty when the status asks for another try. */
export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; bytes: Buffer | undefined };

/** What `fetch` sends too: some gateways refuse a request without. */
const USUAL_HEADERS = { accept: '*/*', 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'node' };

/** Follows no redirect. Connections stay open for the next request, and go through the proxy where one is set. */
export async function postText(url: string, posted: PostedText, signal: AbortSignal): Promise<HttpAnswer> {
  const { protocol } = new URL(url);
  const { body, mostBytes } = posted;
  const headers = { ...USUAL_HEADERS, 'content-length': Buffer.byteLength(body), ...posted.headers };
  // An import would load the modules of `fetch` as well, which takes 20 ms.
  const client = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const request = client.request(url, { method: 'POST', headers, signal }, (response) => {
      const { statusCode: status = 0, headers: sent } = response;
      const settle = (bytes: Buffer | undefined): void => resolve({ status, headers: sent, bytes });
      response.on('error', reject);
      if (isTemporary(status)) {
        settle(Buffer.alloc(0));
        response.destroy();
      } else readBody(response, mostBytes, { settle, reject });
    });
    request.on('error', reject);
    request.end(body);
  });
}

export function isTemporary(status: number): boolean {
  return status === 429 || status >= 500;
}

function readBody(
  response: IncomingMessage,
  mostBytes: number,
  { settle, reject }: { settle: (bytes: Buffer | undefined) => void; reject: (error: unknown) => void },
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= mostBytes) return;
    settle(undefined);
    response.destroy();
  });
  response.on('end', () => {
    try {
      settle(unpackBody(Buffer.concat(chunks), response.headers['content-encoding'], mostBytes));
    } catch (error) {
      reject(error);
    }
  });
}

/** A text that unpacks to more than the most bytes is refused, as one that cannot be unpacked. */
function unpackBody(bytes: Buffer, encoding = 'identity', maxOutputLength = 0): Buffer {
  if (encoding === 'identity' || bytes.length === 0) return bytes;
  return (encoding === 'br' ? brotliDecompressSync : unzipSync)(bytes, { maxOutputLength });
}

/** A name with two addresses fails with a list of errors that has no message. */
export function describeLostPost(error: unknown): string {
  const [first = error] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return describeError(first);
}
