/** Settings that decide what a run does, saved in its folder: every process carries it on with the same ones, or not at all. */
import { z } from 'zod';
import { canonicalJson, sha256 } from '../disk/sha256.ts';
import { parseFile } from '../disk/parse-file.ts';
import type { LoadedAgent } from '../agent/definition.ts';
import { Config } from '../config/schema.ts';
import { HarnessError } from '../errors.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { RunState } from '../run/state.ts';
import type { Deps } from './deps.ts';
import { readState } from '../run-folder/snapshot.ts';

const FILE = 'config.json';

export const RunConfig = z.strictObject({
  version: z.literal(1),
  /** Changes that its profile makes to the agents: models, policies, triggers. */
  agents: Config.shape.agents,
  /** Digest of the agents as they were loaded, and of every prompt. */
  agentsDigest: z.string(),
  /** Set by earlier versions, whose calls of subjects and users waited for message batches. */
  economy: z.strictObject({ live_after_minutes: z.number().positive().optional() }).optional(),
});
export type RunConfig = z.infer<typeof RunConfig>;

/** Returns the settings of this process that a run would use. Tries, queues and paths may differ between processes. */
export function currentConfig({ config, agents, prompts }: Pick<Deps, 'config' | 'agents' | 'prompts'>): RunConfig {
  const partsOf = ({ definition, policy, systemPrompt }: LoadedAgent) => ({ definition, policy, systemPrompt });
  const loadedFrom = ({ subagent, ...agent }: LoadedAgent) => ({
    ...partsOf(agent),
    ...(subagent && { subagent: { ...partsOf(subagent.agent), strategy: subagent.strategy } }),
  });
  const loaded = { init: loadedFrom(agents.init), execute: loadedFrom(agents.execute), prompts };
  return { version: 1, agents: config.agents, agentsDigest: sha256(canonicalJson(loaded)) };
}

export async function writeRunConfig(run: RunFolder, config: RunConfig): Promise<void> {
  await run.write(FILE, `${JSON.stringify(config, null, 2)}\n`);
}

/** Undefined for a run of an older program, which continues with the settings of this process. */
export async function readRunConfig(run: RunFolder): Promise<RunConfig | undefined> {
  const text = await run.read(FILE);
  return text === undefined ? undefined : parseFile(RunConfig, text, `${run.dir}/${FILE}`);
}

/** Lists each agent setting in which the run differs from this process, as `execute.model claude-a (here: claude-b)`. */
export function changedSettings(recorded: Pick<RunConfig, 'agents'>, here: Pick<RunConfig, 'agents'>): string[] {
  const names = [...new Set([...Object.keys(recorded.agents), ...Object.keys(here.agents)])].sort();
  return names.flatMap((name) => {
    const [theirs, ours] = [listSettings(recorded, name), listSettings(here, name)];
    const keys = [...new Set([...theirs.keys(), ...ours.keys()])].sort();
    return keys.flatMap((key) => {
      const [one, other] = [theirs.get(key), ours.get(key)];
      return one === other ? [] : [`${name}.${key} ${one ?? 'as shipped'} (here: ${other ?? 'as shipped'})`];
    });
  });
}

function listSettings({ agents }: Pick<RunConfig, 'agents'>, name: string): Map<string, string> {
  const settings = Object.entries(agents[name] ?? {}).filter(([, value]) => value !== undefined);
  return new Map(settings.map(([key, value]) => [key, typeof value === 'string' ? value : canonicalJson(value)]));
}

/**
 * Returns sentences that a person should know before the run goes on with these `deps`; `own` are the settings of this
 * process, which the run's own replace. Contract: `version_mismatch` when the run must not go on here.
 */
export async function checkRunConfig(
  run: RunFolder,
  { stored, own }: { stored: RunConfig | undefined; own: Config },
  deps: Deps,
): Promise<string[]> {
  refuseOtherModel(run.id, await readState(run), deps);
  if (stored === undefined) return [];
  const other = changedSettings(stored, own);
  const isSame = stored.agentsDigest === currentConfig(deps).agentsDigest;
  const files = 'agents/, prompts/ or config/context/';
  return [
    ...(other.length === 0 ? [] : [`Run ${run.id} goes on with what it was begun with: ${other.join(', ')}.`]),
    ...(isSame
      ? []
      : [`Run ${run.id} was begun with other ${files} than stand here now: it goes on with those that stand here.`]),
  ];
}

/** Returns `version_mismatch` when this process lacks the settings that the run began with; else `error` unchanged. */
export function configMismatch(
  run: string,
  { stored, own }: { stored: RunConfig; own: Config },
  error: HarnessError,
): HarnessError {
  const other = changedSettings(stored, own);
  if (other.length === 0 || error.retryable) return error;
  const message = `Run ${run} was begun with ${other.join(', ')}, and that cannot be had here: ${error.message}`;
  return new HarnessError('version_mismatch', message, { details: { run }, cause: error });
}

/** Contract: `version_mismatch` when a run would switch between the offline model and a real, paid one. */
function refuseOtherModel(run: string, { origin }: RunState, { simulated, endpoint }: Deps): void {
  if (origin.simulated === simulated) return;
  const [begun, here] = origin.simulated
    ? ['the offline model', `${endpoint}, which answers for real`]
    : ['a real model', `${endpoint}, which is the offline model`];
  const remedy = origin.simulated
    ? 'Take ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL away, or begin a new run.'
    : 'Set ANTHROPIC_API_KEY.';
  const message = `Run ${run} was begun with ${begun}, and here it would go on with ${here}: it is left as it is. ${remedy}`;
  throw new HarnessError('version_mismatch', message, { details: { run } });
}
