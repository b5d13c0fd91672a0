/** Hosts that are started before anybody asks for one: the first of them proves that the walls can be built here. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHost, type HostProcess, type Launch } from './host-process.ts';

/** Hosts on `dir`, ready or getting ready; whoever takes them has to end them. */
export type Spares = { dir: string | undefined; takeAll: () => Promise<HostProcess>[] };

/** One for the tools, one for the checkers. Where two cores are all, the second only keeps us and the first up: whoever needs it starts it. */
const SPARES = availableParallelism() > 2 ? 2 : 1;

/**
 * With a `folder`, hosts on it that its first session takes over; without one, a host on an empty folder that ends at once.
 * Rejects when none starts: only a host that has answered proves anything.
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
