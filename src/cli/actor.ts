/** Finds the name under which the journal records the person at the command line. */
import { userInfo } from 'node:os';
import type { Io } from './io.ts';

/** Returns `user:<login>`, under which a gate's decision is recorded. `TANDEM_AGENT` says that no person is there. */
export function commandActor(io: Io): string {
  const agent = io.env['TANDEM_AGENT'];
  if (agent !== undefined && agent !== '') return `agent:${sanitizeName(agent) || 'unknown'}`;
  const login = io.env['TANDEM_USER'] ?? io.env['USER'] ?? readLogin();
  return `user:${sanitizeName(login) || 'unknown'}`;
}

function sanitizeName(name: string): string {
  return name.replace(/[^\p{L}\p{N}._@+-]/gu, '_').replace(/^[^\p{L}\p{N}]+/u, '');
}

function readLogin(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // A container may run under a uid that has no name.
    return error instanceof Error ? 'unknown' : 'unknown';
  }
}
