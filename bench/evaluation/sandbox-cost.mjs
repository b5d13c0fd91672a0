// What one call of generated code costs when its sandbox is already open.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConfined } from '../../src/app/open-sandbox.ts';

const CALLS = 2000;
const dir = mkdtempSync(join(tmpdir(), 'tandem-bench-'));
try {
  mkdirSync(join(dir, 'tools'));
  writeFileSync(
    join(dir, 'tools/add.mjs'),
    'export function run({ by }, world) { world.count += by; return world.count; }\n',
  );
  const sandbox = await openConfined({ allowUnsandboxed: true });
  const opening = performance.now();
  const session = await sandbox.open(dir);
  const { signal } = new AbortController();
  const call = () =>
    session.call({ module: 'tools/add.mjs', name: 'run', args: [{ by: 1 }, { count: 1 }], timeoutMs: 5000 }, signal);
  const first = await call();
  const openMs = performance.now() - opening;
  if (!first.ok) throw new Error(first.message);
  const times = [];
  for (let made = 0; made < CALLS; made += 1) {
    const before = performance.now();
    await call();
    times.push(performance.now() - before);
  }
  await session.close();
  times.sort((a, b) => a - b);
  const at = (share) => Number(times[Math.floor(share * (CALLS - 1))].toFixed(3));
  console.log(
    JSON.stringify({
      sandbox: sandbox.kind,
      openMs: Math.round(openMs),
      medianMs: at(0.5),
      p95Ms: at(0.95),
      p99Ms: at(0.99),
    }),
  );
} finally {
  rmSync(dir, { recursive: true, force: true });
}
