/** Replaces the `scenario.yaml` of a run that stopped: the subject, the user and the trials may change, the task may not. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../disk/sha256.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import { usageError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Brief } from '../../scenario/brief.ts';
import { readBrief } from '../start-run.ts';

const FILE = 'scenario/scenario.yaml';
/** All other keys are in the run's first event, or in what Init has read. */
const MAY_CHANGE: readonly (keyof Brief)[] = ['subject', 'user', 'trials'];

export type ScenarioReplacement = { text: string; scenarioDigest: string; changes: string[] };

/** Writes nothing. Contract: `usage` when nothing has changed, or a key that must not. */
export async function readReplacement(run: RunFolder, { brief, dir }: Scenario): Promise<ScenarioReplacement> {
  const before = await readBrief(run);
  const keys = [...new Set([...listBriefKeys(before), ...listBriefKeys(brief)])];
  const changed = keys.filter((key) => canonicalJson(before[key] ?? null) !== canonicalJson(brief[key] ?? null));
  const fixed = changed.filter((key) => !MAY_CHANGE.includes(key));
  if (fixed.length > 0)
    throw usageError(
      `${join(dir, 'scenario.yaml')} differs from the run's in ${fixed.join(', ')}, which a run keeps to its end. Change these back (the run's copy is ${join(run.dir, FILE)}), or begin a new run. A run takes ${MAY_CHANGE.join(', ')}; money: --raise.`,
    );
  if (changed.length === 0)
    throw usageError(`${join(dir, 'scenario.yaml')} says what run ${run.id} has already: repair it first.`);
  const text = await readFile(join(dir, 'scenario.yaml'), 'utf8');
  const changes = changed.map(
    (key) => `${key}: ${canonicalJson(before[key] ?? null)} -> ${canonicalJson(brief[key] ?? null)}`,
  );
  return { text, changes, scenarioDigest: (await digestScenarioCopy(run, Buffer.from(text))).digest };
}

export async function writeReplacement(run: RunFolder, { text }: ScenarioReplacement): Promise<void> {
  await run.write(FILE, text);
}

const listBriefKeys = (brief: Brief): (keyof Brief)[] => Object.keys(brief) as (keyof Brief)[];

/** Digests the run's copy as `run.created` and a replacement record it; `yaml` stands in for its scenario.yaml. */
export async function digestScenarioCopy(run: RunFolder, yaml?: Buffer): Promise<{ digest: string; files: number }> {
  const brief = await readBrief(run);
  const read = (path: string): Promise<Buffer> => readFile(join(run.dir, 'scenario', path));
  const hash = createHash('sha256').update(yaml ?? (await read('scenario.yaml')));
  for (const path of brief.reads) hash.update(`\0${path}\0`).update(await read(path));
  // The law is the only other file there.
  const more = (await run.list('scenario')).filter((path) => /^scenario\/code_law\.md$/i.test(path));
  const laws = more.map((path) => path.slice('scenario/'.length)).filter((name) => !brief.reads.includes(name));
  for (const name of laws) hash.update(`\0${name}\0`).update(await read(name));
  return { digest: hash.digest('hex'), files: brief.reads.length + laws.length + 1 };
}
