// One side does one work, as a whole process: its seconds or its peak of memory, or why that does not count.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { treeMiB } from './tree-memory.mjs';

/** With `watch` memory is looked at: that takes a part of a core, so the seconds of such a run are no measure. */
export async function runOnce(side, work, scratch, watch) {
  // A folder of its own for every run: results and traces are written into it.
  const folder = mkdtempSync(join(scratch, 'run-'));
  const run = await measure(side.start(work, folder), work, folder, watch);
  return { ...run, fault: faultOf(side, work, { ...run, folder }) };
}

function measure({ args, cwd, env }, { samples, concurrency }, folder, watch) {
  const files = {
    OUT: join(folder, 'out.json'),
    AT_ONCE: join(folder, 'at-once'),
    // All sides are programs that one starts again and again: each finds the code that its last start compiled.
    NODE_COMPILE_CACHE: join(folder, '../compiled'),
  };
  const started = performance.now();
  const child = spawn(process.execPath, args.map(String), {
    cwd: cwd ?? folder,
    env: { ...process.env, SAMPLES: samples, CONCURRENCY: concurrency, ...files, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let peakMiB = 0;
  let text = '';
  child.stdout.on('data', (part) => (text = (text + part).slice(-4000)));
  child.stderr.on('data', (part) => (text = (text + part).slice(-4000)));
  const look = () => (peakMiB = Math.max(peakMiB, treeMiB(child.pid)));
  const looking = watch ? setInterval(look, 50) : undefined;
  const stop = setTimeout(() => child.kill('SIGKILL'), 60_000);
  return new Promise((done) =>
    child.on('close', (code) => {
      clearInterval(looking);
      clearTimeout(stop);
      done({ seconds: (performance.now() - started) / 1000, peakMiB, code, text });
    }),
  );
}

/** A side that did other work than it was asked to do, or more or less of it at once, is not measured. */
function faultOf({ passed }, { samples, concurrency }, { seconds, code, text, folder }) {
  if (code !== 0) return `exit ${code}: ${text.slice(-400)}`;
  const ideal = (samples / concurrency) * 0.05;
  if (seconds < ideal) return `${seconds.toFixed(2)} s are less than the waiting takes (${ideal} s)`;
  if (passed === undefined) return undefined;
  if (!existsSync(join(folder, 'at-once'))) return 'nothing was run: no sample waited';
  if (!existsSync(join(folder, 'out.json'))) return 'it wrote no results';
  const right = passed(JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')));
  if (right !== samples) return `${right} of ${samples} samples passed`;
  const atOnce = Number(readFileSync(join(folder, 'at-once'), 'utf8'));
  return atOnce === concurrency ? undefined : `${atOnce} samples at once, not ${concurrency}`;
}
