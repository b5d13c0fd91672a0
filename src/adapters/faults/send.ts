/** How the relay writes: whole, torn, byte by byte, or nothing at all. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { frameOf, type AnswerEvents } from './events.ts';
import type { Broken, FaultReply } from './fault.ts';

type Headers = Readonly<Record<string, string>>;

/** The time between two pings. */
const PING_MS = 100;

export function sendInstead(outgoing: ServerResponse, { status, headers = {}, body }: FaultReply): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  outgoing.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_fault', ...headers });
  outgoing.end(text);
}

/** What comes from behind, as it comes. */
export async function pass(outgoing: ServerResponse, answer: Response): Promise<void> {
  const type = answer.headers.get('content-type');
  outgoing.writeHead(answer.status, {
    ...(type === null ? {} : { 'content-type': type }),
    ...Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith('tandem-') || name === 'request-id')),
  });
  if (answer.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(answer.body), outgoing);
}

/** `silence` leaves the socket open until the client goes away or the relay closes. */
export function breakOff(outgoing: ServerResponse, how: 'drop' | 'silence'): void {
  if (how === 'drop') outgoing.destroy();
}

export function sendJson(
  outgoing: ServerResponse,
  headers: Headers,
  { text, torn }: { text: string; torn: boolean },
): void {
  outgoing.writeHead(200, headers);
  if (!torn) return void outgoing.end(text);
  outgoing.write(text.slice(0, text.length / 2), () => outgoing.destroy());
}

type Streamed = { events: AnswerEvents; broken: Broken | undefined; closing: AbortSignal };

export async function stream(
  outgoing: ServerResponse,
  headers: Headers,
  { events, broken, closing }: Streamed,
): Promise<void> {
  const { frames, after, inBytes } = broken ?? { frames: events.map(frameOf), after: 'end' as const, inBytes: false };
  if (frames.length === 0 && after === 'drop') return void outgoing.destroy();
  outgoing.writeHead(200, headers);
  outgoing.flushHeaders();
  for (const frame of frames) {
    if (inBytes === true) for (const byte of Buffer.from(frame)) await write(outgoing, Buffer.from([byte]));
    else await write(outgoing, frame);
  }
  if (after === 'end') outgoing.end();
  else if (after === 'drop') outgoing.destroy();
  else if (after === 'pings') await pingForEver(outgoing, closing);
}

async function pingForEver(outgoing: ServerResponse, closing: AbortSignal): Promise<void> {
  while (!outgoing.destroyed) {
    await write(outgoing, frameOf({ type: 'ping' }));
    await wait(PING_MS, undefined, { signal: closing });
  }
}

/** Resolved when the chunk is with the system: a socket that is closed next must not swallow it. */
function write(outgoing: ServerResponse, chunk: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
