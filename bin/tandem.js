#!/usr/bin/env node
// Plain JavaScript: it must parse under any Node, and then find one that can run Tandem.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** For the next start, in a folder that nobody else can write to: what lies there is run. Node's own switches hold. */
function keepCompiled() {
  let folder = process.env.XDG_CACHE_HOME || '';
  try {
    folder ||= join(homedir(), '.cache');
    if (!isAbsolute(folder)) return;
    // One by one: asked for all at once in a place where none can be made, such as below /proc, Node tries for ever.
    for (const name of ['', 'tandem', 'compiled']) {
      folder = join(folder, name);
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    }
  } catch {
    // A user without a home of its own: every start compiles.
    return;
  }
  nodeModule.enableCompileCache?.(folder);
}

/** Node 22 says at each start that its SQLite may change. Nobody who evaluates can do anything about it; other warnings stay. */
function withoutSqliteWarning() {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...more) => {
    if (!`${warning}`.startsWith('SQLite is an experimental feature')) warn(warning, ...more);
  };
}

const [major, minor] = process.versions.node.split('.').map(Number);

if (process.platform === 'win32') {
  console.error(
    'tandem runs on Linux and macOS. On Windows use it in WSL: wsl --install, then the same commands there.',
  );
  process.exit(2);
} else if (major > 22 || (major === 22 && minor >= 18)) {
  keepCompiled();
  withoutSqliteWarning();
  // The checkout runs its sources; the package holds only what was built from them.
  await import(existsSync(here('../src/cli/main.ts')) ? '../src/cli/main.ts' : '../dist/cli.js');
} else {
  const pinned = here('../node_modules/.bin/node');
  if (!existsSync(pinned)) {
    console.error(
      `tandem needs Node 22.18 or newer and this is ${process.versions.node}. In a checkout npm ci installs one; elsewhere take it from https://nodejs.org or your version manager.`,
    );
    process.exit(2);
  }
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both; a supervisor sends SIGTERM to this one only.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => {
    console.error(`tandem: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
}
