/** Writes the relay's answers: whole, cut, byte by byte, or not at all. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { formatFrame, type AnswerEvents } from './events.ts';
import type { BrokenStream, FaultReply } from './fault.ts';

type ReplyHeaders = Readonly<Record<string, string>>;

/** The time between two pings. */
const PING_MS = 100;

export function sendInstead(outgoing: ServerResponse, { status, headers = {}, body }: FaultReply): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  outgoing.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_fault', ...headers });
  outgoing.end(text);
}

/** Forwards the upstream answer unchanged. */
export async function forwardAnswer(outgoing: ServerResponse, answer: Response): Promise<void> {
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
  headers: ReplyHeaders,
  { text, torn }: { text: string; torn: boolean },
): void {
  outgoing.writeHead(200, headers);
  if (!torn) return void outgoing.end(text);
  outgoing.write(text.slice(0, text.length / 2), () => outgoing.destroy());
}

type StreamedAnswer = { events: AnswerEvents; broken: BrokenStream | undefined; closing: AbortSignal };

export async function sendStream(
  outgoing: ServerResponse,
  headers: ReplyHeaders,
  { events, broken, closing }: StreamedAnswer,
): Promise<void> {
  const { frames, after, inBytes } = broken ?? {
    frames: events.map(formatFrame),
    after: 'end' as const,
    inBytes: false,
  };
  if (frames.length === 0 && after === 'drop') return void outgoing.destroy();
  outgoing.writeHead(200, headers);
  outgoing.flushHeaders();
  for (const frame of frames) {
    if (inBytes === true) for (const byte of Buffer.from(frame)) await writeChunk(outgoing, Buffer.from([byte]));
    else await writeChunk(outgoing, frame);
  }
  if (after === 'end') outgoing.end();
  else if (after === 'drop') outgoing.destroy();
  else if (after === 'pings') await pingForEver(outgoing, closing);
}

async function pingForEver(outgoing: ServerResponse, closing: AbortSignal): Promise<void> {
  while (!outgoing.destroyed) {
    await writeChunk(outgoing, formatFrame({ type: 'ping' }));
    await wait(PING_MS, undefined, { signal: closing });
  }
}

/** Resolves when the system has the chunk, so that closing the socket next does not lose it. */
function writeChunk(outgoing: ServerResponse, chunk: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
