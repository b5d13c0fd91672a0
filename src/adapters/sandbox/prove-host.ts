/** Starts the JavaScript host once on an empty folder: only an answer proves that the isolation works here. */
import { rm } from 'node:fs/promises';
import { createTemporaryFolder } from '../../disk/temporary-folder.ts';
import { startHost, type Launch } from './host-process.ts';

/** Rejects when the host does not start. */
export async function proveHost(launch: (dir: string) => Launch | Promise<Launch>): Promise<void> {
  const dir = await createTemporaryFolder('probe');
  try {
    const host = await startHost(await launch(dir));
    await host.kill();
  } finally {
    await rm(dir, { recursive: true });
  }
}
