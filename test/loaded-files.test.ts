/** What a start loads, counted in files by room: what few need is loaded when it is used. Times are measured in bench/. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { expect, test } from 'vitest';
import most from './loaded-files.json' with { type: 'json' };

const CLI = ['src/cli/main.ts', 'src/cli/program.ts'];
const GROUPS = ['context', 'evaluate', 'gates', 'queue', 'run', 'runs', 'serve', 'sessions', 'store'];

/** Entry files: what they import is loaded with them; what is imported with `import()` is not. */
const STARTS: Readonly<Record<keyof typeof most, readonly string[]>> = {
  'tandem --version': CLI,
  'tandem --help': [...CLI, ...GROUPS.map((group) => `src/cli/${group}/commands.ts`)],
  'tandem status': [...CLI, 'src/cli/run/commands.ts', 'src/cli/run/status.ts'],
  'tandem run': [...CLI, 'src/cli/run/commands.ts', 'src/cli/run/run.ts'],
  'tandem evaluate': [...CLI, 'src/cli/evaluate/commands.ts', 'src/cli/evaluate/evaluate.ts'],
  evaluateFolder: ['src/app/evaluation/evaluate-folder.ts', 'src/app/evaluation/evaluate-with.ts'],
};

/** `loaded-files.json`: most files of each room, a few more than there are; a room that is not in it has none. */
const allowedIn = (start: keyof typeof most): Readonly<Record<string, number>> => most[start];

const LOADING = /^(?:import|export)\s+(?!type\s)(?:[^'"`;]*?\sfrom\s+)?'(\.[^']+)'/gm;

/** Each loaded file with the file that imports it first. */
function loadedFrom(entries: readonly string[]): Map<string, string> {
  const loaded = new Map(entries.map((entry) => [entry, 'the start']));
  for (const file of loaded.keys())
    for (const [, spec = ''] of readFileSync(file, 'utf8').matchAll(LOADING)) {
      const path = posix.join(dirname(file), spec);
      if (existsSync(path) && !loaded.has(path)) loaded.set(path, file);
    }
  return loaded;
}

/** `evaluation/proof`, `config`: the folders below `src`, two at most. */
const roomOf = (file: string): string => dirname(file).split('/').slice(1, 3).join('/') || 'src';

test.each(Object.keys(STARTS) as (keyof typeof most)[])('%s loads no more than it needs', (start) => {
  const loaded = loadedFrom(STARTS[start]);
  const surplus = Object.entries(Object.groupBy(loaded.keys(), roomOf)).flatMap(([room, files = []]) => {
    const allowed = allowedIn(start)[room] ?? 0;
    if (files.length <= allowed) return [];
    return [
      `${start} loads ${files.length} files of ${room}, at most ${allowed} (test/loaded-files.json). One of these is new; use import() where not every such start needs it:`,
      ...files.map((file) => `  ${file}, imported by ${loaded.get(file)}`),
    ];
  });
  expect(surplus.join('\n')).toBe('');
});

test('a file is counted when it is imported, and not when only its types or its use later are', () => {
  const loaded = loadedFrom(STARTS.evaluateFolder);
  expect(loaded.get('src/adapters/quickjs/open-quickjs.ts')).toBe('src/adapters/quickjs/quickjs-or-process.ts');
  expect(loaded.has('src/adapters/sandbox/open-sandbox.ts')).toBe(false);
  expect(loaded.has('src/config/home.ts')).toBe(false);
});
