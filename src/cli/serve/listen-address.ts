/** `--listen <host>:<port>`: what a server of ours listens on. */
import { isIP } from 'node:net';
import { isLoopback } from '../../config/endpoint.ts';
import type { Reviewers } from '../../config/reviewers.ts';
import { usageError } from '../../errors.ts';

/** An address of version 6 is written in brackets. */
export function addressOf(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    throw usageError(`--listen "${text}": expected an address and a port, such as 127.0.0.1:7420.`);
  }
  return { host, port: Number(port) };
}

/** What a client may call us in its Host header. */
export function hostsOf(host: string, port: number, { hosts, base_url }: Reviewers): string[] {
  const shown = isIP(host) === 6 ? `[${host}]` : host;
  const own = isLoopback(host) ? [shown, '127.0.0.1', 'localhost', '[::1]'] : [shown];
  const named = hosts.flatMap((name) => [name, `${name}:${port}`]);
  const base = base_url === undefined ? [] : [new URL(base_url).host];
  return [...own.map((name) => `${name}:${port}`), ...named, ...base].map((name) => name.toLowerCase());
}

export function originOf(host: string, port: number): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
