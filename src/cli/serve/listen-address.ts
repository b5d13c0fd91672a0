/** Parses `--listen <host>:<port>`, the address on which a server listens, and writes the port for whoever waits for it. */
import { isIP } from 'node:net';
import { isLoopback } from '../../config/endpoint.ts';
import type { Reviewers } from '../../config/reviewers.ts';
import { usageError } from '../../errors.ts';
import { resolve } from 'node:path';
import { findHome } from '../../config/home.ts';
import { PORT_FILE, refuseOutput, writeOutput } from '../../disk/named-output.ts';
import type { Io } from '../command-context.ts';

/** An IPv6 address must be written in brackets. */
export function parseListenAddress(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    throw usageError(`--listen "${text}": expected an address and a port, such as 127.0.0.1:7420.`);
  }
  return { host, port: Number(port) };
}

/** Lists the values that a client may send in its Host header. */
export function listAllowedHosts(host: string, port: number, { hosts, base_url }: Reviewers): string[] {
  const shown = isIP(host) === 6 ? `[${host}]` : host;
  const own = isLoopback(host) ? [shown, '127.0.0.1', 'localhost', '[::1]'] : [shown];
  const named = hosts.flatMap((name) => [name, `${name}:${port}`]);
  const base = base_url === undefined ? [] : [new URL(base_url).host];
  return [...own.map((name) => `${name}:${port}`), ...named, ...base].map((name) => name.toLowerCase());
}

export function formatOrigin(host: string, port: number): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

type PortFile = { write: (port: number | string) => Promise<void> };

/** Throws `usage` before the server starts when the path is taken by another file. */
export function openPortFile(path: string | undefined, io: Io): PortFile {
  if (path === undefined) return { write: async () => undefined };
  const { project } = findHome(io.cwd);
  const output = { flag: '--port-file', path: resolve(io.cwd, path), project, kind: PORT_FILE };
  refuseOutput(output);
  return { write: (port) => writeOutput(output, `${port}\n`) };
}
