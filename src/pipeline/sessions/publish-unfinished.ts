/** What was said in steps that never ended is published before their workspace goes (S3.7). */
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { rememberedCalls } from '../spending/answered-call-counts.ts';
import { agentOf, attemptTranscripts, transcriptsOf } from './read-sessions.ts';

/**
 * Resolves with the number of entries that no transcript held. Contract: afterwards every whole line that an attempt has
 * written is in a transcript of the run; throws `data_corrupt` where that cannot be had, and the workspace has to stay.
 */
export async function publishUnfinishedSteps(run: RunFolder, dryRun = false): Promise<number> {
  const elsewhere = await saidElsewhere(run);
  if (elsewhere !== undefined)
    throw new HarnessError('data_corrupt', `${elsewhere} has not sent it, and can only be asked where it was at work.`);
  const written = await attemptLines(run);
  if (written.length === 0) return 0;
  const transcripts = await transcriptsOf(run);
  const there = new Set([...transcripts].flatMap(([agent, entries]) => entries.map((entry) => nameOf(agent, entry))));
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

/** The attempt whose agent has spoken on another machine, and no transcript holds its step. */
async function saidElsewhere(run: RunFolder): Promise<string | undefined> {
  const here = new Set((await attemptTranscripts(run)).map((file) => file.split('/')[1]));
  const spoke = new Set((await rememberedCalls(run)).map(({ attempt }) => attempt));
  for (const attempt of spoke) {
    if (here.has(attempt)) continue;
    const step = attempt.split('@')[0] ?? '';
    const stored = await run.transcripts.stored(agentOf(step));
    if (!stored.some((entry) => entry.step === step)) return attempt;
  }
  return undefined;
}

const Line = z.looseObject({ id: z.string(), step: z.string().optional() });

/** Two agents, and two attempts at different steps, may both have an `e7`. */
const nameOf = (agent: string, { id, step = '' }: z.infer<typeof Line>): string => `${agent} ${step} ${id}`;

/** Text after the last line break was torn by a crash, and is no line. */
async function attemptLines(run: RunFolder): Promise<{ file: string; name: string | undefined }[]> {
  const lines = (await attemptTranscripts(run)).map(async (file) => {
    const agent = agentOf(file.slice('wip/'.length));
    const text = (await run.read(file)) ?? '';
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const { data } = Line.safeParse(parseJson(line));
        return { file, name: data && nameOf(agent, data) };
      });
  });
  return (await Promise.all(lines)).flat();
}
