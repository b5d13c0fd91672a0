/** Publishes the entries of steps that never ended before their workspace is removed (S3.7). */
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { listRememberedCalls } from '../spending/answered-call-counts.ts';
import { getStepAgent, listAttemptFiles, readAllTranscripts } from './read-sessions.ts';

/**
 * Resolves with the number of entries that no transcript held. Contract: afterwards every whole line that an attempt
 * has written is in a transcript of the run; throws `data_corrupt` when that is impossible and the workspace must stay.
 */
export async function publishUnfinishedSteps(run: RunFolder, dryRun = false): Promise<number> {
  const elsewhere = await findUnsentAttempt(run);
  if (elsewhere !== undefined)
    throw new HarnessError('data_corrupt', `${elsewhere} has not sent it, and can only be asked where it was at work.`);
  const written = await attemptLines(run);
  if (written.length === 0) return 0;
  const transcripts = await readAllTranscripts(run);
  const there = new Set(
    [...transcripts].flatMap(([agent, entries]) => entries.map((entry) => formatEntryKey(agent, entry))),
  );
  const lost = written.find(({ name }) => name === undefined || !there.has(name));
  if (lost !== undefined)
    throw new HarnessError('data_corrupt', `${lost.file} holds a line that goes into no transcript of this run.`);
  let published = 0;
  for (const [agent, entries] of transcripts) {
    const held = new Set((await run.transcripts.stored(agent)).map(({ id }) => id));
    const news = entries.filter(({ id }) => !held.has(id)).length;
    published += news;
    if (news > 0 && !dryRun) await run.transcripts.publish(agent, entries);
  }
  return published;
}

/** Finds an attempt whose agent has spoken on another machine, and whose step is in no transcript. */
async function findUnsentAttempt(run: RunFolder): Promise<string | undefined> {
  const here = new Set((await listAttemptFiles(run)).map((file) => file.split('/')[1]));
  const spoke = new Set((await listRememberedCalls(run)).map(({ attempt }) => attempt));
  for (const attempt of spoke) {
    if (here.has(attempt)) continue;
    const step = attempt.split('@')[0] ?? '';
    const stored = await run.transcripts.stored(getStepAgent(step));
    if (!stored.some((entry) => entry.step === step)) return attempt;
  }
  return undefined;
}

const Line = z.looseObject({ id: z.string(), step: z.string().optional() });

/** Includes agent and step, because two agents or attempts may both have an `e7`. */
const formatEntryKey = (agent: string, { id, step = '' }: z.infer<typeof Line>): string => `${agent} ${step} ${id}`;

/** Ignores text after the last line break, which a crash has torn off. */
async function attemptLines(run: RunFolder): Promise<{ file: string; name: string | undefined }[]> {
  const lines = (await listAttemptFiles(run)).map(async (file) => {
    const agent = getStepAgent(file.slice('wip/'.length));
    const text = (await run.read(file)) ?? '';
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const { data } = Line.safeParse(parseJson(line));
        return { file, name: data && formatEntryKey(agent, data) };
      });
  });
  return (await Promise.all(lines)).flat();
}
