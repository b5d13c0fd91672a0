/** The programs in every exported task, as files that need Node and nothing else. */
import { readFile } from 'node:fs/promises';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { RolldownOptions } from 'rolldown';
import { isBuilt, ownFile, packageFolder } from '../../own-file.ts';
import type { HarborFile } from '../../interop/harbor/judged-world.ts';
import { ownTexts } from './own-texts.ts';

/** The sources of `world.js` in a task, for tasks without and with models. */
export const WORLD_PROGRAMS = { plain: 'app/harbor/world', full: 'app/harbor/whole-world' };
/** Maps the path below `src/` to the path in a task, where `world.js` finds the hosts as in the package. */
const HOSTS = {
  'adapters/sandbox/host': 'adapters/sandbox/host.js',
  'adapters/sandbox/fixed-clock': 'adapters/sandbox/fixed-clock.js',
};

/** Bundles a program into one file, for machines without installed packages. */
export function singleFileProgram(name: string): RolldownOptions {
  return {
    input: { [name]: `src/${name}.ts` },
    platform: 'node',
    external: /^node:/,
    treeshake: { moduleSideEffects: (id) => !id.includes('/node_modules/') },
    plugins: [ownTexts],
    output: { dir: 'dist', codeSplitting: false, minify: true },
  };
}

export async function harborPrograms(kind: keyof typeof WORLD_PROGRAMS): Promise<HarborFile[]> {
  const programs = { [WORLD_PROGRAMS[kind]]: 'world.js', ...HOSTS };
  const files = Object.entries(programs).map(async ([name, path]): Promise<HarborFile> => {
    return { path, content: isBuilt ? await readShipped(name) : await buildProgram(name) };
  });
  return [...(await Promise.all(files)), { path: 'package.json', content: '{"type":"module","private":true}\n' }];
}

const PACKED = '.js.br';

/** Compresses a program in the package, because few people export tasks. */
export function packedProgram(name: string): RolldownOptions {
  const pack = {
    name: 'packed',
    generateBundle(this: { emitFile: (file: object) => void }, _: unknown, bundle: Record<string, { code?: string }>) {
      const source = brotliCompressSync(bundle[`${name}.js`]?.code ?? '');
      this.emitFile({ type: 'asset', fileName: `${name}${PACKED}`, source });
      delete bundle[`${name}.js`];
    },
  };
  return { ...singleFileProgram(name), plugins: [ownTexts, pack] };
}

async function readShipped(name: string): Promise<string> {
  if (!Object.values(WORLD_PROGRAMS).includes(name)) return readFile(ownFile(name), 'utf8');
  return brotliDecompressSync(await readFile(ownFile(name, PACKED))).toString();
}

/** Builds the program in a checkout, which has the bundler but no `dist/`. */
async function buildProgram(name: string): Promise<string> {
  const { rolldown } = await import('rolldown');
  const { output, ...input } = singleFileProgram(name);
  const bundle = await rolldown({ ...input, cwd: packageFolder() });
  const made = await bundle.generate(Array.isArray(output) ? {} : output);
  await bundle.close();
  return made.output[0].code;
}
