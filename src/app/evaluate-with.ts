/** Loads, proves and plays the components of a folder behind walls that are still being built. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { HarnessError } from '../errors.ts';
import type { Components } from '../evaluation/components.ts';
import { evaluate } from '../evaluation/evaluate.ts';
import { loadThrough } from '../evaluation/load-components.ts';
import { openSessions } from '../evaluation/open-sessions.ts';
import { schemaIssues } from '../evaluation/schema-issues.ts';
import type { verifyLoaded } from '../evaluation/verify-components.ts';
import type { Sandbox, SandboxSession } from '../ports/sandbox.ts';
import { Brief } from '../scenario/brief.ts';
import { BusinessRules, FormatSpec, type Design } from '../scenario/design.ts';
import type { Verification } from '../scenario/result.ts';
import type { FolderEvaluated, FolderToEvaluate } from './evaluate-folder.ts';

const NOT_ASKED: Verification = { ok: true, problems: [], proofs: [], coverage: {} };
const FREE = { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 };

export async function evaluateWith(opening: Promise<Sandbox>, input: FolderToEvaluate): Promise<FolderEvaluated> {
  const opened = opening.then((sandbox) => openSessions(sandbox, input.dir));
  opened.catch(() => undefined);
  const session = onceOpen(opened);
  try {
    return await evaluateThrough(session, opening, input);
  } finally {
    await session.close();
  }
}

async function evaluateThrough(
  session: SandboxSession,
  opening: Promise<Sandbox>,
  input: FolderToEvaluate,
): Promise<FolderEvaluated> {
  const { dir, concurrency, modelFor, host, price = FREE, maxTokens = 4096 } = input;
  const { onSample = () => undefined, signal = new AbortController().signal } = input;
  const brief = shaped(Brief, 'brief', input.brief);
  const rules = shaped(BusinessRules, 'rules', input.rules);
  const format = shaped(FormatSpec, 'format', input.format);
  const design: Design = { round: 1, digest: textDigest({ rules, format }), narrative: '', rules, format };
  const loaded = await loadThrough(session, dir, signal);
  const { components, problems } = loaded;
  const verification =
    input.verify === false
      ? { ...NOT_ASKED, ok: problems.length === 0, problems }
      : await proved(loaded, { design, samplesWanted: brief.samples.min, signal }, session);
  if (!verification.ok) return { problems: verification.problems };
  const results = await evaluate({
    ...{ dir, design, brief, components, verification, session, sandbox: await opening },
    ...{ iteration: 1, round: 1, simulated: false, componentsDigest: await digestOfComponents(dir, components) },
    ...{ modelFor, price, maxTokens, concurrency, onSample, signal, now: () => performance.now() },
    ...(host === undefined ? {} : { host }),
  });
  return { results, problems: verification.problems };
}

/** A session that can be had before its hosts are ready: files are read in the meantime. */
function onceOpen(opened: Promise<SandboxSession>): SandboxSession {
  return {
    call: async (...call) => (await opened).call(...call),
    askAll: async (...inquiry) => (await opened).askAll(...inquiry),
    close: async () => (await opened.catch(() => undefined))?.close(),
  };
}

function shaped<Schema extends z.ZodType>(schema: Schema, name: string, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new HarnessError('config_invalid', `${name}: ${schemaIssues(parsed.error).join('; ')}`);
}

function textDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** The text of each module, and what each sample and world holds. */
async function digestOfComponents(dir: string, { paths, samples, worlds }: Components): Promise<string> {
  const modules = [...paths.values()].toSorted();
  const texts = await Promise.all(modules.map((path) => readFile(join(dir, path), 'utf8')));
  return textDigest([modules, texts, samples.map(({ sample }) => sample), [...worlds]]);
}

async function proved(...given: Parameters<typeof verifyLoaded>): Promise<Verification> {
  const { verifyLoaded } = await import('../evaluation/verify-components.ts');
  return verifyLoaded(...given);
}
