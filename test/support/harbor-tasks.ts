/** Exported tasks as Harbor plays them: the image of the agent, a fresh one of the verifier, and what it writes. */
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { buildImage, inImage, type Ended, type Entry, type Image } from './clean-root.ts';

export const LOG = 'var/lib/world/actions.jsonl';
export type Script = 'solve' | 'wrong' | undefined;
type Env = Entry['env'];

/** `place`: a folder for the roots of images. */
export async function taskImage(task: string, of: 'environment' | 'tests', place: string): Promise<Image> {
  return buildImage(join(task, of), await mkdtemp(join(place, `${of}-`)));
}

/** The agent's image after a script of `solution/`. */
export async function playedImage(task: string, { script, place, env }: Playing): Promise<Image> {
  const agent = await taskImage(task, 'environment', place);
  const mounts = { [join(task, 'solution')]: '/solution' };
  if (script !== undefined) await inImage(agent, ['bash', `/solution/${script}.sh`], { mounts, ...(env && { env }) });
  return agent;
}
export type Playing = { script: Script; place: string; env?: Env };

/** Harbor carries the declared artifact into a fresh image of the verifier, and reads what `/tests/test.sh` writes. */
export async function judgedIn(
  agent: Image,
  { task, place, env }: { task: string; place: string; env?: Env },
): Promise<Ended & { reward: string | undefined }> {
  const verifier = await taskImage(task, 'tests', place);
  await mkdir(join(verifier.root, 'logs/verifier'), { recursive: true });
  await mkdir(join(verifier.root, 'var/lib/world'), { recursive: true });
  await cp(join(agent.root, LOG), join(verifier.root, LOG));
  const done = await inImage(verifier, ['bash', '/tests/test.sh'], env === undefined ? {} : { env });
  const reward = await readFile(join(verifier.root, 'logs/verifier/reward.txt'), 'utf8').catch(() => undefined);
  return { ...done, reward: reward?.trim() };
}

/** Of the reference path, of doing nothing and of the wrong path. */
export async function rewardsOf(task: string, where: { place: string; env?: Env }): Promise<(string | undefined)[]> {
  const scripts: Script[] = ['solve', undefined, 'wrong'];
  const ended = scripts.map(async (script) => {
    const agent = await playedImage(task, { script, ...where });
    return (await judgedIn(agent, { task, ...where })).reward;
  });
  return Promise.all(ended);
}

/** An offline model with one script, and the variables of a task that name it. */
export async function taskModel(
  script: string,
  place: string,
): Promise<{ env: Record<string, string>; close: () => Promise<void> }> {
  const simulationDir = await mkdtemp(join(place, 'script-'));
  await writeFile(join(simulationDir, 'script.yaml'), script);
  const simulator = await startSimulator({ simulationDir });
  const env = { WORLD_MODEL_URL: simulator.url, WORLD_MODEL_KEY: 'any-word' };
  return { env, close: () => simulator.close() };
}

/** The user of `tariff-desk` that a model plays, who also has an answer to the last words of the listed paths. */
export async function hagglingUser(project: string): Promise<string> {
  const script = await readFile(join(project, 'scenarios/tariff-desk/simulation/user.yaml'), 'utf8');
  const ends = ['I understand. The price is 39.00', 'You have Large now'];
  const turns = ends.map((marker) => `  - { name: ${marker}, marker: '${marker}', steps: [{ say: '[end]' }] }`);
  return `${script.trimEnd()}\n${turns.join('\n')}\n`;
}
