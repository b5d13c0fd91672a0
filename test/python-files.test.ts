/** The Python of `src` is correct as Python reads it, and as pyflakes does where that is installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.py'))
  .map((path) => join('src', path));
const COMPILE = 'import sys\nfor path in sys.argv[1:]: compile(open(path, encoding="utf-8").read(), path, "exec")';

test('every file is Python without a warning', () => {
  expect(files.length).toBeGreaterThan(3);
  execFileSync('python3', ['-W', 'error::SyntaxWarning', '-W', 'error::DeprecationWarning', '-c', COMPILE, ...files]);
});

test('no file names what it does not define, or imports what it does not use', () => {
  const hasPyflakes = spawnSync('python3', ['-c', 'import pyflakes']).status === 0;
  const check = hasPyflakes ? spawnSync('python3', ['-m', 'pyflakes', ...files], { encoding: 'utf8' }) : { stdout: '' };
  expect(check.stdout).toBe('');
});
