/** A run folder on disk, with what an Execute agent of iteration 2 is given of it. */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { OwnedMount } from '../../src/adapters/file-tools/mounts.ts';

export type RunFolder = {
  root: string;
  at: (path: string) => string;
  put: (path: string, content: string | Uint8Array) => Promise<void>;
  mounts: OwnedMount[];
  remove: () => Promise<void>;
};

const FILES: Record<string, string> = {
  'scenario/brief.md': '# Refund desk\n',
  'scenario/simulation/execute.yaml': 'the answers\n',
  'run/design/r1/business_rules.yaml': 'rules:\n  - id: R1\n  - id: R2\n',
  'run/design/r1/format_spec.yaml': 'version: 1\n',
  'run/design/r10/business_rules.yaml': 'the design of another round\n',
  'run/execution_outputs/iteration_1/tools/a.mjs': 'export const a = 1;\n',
  'run/execution_outputs/iteration_1/traces/s1.1.jsonl': `{"says":"order 77 is refunded"}\n{"long":"${'x'.repeat(5_000)} order 78 ${'y'.repeat(5_000)}"}\n`,
  'run/wip/execute.i2@w/out/tools/b.mjs': 'export const b = 2;\n',
  'run/wip/execute.i2@w/turns/0001.json': '{"paid":true}\n',
  'secret.txt': 'THE SECRET\n',
};

export async function makeRunFolder(): Promise<RunFolder> {
  const root = await mkdtemp(join(tmpdir(), 'tandem-files-'));
  const at = (path: string) => join(root, path);
  const put = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), content);
  };
  for (const [path, text] of Object.entries(FILES)) await put(path, text);
  return {
    root,
    at,
    put,
    mounts: [
      { logical: 'scenario/brief.md', physical: at('scenario/brief.md'), writable: false },
      { logical: 'design/r1', physical: at('run/design/r1'), writable: false, owner: 'the design belongs to Init' },
      { logical: 'execution_outputs/iteration_1', physical: at('run/execution_outputs/iteration_1'), writable: false },
      { logical: 'execution_outputs/iteration_2', physical: at('run/wip/execute.i2@w/out'), writable: true },
    ],
    remove: async () => rmSync(root, { recursive: true }),
  };
}
