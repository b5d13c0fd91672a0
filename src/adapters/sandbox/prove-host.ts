/** Starts the host of JavaScript once on an empty folder: only a host that has answered proves that the isolation works here. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHost, type Launch } from './host-process.ts';

/** Rejects when it does not start. */
export async function proveHost(launch: (dir: string) => Launch | Promise<Launch>): Promise<void> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'tandem-probe-')));
  try {
    const host = await startHost(await launch(dir));
    await host.kill();
  } finally {
    rmSync(dir, { recursive: true });
  }
}
