/** Writes the port of a server where `--port-file` says, for programs that start it on a free one. */
import { resolve } from 'node:path';
import { findHome } from '../../config/home.ts';
import { PORT_FILE, refuseOutput, writeOutput } from '../../disk/named-output.ts';
import type { Io } from '../command-context.ts';

export type PortFile = { write: (port: number | string) => Promise<void> };

/** Throws `usage` before the server starts when the path is taken by another file. */
export function openPortFile(path: string | undefined, io: Io): PortFile {
  if (path === undefined) return { write: async () => undefined };
  const { project } = findHome(io.cwd);
  const output = { flag: '--port-file', path: resolve(io.cwd, path), project, kind: PORT_FILE };
  refuseOutput(output);
  return { write: (port) => writeOutput(output, `${port}\n`) };
}
