// What is measured of us alone: a call into a sandbox, long answers in memory, recorded runs judged again.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './median.mjs';
import { ourFolder } from './sides.mjs';

const here = new URL('.', import.meta.url).pathname;

export async function ownNumbers(rounds, scratch) {
  const sandbox = await lastLine([join(here, 'sandbox-cost.mjs')]);
  const traces = {
    few: await withAnswers(scratch, rounds, { samples: 200, trials: 1, kilobytes: 190 }),
    many: await withAnswers(scratch, rounds, { samples: 400, trials: 2, kilobytes: 190 }),
    small: await withAnswers(scratch, rounds, { samples: 200, trials: 1, kilobytes: 0 }),
  };
  return { sandbox, traces, rejudged: await rejudged(rounds) };
}

/** The median of the rounds, by memory. */
async function withAnswers(scratch, rounds, { samples, trials, kilobytes }) {
  const found = [];
  for (let round = 0; round < rounds; round += 1) {
    const folder = mkdtempSync(join(scratch, 'answers-'));
    const args = [join(here, 'ours.mjs'), ...ourFolder(folder, samples), samples, trials, 10, kilobytes];
    found.push(await lastLine(args.map(String)));
  }
  const middle = median(found.map((one) => one?.ownMiB ?? Infinity));
  return found.find((one) => one?.ownMiB === middle);
}

/** Undefined where the optional recordings, which are no part of this repository, are missing or cannot be judged. */
async function rejudged(rounds) {
  const recordings = join(here, '../../../shared/data/tau');
  if (!existsSync(recordings)) return undefined;
  const files = readdirSync(recordings)
    .filter((name) => name.endsWith('.gz'))
    .map((name) => join(recordings, name));
  const times = [];
  let found;
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    found = await lastLine([join(here, '../../bin/tandem.js'), 'rejudge', '--json', ...files]);
    if (found === undefined) return undefined;
    times.push((performance.now() - started) / 1000);
  }
  return { total: found.total, agreed: found.agreed, seconds: Number(median(times).toFixed(2)) };
}

/** The last line that a process prints, as JSON; undefined when it fails. */
function lastLine(args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.on('data', (part) => (text += part));
    child.on('close', (code) => done(code === 0 ? JSON.parse(text.trim().split('\n').at(-1)) : undefined));
  });
}
