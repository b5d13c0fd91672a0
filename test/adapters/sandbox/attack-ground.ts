/** The ground that attacks are tried on: a folder with the hostile module, a secret beside it, and a server to reach. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox, SandboxOutcome, OpenSandbox } from '../../../src/ports/sandbox.ts';

export type Ground = {
  /** The folder that the session may read. */
  dir: string;
  /** Lies outside of it. */
  secret: string;
  port: number;
  /** Opens the one session in which all attacks are tried, so that none may spoil the next. */
  begin(sandbox: Sandbox): Promise<void>;
  attack(name: string, args?: unknown[], timeoutMs?: number): Promise<SandboxOutcome>;
  close(): Promise<void>;
};

export async function openGround(): Promise<Ground> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-attacks-')));
  const dir = join(root, 'components');
  const secret = join(root, 'secret.txt');
  mkdirSync(join(dir, 'tools'), { recursive: true });
  writeFileSync(secret, 'the secret');
  writeFileSync(join(root, 'outside.mjs'), 'export const outside = "reached";');
  copyFileSync(join(import.meta.dirname, 'attacks.mjs'), join(dir, 'tools/attacks.mjs'));
  symlinkSync(join(root, 'outside.mjs'), join(dir, 'tools/link.mjs'));
  symlinkSync(secret, join(dir, 'tools/link.txt'));
  symlinkSync(secret, join(dir, 'tools/link.json'));
  symlinkSync(root, join(dir, 'tools/up'));
  const server = await listen();
  const address = server.address();
  let session: OpenSandbox | undefined;
  return {
    dir,
    secret,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async begin(sandbox) {
      session = await sandbox.open(dir);
    },
    async attack(name, args = [], timeoutMs = 10_000) {
      if (session === undefined) throw new Error('The ground is not begun.');
      return session.call({ module: 'tools/attacks.mjs', name, args, timeoutMs }, new AbortController().signal);
    },
    async close() {
      await session?.close();
      await new Promise((done) => server.close(done));
      rmSync(root, { recursive: true });
    },
  };
}

async function listen(): Promise<Server> {
  const server = createServer((_request, response) => response.end('reached'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  server.unref();
  return server;
}

/** Command lines of the live processes that name a folder: what a closed session has left behind. */
export function processesNaming(dir: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => commandLine(pid))
    .filter((line) => line.includes(dir));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch (gone) {
    void gone;
    return '';
  }
}
