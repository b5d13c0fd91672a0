/** What GitHub is told: one line an output, a summary within its limit, and no command that an agent could have written. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  suspendWorkflowCommands,
  toRepositoryPath,
  writeOutputs,
  writeStepSummary,
} from '../../../src/cli/ci/report-results.ts';
import { quietIo } from '../../support/project.ts';
import { scratch } from '../../support/scratch.ts';

describe('outputs', () => {
  test('are appended one a line, and no value can make another one', async () => {
    const dir = await scratch();
    const file = join(dir, 'out');
    await writeFile(file, 'before=1\n');
    const io = quietIo(dir, { GITHUB_OUTPUT: file, TANDEM_OUTPUTS: join(dir, 'own') });
    await writeOutputs({ status: 'failed', gate: undefined, why: 'a\ndigest=evil\r\nx', met: false }, io);
    expect(await readFile(file, 'utf8')).toBe('before=1\nstatus=failed\nwhy=a digest=evil x\nmet=false\n');
    expect(await readFile(join(dir, 'own'), 'utf8')).toContain('status=failed');
  });

  test('that cannot be written are told of and stop nothing', async () => {
    const io = quietIo('/', { GITHUB_OUTPUT: '/no/such/folder/out' });
    await writeOutputs({ a: 1 }, io);
    expect(io.said).toEqual([expect.stringContaining('GITHUB_OUTPUT cannot be written')]);
  });
});

test('a step summary stays under the limit of the whole file', async () => {
  const file = join(await scratch(), 'summary');
  const io = quietIo('/', { GITHUB_STEP_SUMMARY: file });
  await writeStepSummary('# one', io);
  await writeStepSummary('x'.repeat(900 * 1024), io);
  expect(await readFile(file, 'utf8')).toBe('# one\n_The summary is full; the rest is in the report of the run._\n');
});

describe('workflow commands', () => {
  test('are not taken from the output while agents write into it', () => {
    const io = quietIo('/', { GITHUB_ACTIONS: 'true' });
    const take = suspendWorkflowCommands(io);
    io.err('::set-output name=digest::evil');
    take();
    take();
    const [, token = ''] = /^::stop-commands::([0-9a-f]{32})$/.exec(io.said[0] ?? '') ?? [];
    expect(token).not.toBe('');
    expect(io.said.slice(1)).toEqual(['::set-output name=digest::evil', `::${token}::`]);
  });

  test('mean nothing elsewhere, so nothing is printed', () => {
    const io = quietIo('/');
    suspendWorkflowCommands(io)();
    expect(io.said).toEqual([]);
  });
});

test('a path is told relative to the repository, and not at all when it is outside', () => {
  const io = quietIo('/repo/sub', { GITHUB_WORKSPACE: '/repo' });
  expect(toRepositoryPath('/repo/scenarios/a/scenario.yaml', io)).toBe('scenarios/a/scenario.yaml');
  expect(toRepositoryPath('/elsewhere/scenario.yaml', io)).toBeUndefined();
});
