/**
 * Size and import time of packages/context beside packages that people use for the same purpose: `npm run bench:import`.
 * Each is installed into an empty folder; the time is the median of eleven fresh processes, without that of an empty one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TIMES = 11;

const place = mkdtempSync(join(tmpdir(), 'tandem-bench-import-'));
const npm = (args: readonly string[], cwd?: string): string => execFileSync('npm', args, { cwd, encoding: 'utf8' });

function packContext(): string {
  npm(['run', 'build:context', '--silent']);
  npm(['pack', '--pack-destination', place, '--silent'], 'packages/context');
  return join(place, readdirSync(place).find((name) => name.endsWith('.tgz')) ?? '');
}

function measureImport(folder: string, name: string): number {
  writeFileSync(join(folder, 'import.mjs'), name === '' ? '' : `await import('${name}');`);
  const times = Array.from({ length: TIMES }, () => {
    const startedAt = performance.now();
    const { status } = spawnSync(process.execPath, ['import.mjs'], { cwd: folder });
    if (status !== 0) throw new Error(`import of ${name} failed`);
    return performance.now() - startedAt;
  });
  return times.toSorted((one, other) => one - other)[Math.floor(TIMES / 2)] ?? 0;
}

try {
  const packages = [
    ['tandem-context', packContext(), 'tandem-context'],
    ['ai', 'ai', 'ai'],
    ['@langchain/core', '@langchain/core', '@langchain/core/messages'],
  ] as const;
  console.log('| package | installed, KB | packages | import, ms |\n|---|---|---|---|');
  for (const [name, spec, entry] of packages) {
    const folder = join(place, name.replaceAll(/\W/g, '-'));
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    npm(['install', '--no-audit', '--no-fund', '--silent', spec], folder);
    const [size = ''] = execFileSync('du', ['-sk', 'node_modules'], { cwd: folder, encoding: 'utf8' }).split('\t');
    const count = npm(['ls', '--all', '--parseable'], folder).trim().split('\n').length - 1;
    const ms = measureImport(folder, entry) - measureImport(folder, '');
    console.log(`| \`${name}\` | ${size} | ${count} | ${ms.toFixed(0)} |`);
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
