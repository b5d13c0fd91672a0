/** Reads the channel of answers line by line, and trusts only the expected answer. */
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '../../parse-json.ts';
import { MAX_CHARS } from './limits.ts';

export type HostReply = Record<string, unknown>;

type ChannelEvent = { type: 'line'; reply: HostReply } | { type: 'timeout' | 'crashed' | 'too_large'; message: string };

export type Lines = { next: (timeoutMs: number, accepts: (reply: HostReply) => boolean) => Promise<ChannelEvent> };

/** The remaining output of a process is available at once; a child of it may keep the pipe open for ever. */
const DRAIN_MS = 1000;

/** Ignores lines that are no answer, or that no call waits for. */
export function readLines(stream: Readable, exited: Promise<string>): Lines {
  let waiting: { accepts: (reply: HostReply) => boolean; settle: (event: ChannelEvent) => void } | undefined;
  let ended: ChannelEvent | undefined;
  let partial: string[] = [];
  let chars = 0;
  stream.setEncoding('utf8');
  stream.on('error', () => undefined);
  stream.on('data', (chunk: string) => {
    chars += chunk.length;
    if (chars > 2 * MAX_CHARS) waiting?.settle({ type: 'too_large', message: 'it flooded the channel of the answers' });
    const parts = chunk.split('\n');
    for (const part of parts.slice(0, -1)) {
      const reply = parseReply(partial.join('') + part);
      partial = [];
      if (reply !== undefined && waiting?.accepts(reply)) waiting.settle({ type: 'line', reply });
    }
    partial.push(parts.at(-1) ?? '');
  });
  const end = (message: string): void => {
    ended = { type: 'crashed', message };
    waiting?.settle(ended);
  };
  // The exit of a process may be known before its last output is read.
  const drained = new Promise<void>((resolve) => stream.once('close', resolve).once('end', resolve));
  void exited.then(async (message) => {
    await Promise.race([drained, delay(DRAIN_MS, undefined, { ref: false })]);
    end(message);
  });
  const next: Lines['next'] = (timeoutMs, accepts) =>
    new Promise((resolve) => {
      chars = 0;
      const settle = (event: ChannelEvent): void => {
        clearTimeout(timer);
        waiting = undefined;
        resolve(event);
      };
      const late = { type: 'timeout', message: `no answer within ${timeoutMs} ms` } as const;
      const timer = setTimeout(() => settle(late), timeoutMs);
      if (ended === undefined) waiting = { accepts, settle };
      else settle(ended);
    });
  return { next };
}

/** Undefined for a line that the generated code itself wrote. */
function parseReply(line: string): HostReply | undefined {
  const value = line === '' ? undefined : parseJson(line);
  return typeof value === 'object' && value !== null ? (value as HostReply) : undefined;
}
