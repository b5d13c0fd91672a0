/** The completion script in a real bash: commands, options, choices, and the names of scenarios and runs. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completionCommand } from '../../../src/cli/serve/completion.ts';
import { wholeProgram } from '../whole-program.ts';
import { scratch } from '../../support/scratch.ts';

async function scriptOf(shell: string): Promise<string> {
  const lines: string[] = [];
  expect(completionCommand(shell, await wholeProgram(), { out: (line) => lines.push(line) })).toBe(0);
  return lines.join('\n');
}

test('bash completes what may come next', async () => {
  const project = await scratch();
  for (const folder of ['scenarios/desk/runs/20261120-1', 'scenarios/my-desk'])
    await mkdir(join(project, folder), { recursive: true });
  await writeFile(join(project, 'tandem.bash'), await scriptOf('bash'));
  const lines = [
    'tandem ga',
    'tandem gates re',
    'tandem run ',
    'tandem run --sandbox ',
    'tandem --version ga',
    'tandem resume 2026',
    'tandem gates approve --di',
    'tandem run --junit ',
    'tandem gates undo 20261120-1 --wh',
  ];
  const ask = lines.map((line) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _tandem; echo "\${COMPREPLY[@]}"`;
  });
  const said = execFileSync('bash', ['--norc', '-c', ['source tandem.bash', ...ask, 'complete -p tandem'].join('\n')], {
    cwd: project,
    encoding: 'utf8',
  });
  const [gates, deciding, run, sandbox, behindFlag, runs, digest, file, whose, registered] = said.split('\n');
  expect([gates, behindFlag, runs, digest, file, whose]).toEqual([
    'gates',
    'gates',
    '20261120-1',
    '--digest',
    '',
    '--whose',
  ]);
  expect(deciding?.split(' ').toSorted()).toEqual(['reject', 'request-changes', 'review']);
  expect(run?.split(' ')).toEqual(expect.arrayContaining(['desk', 'my-desk', '--budget', '--help']));
  expect(sandbox?.split(' ')).toContain('quickjs');
  expect(registered).toBe('complete -o default -F _tandem tandem');
});

test('zsh gets the same through its own way to run functions of bash, fish a line for each', async () => {
  expect(await scriptOf('zsh')).toContain(`bashcompinit\n${await scriptOf('bash')}`);
  // A local of such a name takes PATH away from whatever the function calls (tried in zsh 5.9).
  expect(await scriptOf('zsh')).not.toMatch(/\blocal\b[^\n]*\b(?:path|fpath|cdpath|manpath|status|argv)\b/);
  const fish = (await scriptOf('fish')).split('\n');
  expect(fish.find((line) => line.includes('approve') && line.includes('-l digest'))).toContain(
    "-n '__fish_seen_subcommand_from gates; and __fish_seen_subcommand_from approve'",
  );
  expect(fish.find((line) => line.includes('-a undo'))).toContain('not __fish_seen_subcommand_from list show');
  for (const line of fish.slice(1))
    expect((line.replaceAll(String.raw`'\''`, '').match(/'/g) ?? []).length % 2, line).toBe(0);
  await expect(scriptOf('tcsh')).rejects.toMatchObject({ code: 'usage', message: '"tcsh": expected bash, zsh, fish.' });
});
