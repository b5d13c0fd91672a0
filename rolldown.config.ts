/** The package's code as few files: a start reads those instead of hundreds, and of zod only what is used. */
import { defineConfig, type RolldownOptions } from 'rolldown';
import { ownTexts } from './tools/own-texts.ts';

/** What nearly every start loads. All other packages are loaded from where they are installed, by the command that needs them. */
const INLINED = [
  ...['zod', 'p-limit', 'yocto-queue', '@cfworker/json-schema', 're2js', '@oxc-project/runtime'],
  ...['yaml', 'commander', '@commander-js/extra-typings'],
];

const common: RolldownOptions = {
  platform: 'node',
  external: (id) => /^[a-z@]/.test(id) && !INLINED.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [ownTexts],
  treeshake: { moduleSideEffects: (id) => !id.includes('/node_modules/') },
  output: { dir: 'dist', chunkFileNames: '[name]-[hash].js' },
};

const DOORS = {
  cli: 'src/cli/main.ts',
  index: 'src/library/index.ts',
  context: 'src/library/context.ts',
  evaluation: 'src/app/evaluation/evaluate-folder.ts',
  testing: 'src/app/testing.ts',
};
/** Started by path, under the names that `ownFile` knows. A sandbox sees one file only: each is built by itself. */
const PROGRAMS = ['adapters/sandbox/host', 'adapters/sandbox/fixed-clock'];

/** Started for every evaluation: one file, with the engine's loader for browsers inside, which loads no module of Node. */
const quickjs: RolldownOptions = {
  ...common,
  input: { 'adapters/quickjs/worker': 'src/adapters/quickjs/worker.ts' },
  external: /^node:/,
  platform: 'neutral',
  resolve: { conditionNames: ['browser', 'import', 'default'] },
  output: { dir: 'dist', codeSplitting: false },
};

export default defineConfig([
  { ...common, input: DOORS },
  ...PROGRAMS.map((name) => ({ ...common, input: { [name]: `src/${name}.ts` } })),
  quickjs,
]);
