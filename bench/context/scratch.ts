/** A temporary folder for all processes of the bench, gone when it ends, however it ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bench-context-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.on(signal, () => process.exit(code));
  return folder;
}
