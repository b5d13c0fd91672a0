/** Ctrl-C and SIGTERM at the doors beside `run`: the code of the signal, one value, how to go on, and then only what is missing. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lampsProject } from '../../cli/evaluate/lamps-project.ts';
import { start, tandem } from '../../support/cli.ts';

/** Writes down each conversation; the second one that begins waits until it is ended. */
const AGENT = `import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
const isFirst = () => {
  try {
    mkdirSync('../../first');
    return true;
  } catch {
    return false;
  }
};
process.stdin.on('data', (all) => {
  for (const line of String(all).trim().split('\\n')) {
    if (JSON.parse(line).type === 'open') continue;
    appendFileSync('../../asked', 'one\\n');
    if (!existsSync('../../awake') && !isFirst()) continue;
    process.stdout.write('{"say":"The hall lamp is on, and it is locked.","done":true}\\n');
  }
});`;

async function sleepyLamps() {
  const subject = { kind: 'command', command: [process.execPath, 'agent.mjs'] };
  const { io, dir } = await lampsProject({ brief: { subject } });
  await writeFile(join(dir, 'agent.mjs'), AGENT);
  await writeFile(join(io.cwd, 'asked'), '');
  const read = (name: string) => readFile(join(io.cwd, name), 'utf8').catch(() => '');
  return { project: io.cwd, read, wake: () => writeFile(join(io.cwd, 'awake'), '') };
}

const OPTIONS = ['--json'];

/** A process that is still starting has no handler: a signal would end it without a word. */
async function handlesSigterm(pid: number | undefined): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const mask = /^SigCgt:\s*([\da-f]+)/m.exec(status)?.[1] ?? '0';
  return (BigInt(`0x${mask}`) & (1n << 14n)) !== 0n;
}

test.each([
  ['SIGINT', 130, ['evaluate', 'lamps', '--out', 'mine', '--ci'], /the same command goes on\./],
  ['SIGTERM', 143, ['evaluate', 'lamps', '--out', 'mine', '--ci'], /the same command goes on\./],
  ['SIGTERM', 143, ['batch', 'lamps', '--evaluate', '--id', 'nightly'], /Go on with: tandem batch --resume nightly/],
] as const)('%s ends with %i, and %j goes on where it stopped', async (signal, code, args, advice) => {
  const { project, read, wake } = await sleepyLamps();
  const env = { GITHUB_OUTPUT: join(project, 'outputs'), GITHUB_STEP_SUMMARY: join(project, 'summary') };
  const child = start(project, [...args, ...OPTIONS], env);
  while ((await read('asked')).length < 8 && child.exitCode === null) await sleep(20);
  // The first verdict is on disk when the second conversation has been silent for a while.
  await sleep(500);
  child.kill(signal);
  const stopped = await child.done;
  expect(stopped.code, stopped.stderr).toBe(code);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ error: 'stopped', exitCode: code });
  expect(stopped.stderr).toMatch(advice);
  expect(await read('outputs')).toMatch(new RegExp(`^exit_code=${code}$`, 'm'));
  expect(await read('summary')).toMatch(advice);
  const folder = args[0] === 'batch' ? 'batches/nightly' : 'mine';
  expect(await read(`${folder}/junit.xml`)).toContain('<error');

  await wake();
  await writeFile(join(project, 'asked'), '');
  const again = await tandem(project, [...args, ...OPTIONS]);
  expect(JSON.parse(again.stdout), again.stderr).toBeTypeOf('object');
  expect(again.stderr).toContain('Goes on in');
  expect(await read('asked')).toBe('one\n');
});

test.each([
  ['verify-components', 'lamps'],
  ['rejudge', 'mine'],
  ['compare', 'mine', '--baseline', 'mine'],
])('%s prints one value when it is stopped', async (...args) => {
  const { project, wake } = await sleepyLamps();
  await wake();
  if (args[1] === 'mine') await tandem(project, ['evaluate', 'lamps', '--out', 'mine', ...OPTIONS]);
  const child = start(project, [...args, ...OPTIONS]);
  while (child.exitCode === null && !(await handlesSigterm(child.pid))) await sleep(10);
  await sleep(200);
  child.kill('SIGTERM');
  const { stdout, stderr } = await child.done;
  expect(JSON.parse(stdout), stderr).toBeTypeOf('object');
});
