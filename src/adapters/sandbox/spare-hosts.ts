/** Hosts that are started ahead of the first session: the first one proves that the isolation works here. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHost, type HostProcess, type Launch } from './host-process.ts';

/** Hosts on `dir`, ready or starting; the caller that takes them must end them. */
export type Spares = { dir: string | undefined; takeAll: () => Promise<HostProcess>[] };

/** One for the tools, one for the checkers. On two cores a second start would only delay the first. */
const SPARES = availableParallelism() > 2 ? 2 : 1;

/**
 * With a `folder`, hosts on it for its first session; without one, a host on an empty folder that ends at once. Rejects when
 * none starts: only a host that has answered proves anything.
 */
export async function startSpares(
  folder: string | undefined,
  launch: (dir: string) => Launch | Promise<Launch>,
): Promise<Spares> {
  if (folder === undefined) {
    await probe(launch);
    return { dir: undefined, takeAll: () => [] };
  }
  const dir = realpathSync(folder);
  const command = await launch(dir);
  const hosts = Array.from({ length: SPARES }, () => startHost(command));
  const settled = Promise.allSettled(hosts);
  try {
    await hosts[0];
  } catch (error) {
    const others = (await settled).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all(others.map((host) => host.kill()));
    throw error;
  }
  return { dir, takeAll: () => hosts.splice(0) };
}

/** The real thing on an empty folder. */
async function probe(launch: (dir: string) => Launch | Promise<Launch>): Promise<void> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'tandem-probe-')));
  try {
    const host = await startHost(await launch(dir));
    await host.kill();
  } finally {
    rmSync(dir, { recursive: true });
  }
}
