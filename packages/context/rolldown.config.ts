/** The context core as one file without dependencies, and the policies, models and prompts that it reads. */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig } from 'rolldown';

const here = import.meta.dirname;
const root = resolve(here, '../..');

/** Read at run time, by their paths below the package. */
const SHIPPED = ['config/context', 'config/models.yaml', 'prompts'];

export default defineConfig({
  input: { context: join(root, 'src/library/context-core.ts') },
  platform: 'node',
  external: /^node:/,
  treeshake: { moduleSideEffects: (id) => !id.includes('/node_modules/') },
  output: { dir: join(here, 'dist'), codeSplitting: false },
  plugins: [
    {
      name: 'copy-shipped-files',
      writeBundle() {
        for (const path of SHIPPED) {
          rmSync(join(here, path), { recursive: true, force: true });
          mkdirSync(join(here, path, '..'), { recursive: true });
          cpSync(join(root, path), join(here, path), { recursive: true });
        }
      },
    },
  ],
});
