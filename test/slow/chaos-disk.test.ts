/** The disk fills up in the middle of a run: it stops, says so, and goes on when there is room again. */
import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeChaosScenario } from '../support/chaos-scenario.ts';
import { BIN, makeProject } from '../support/cli.ts';

const run = promisify(execFile);

/** On a small disk of its own that ends with the script; a file of zeros leaves `$1` KB free. */
const SCRIPT = `set -u
disk=$(mktemp -d)
mount -t tmpfs -o size=64m tmpfs "$disk" || exit 90
cp -r "$2"/. "$disk"/
cd "$disk"
free=$(df --output=avail -k . | tail -1)
head -c $(( (free - $1) * 1024 )) /dev/zero > filler
node=$3; bin=$4
"$node" "$bin" run chaos-desk --id full --on-gate auto:demo --json > first.out 2> first.err
echo "first $?"
rm filler
"$node" "$bin" resume full --on-gate auto:demo --json > /dev/null 2> second.err
echo "second $?"
"$node" "$bin" verify full | grep -c BROKEN
tail -3 second.err >&2
cat first.err >&2
`;

/** As root a mount of our own needs nothing; others become root in a namespace of their own first. */
const UNSHARE = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount'];

test.each([300, 600])('with %i KB left the run stops in order, and goes on to the same end', async (freeKb) => {
  const project = await makeProject();
  await makeChaosScenario(project, { rounds: 1, iterations: 2, samples: 8 });
  const script = join(project, 'fill.sh');
  await writeFile(script, SCRIPT);
  await chmod(script, 0o755);
  const args = [...UNSHARE, 'sh', script, String(freeKb), project, process.execPath, BIN];
  const { stdout, stderr } = await run('unshare', args, { timeout: 120_000 }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  const lines = stdout.trim().split('\n');
  expect(lines, stderr).toEqual(['first 6', 'second 0', '0']);
  expect(stderr).toMatch(/no space left on device/i);
});
