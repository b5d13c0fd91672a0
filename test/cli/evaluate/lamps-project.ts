/** The scenario of lamps as a project on disk, with the command that evaluates it. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { evaluateCommand } from '../../../src/cli/evaluate/evaluate.ts';
import { Results } from '../../../src/scenario/result.ts';
import { lampsBrief, lampsDesign, lampsFolder } from '../../evaluation/lamps.ts';
import { scratch } from '../../support/scratch.ts';
import { fakeIo } from '../fake-io.ts';

const { signal } = new AbortController();
/** Says that it is done, whatever it is asked. */
const IDLE = `process.stdin.on('data', (text) => {
  for (const line of String(text).trim().split('\\n'))
    if (JSON.parse(line).type !== 'open') process.stdout.write('{"say":"The hall lamp is on, and it is locked.","done":true}\\n');
});`;

export async function lampsProject(more: { files?: Record<string, unknown>; brief?: object } = {}) {
  const io = fakeIo(await scratch());
  const dir = join(io.cwd, 'scenarios/lamps');
  const { rules, format } = lampsDesign();
  await mkdir(join(dir, 'simulation/files/r1'), { recursive: true });
  const given = {
    'scenario.yaml': JSON.stringify({ ...lampsBrief(), ...more.brief }),
    'brief.md': '# Lamps',
    'idle.mjs': IDLE,
    'simulation/files/r1/unified_scenario_design.md': `# Lamps\n\n${'Lamps are switched, and one is locked. '.repeat(8)}`,
    'simulation/files/r1/business_rules.yaml': JSON.stringify(rules),
    'simulation/files/r1/format_spec.yaml': JSON.stringify(format),
  };
  for (const [path, text] of Object.entries(given)) await writeFile(join(dir, path), text);
  await cp(await lampsFolder(more.files), join(dir, 'simulation/files/i1'), { recursive: true });
  const evaluate = (options: Parameters<typeof evaluateCommand>[1] = {}) =>
    evaluateCommand('lamps', { allowUnsandboxed: true, ...options }, { io, signal });
  return { io, dir, evaluate };
}

export const resultsIn = async (dir: string) =>
  Results.parse(JSON.parse(await readFile(join(dir, 'results.json'), 'utf8')));
