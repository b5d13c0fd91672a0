/** The digest of an agent's conversation in a step, which the event that ends the step carries. */
import { canonicalJson, sha256 } from '../disk/sha256.ts';
import { HarnessError } from '../errors.ts';
import type { RunFolder, StoredEntry } from '../ports/run-store.ts';
import type { RunEvent, StepTranscript, EventBody } from '../run/event.ts';

/** Contract: the digest covers the entries as stored on disk, so that another program version computes the same. */
export function digestTranscript(agent: string, step: string, stored: readonly StoredEntry[]): StepTranscript {
  const entries = stored.filter((entry) => entry.step === step);
  return { agent, step, entries: entries.length, digest: sha256(entries.map(canonicalJson).join('\n')) };
}

export type DamagedTranscript = { seq: number; recorded: StepTranscript; found: StepTranscript };

/** Lists ended steps whose conversation differs from their event, oldest first; old programs' events have no digest. */
export async function listDamagedTranscripts(
  run: RunFolder,
  events: readonly RunEvent[],
): Promise<DamagedTranscript[]> {
  const stored = new Map<string, Promise<StoredEntry[]>>();
  const damaged: DamagedTranscript[] = [];
  for (const { seq, body } of events) {
    const recorded = 'transcript' in body ? body.transcript : undefined;
    if (recorded === undefined) continue;
    const { agent, step } = recorded;
    const reading = stored.get(agent) ?? run.transcripts.stored(agent);
    stored.set(agent, reading);
    const found = digestTranscript(agent, step, await reading);
    if (found.digest !== recorded.digest) damaged.push({ seq, recorded, found });
  }
  return damaged;
}

export function describeDamage({ seq, recorded, found }: DamagedTranscript): string {
  const what =
    found.entries === recorded.entries
      ? `the words of step ${recorded.step} were changed`
      : `it has ${found.entries} entries of step ${recorded.step}, and event ${seq} counted ${recorded.entries}`;
  return `transcripts/${recorded.agent}.jsonl is not as it was written: ${what}.`;
}

/** An agent must not continue from a conversation that it never had. Contract: `data_corrupt`. */
export async function refuseDamagedTranscripts(run: RunFolder, events: readonly RunEvent[]): Promise<void> {
  const [first] = await listDamagedTranscripts(run, events);
  if (first === undefined) return;
  throw new HarnessError(
    'data_corrupt',
    `${describeDamage(first)} Run ${run.id} is left as it is. Restore the file from a copy of ${run.dir}; ` +
      `without one, tandem fork ${run.dir} --at ${first.seq - 1} begins a new run from before that step.`,
    { details: { file: `transcripts/${first.recorded.agent}.jsonl`, seq: first.seq } },
  );
}

/** Returns any other event unchanged. */
export async function withTranscriptDigest(
  run: RunFolder,
  body: EventBody,
  { agent, step }: Pick<StepTranscript, 'agent' | 'step'>,
): Promise<EventBody> {
  switch (body.type) {
    case 'design.done':
    case 'iteration.done':
    case 'design.returned': {
      const transcript = digestTranscript(agent, step, await run.transcripts.stored(agent));
      return { ...body, transcript, handoffs: await handoffDigests(run) };
    }
    default:
      return body;
  }
}

async function handoffDigests(run: RunFolder): Promise<Record<string, string>> {
  const paths = (await run.list('handoffs')).toSorted();
  const digests = await Promise.all(paths.map(async (path) => [path, sha256((await run.read(path)) ?? '')] as const));
  return Object.fromEntries(digests);
}

/** Contract: throws when a hand-off that an event names is missing or changed. */
export async function checkHandoffs(run: RunFolder, events: readonly RunEvent[]): Promise<string> {
  const recorded = events.findLast(({ body }) => 'handoffs' in body && body.handoffs !== undefined);
  if (recorded === undefined || !('handoffs' in recorded.body)) return 'not recorded by the program that made this run';
  const { handoffs = {} } = recorded.body;
  for (const [path, digest] of Object.entries(handoffs)) {
    const text = await run.read(path);
    if (text === undefined) throw new Error(`${path} is missing.`);
    if (sha256(text) !== digest) throw new Error(`${path} is not as event ${recorded.seq} recorded it.`);
  }
  return `${Object.keys(handoffs).length} files, as event ${recorded.seq} recorded them`;
}
