/** Digests in the event that ends a step, so that no change to the step's files in the run folder stays unnoticed. */
import { sha256 } from '../disk/sha256.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { EventBody, RunEvent, StepTranscript } from '../run/event.ts';
import { digestTranscript } from './transcript-digest.ts';

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
