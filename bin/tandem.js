#!/usr/bin/env node
// Plain JavaScript: it must parse under any Node, and then find one that can run Tandem.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  // The checkout runs its sources; the package holds only what was built from them.
  await import(existsSync(here('../src/cli.ts')) ? '../src/cli.ts' : '../dist/cli.js');
} else {
  const pinned = here('../node_modules/.bin/node');
  if (!existsSync(pinned)) {
    console.error(
      `tandem needs Node 22.18 or newer and this is ${process.versions.node}. In a checkout: npm ci installs one.`,
    );
    process.exit(2);
  }
  const child = spawnSync(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exit(child.status ?? 1);
}
