/** Which scenarios the words of a command line mean, and what many exit codes come to. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileBatches } from '../../src/adapters/files/run-folder.ts';
import { batchOnGate, batchOptions } from '../../src/cli/batch/options.ts';
import { findScenarios, planBatch } from '../../src/batch/plan.ts';
import { EXIT, getExitCode, worstExit } from '../../src/cli/command-context.ts';
import { findHome } from '../../src/config/home.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { initCommand } from '../../src/cli/serve/init.ts';
import { quietIo } from '../support/project.ts';
import { after, created, designDone, failed, paused, started } from '../support/run-events.ts';
import { scratch } from '../support/scratch.ts';

async function project(): Promise<string> {
  const dir = await scratch();
  await mkdir(join(dir, 'scenarios'));
  for (const name of ['desk-a', 'desk-b', 'shop']) await initCommand(name, {}, quietIo(dir));
  await writeFile(join(dir, 'scenarios', 'README.md'), 'not a scenario');
  return dir;
}

describe('scenarios of a batch', () => {
  test('are named, or matched by a pattern, each once, in the order of the words', async () => {
    const dir = await project();
    const names = async (...patterns: string[]) =>
      (await findScenarios(patterns, findHome(dir))).map(({ brief }) => brief.name);
    expect(await names('scenarios/*')).toEqual(['desk-a', 'desk-b', 'shop']);
    expect(await names('./scenarios/desk-?/')).toEqual(['desk-a', 'desk-b']);
    expect(await names('shop', 'desk-*', 'scenarios/s*')).toEqual(['shop', 'desk-a', 'desk-b']);
    expect(await names(join(dir, 'scenarios/desk-b'), `${dir}/scenarios/d*`)).toEqual(['desk-b', 'desk-a']);
  });

  test('that are not there are told with those that are', async () => {
    const home = findHome(await project());
    await expect(findScenarios(['scenarios/x*'], home)).rejects.toThrow(/There are: desk-a, desk-b, shop/);
    await expect(findScenarios([], home)).rejects.toThrow(/Say which scenarios/);
    await expect(findScenarios(['desk.*'], home)).rejects.toMatchObject({ code: 'usage' });
  });
});

test('a batch that is named like a device of Windows is refused', async () => {
  const dir = await project();
  const plan = { ...batchOptions({ id: 'aux' }), patterns: ['shop'], actor: 'user:ada' };
  await expect(planBatch(plan, findHome(dir), openFileBatches(dir))).rejects.toThrow('--id "aux": it is a device');
});

describe('flags of a batch', () => {
  test('are numbers within bounds, or refused with the reason', () => {
    expect(batchOptions({})).toMatchObject({ runs: 1, maxParallel: 4, budgetUsd: undefined });
    expect(batchOptions({ runs: '5', maxParallel: '8', budget: '12.5' })).toMatchObject({ runs: 5, budgetUsd: 12.5 });
    for (const flags of [
      { runs: '1.5' },
      { maxParallel: '0' },
      { budget: '-1' },
      { budget: 'x' },
      { resume: 'a', runs: '2' },
    ])
      expect(() => batchOptions(flags)).toThrow(/--(runs|max-parallel|budget|resume)/);
  });

  test('ask nobody on a terminal: several runs cannot share one', async () => {
    const config = await loadConfig(findHome(await scratch()), {});
    expect(batchOnGate({}, config)).toBe('exit');
    expect(batchOnGate({ onGate: 'auto:demo' }, config)).toBe('auto:demo');
    expect(() => batchOnGate({ onGate: 'prompt' }, config)).toThrow(/takes exit, wait or auto/);
  });
});

describe('the exit code', () => {
  test('of many runs is the worst: wrong, stuck, broken, refused, missed, out of money, waiting, out of time', () => {
    expect(worstExit([])).toBe(0);
    const order = [2, 8, 6, 3, 1, 5, 4, 7, 0];
    for (const [index, code] of order.entries()) expect(worstExit(order.slice(index).toReversed())).toBe(code);
  });

  test('of a run that stopped for want of a file says that a person must act, so that nobody runs it again for nothing', () => {
    const story = [created(), started()];
    expect(getExitCode(after(...story, failed(true)))).toBe(EXIT.infrastructure);
    const { body, actor } = failed(true);
    const missing = { body: { ...body, code: 'not_found' } as typeof body, actor };
    expect(getExitCode(after(...story, missing))).toBe(EXIT.needsPerson);
    expect(getExitCode(after(...story, paused('provider')))).toBe(EXIT.infrastructure);
    expect(getExitCode(after(...story, designDone(1)))).toBe(EXIT.waiting);
    expect(getExitCode(after(...story, paused('budget')))).toBe(EXIT.budget);
  });
});
