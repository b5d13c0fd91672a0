/** Jobs of a GitHub workflow without GitHub: expressions are worked out, composite actions entered, and every shell step runs in a clean root. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { inImage, type Ended, type Image } from './clean-root.ts';
import { Action, readYaml, type Job, type Step } from './workflow.ts';

type Values = Record<string, string>;
/** What expressions name: `github`, `inputs`, `secrets`, `needs`, `steps`. */
export type Scope = { [name: string]: string | Scope };

export type Runner = {
  image: Image;
  mounts: Readonly<Values>;
  /** Variables of every shell: `GITHUB_…`, and where it may find its programs. */
  env: Values;
  /** Folder of an action of one's own, here and in the root. */
  actionAt: (uses: string) => { here: string; there: string };
  /** Actions of others: what they do, by their name without a version. */
  others: Readonly<Record<string, (inputs: Values) => Promise<void>>>;
  /** Lines that are done already. */
  skip: readonly string[];
};
export type Played = { ok: boolean; outputs: Values; shells: (Ended & { run: string })[] };

/** The job from its first step to its last; the steps after one that failed run only where their `if` says so. */
export async function playJob(job: Pick<Job, 'steps' | 'outputs'>, scope: Scope, runner: Runner): Promise<Played> {
  const played: Played = { ok: true, outputs: {}, shells: [] };
  const own: Scope = { ...scope, steps: {} };
  for (const step of job.steps) {
    if (!isDue(step, own, played.ok)) continue;
    const before = played.shells.length;
    const outputs = await playStep(step, own, runner, played);
    const failed = outputs === undefined || played.shells.slice(before).some(({ code }) => code !== 0);
    if (failed) played.ok = false;
    if (step.id !== undefined)
      (own['steps'] as Scope)[step.id] = { outcome: failed ? 'failure' : 'success', outputs: outputs ?? {} };
  }
  for (const [name, value] of Object.entries(job.outputs ?? {})) played.outputs[name] = filled(value, own);
  return played;
}

async function playStep(step: Step, scope: Scope, runner: Runner, played: Played): Promise<Values | undefined> {
  const given = filledAll(step.with ?? {}, scope);
  if (step.run !== undefined) return runner.skip.includes(step.run) ? {} : shell(step, scope, runner, played);
  const uses = step.uses ?? '';
  if (!uses.startsWith('./')) {
    const other = runner.others[uses.split('@')[0] ?? ''];
    if (other === undefined) throw new Error(`${uses}: nobody here does what it does`);
    await other(given);
    return {};
  }
  const { here, there } = runner.actionAt(uses);
  const { inputs, outputs = {}, runs } = readYaml(join(here, 'action.yml'), Action);
  const defaults = Object.fromEntries(Object.entries(inputs).map(([name, one]) => [name, one.default ?? '']));
  const inside = { ...scope, inputs: { ...filledAll(defaults, scope), ...given } };
  const named = Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
  const env = { ...runner.env, GITHUB_ACTION_PATH: there };
  const ended = await playJob({ steps: runs.steps, outputs: named }, inside, { ...runner, env });
  played.shells.push(...ended.shells);
  return ended.ok ? ended.outputs : undefined;
}

async function shell(step: Step, scope: Scope, runner: Runner, played: Played): Promise<Values> {
  const out = join(runner.image.root, 'runner/out');
  await mkdir(join(out, '..'), { recursive: true });
  await writeFile(out, '');
  const env = { ...runner.env, GITHUB_OUTPUT: '/runner/out', ...filledAll(step.env ?? {}, scope) };
  const command = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''];
  const ended = await inImage(runner.image, command, { mounts: runner.mounts, env });
  played.shells.push({ ...ended, run: step.run ?? '' });
  return outputsIn(await readFile(out, 'utf8'));
}

/** `name=value`, or `name<<end` with the lines up to `end`. */
export function outputsIn(text: string): Values {
  const found: Values = {};
  for (const [, name = '', end, lines, value] of text.matchAll(/^(\w+)(?:<<(.+)\n([^]*?)\n\2|=(.*))$/gm))
    found[name] = end === undefined ? (value ?? '') : (lines ?? '');
  return found;
}

function isDue({ if: condition }: Step, scope: Scope, ok: boolean): boolean {
  if (condition === undefined) return ok;
  const words = /\b(?:always|success|failure)\(\)/.test(condition) ? condition : `success() && (${condition})`;
  const plain = words.replaceAll('always()', 'true').replaceAll('success()', `${ok}`).replaceAll('failure()', `${!ok}`);
  return Boolean(valueOf(plain, scope));
}

/** What is not there is empty, as on GitHub. */
function valueOf(expression: string, scope: Scope): unknown {
  const named = expression.replaceAll(/'[^']*'|\b[a-z]+(?:\.[\w-]+)+/g, (word) => {
    if (word.startsWith("'")) return word;
    const found = word
      .split('.')
      .reduce<string | Scope | undefined>((at, key) => (typeof at === 'object' ? at[key] : undefined), scope);
    return JSON.stringify(typeof found === 'string' ? found : '');
  });
  return runInNewContext(named);
}

function filled(text: string, scope: Scope): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => String(valueOf(expression, scope)));
}

function filledAll(values: Readonly<Record<string, unknown>>, scope: Scope): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, filled(String(value), scope)]));
}
