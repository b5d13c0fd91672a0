/** Loads, proves and plays the components of a folder while its sandbox still starts. */
import { z } from 'zod';
import type { SandboxChoice } from '../../config/schema.ts';
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Components } from '../../evaluation/components/components.ts';
import { evaluate, type EvaluateInput, type SampleDone } from '../../evaluation/evaluate.ts';
import { loadInSession } from '../../evaluation/components/load-components.ts';
import { openSessions } from '../../evaluation/components/open-sessions.ts';
import { schemaIssues } from '../../evaluation/components/schema-issues.ts';
import type { Sandbox, OpenSandbox } from '../../ports/sandbox.ts';
import { Brief } from '../../scenario/brief.ts';
import { BusinessRules, FormatSpec, type Design } from '../../scenario/design.ts';
import { type Problem, type Results, Verification } from '../../scenario/result.ts';
import { subjectName } from '../../scenario/subject.ts';
import { NO_PRICE } from '../../ports/model.ts';
import { sha256 } from '../../disk/sha256.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type FolderToProve = {
  /** The absolute path of a folder with `tools/`, `checkers/` and `samples/`. */
  dir: string;
  /** The brief as in `scenario.yaml`. Servers named in its `tools` are started with this process's environment. */
  brief: unknown;
  /** The absolute path of the folder in which these servers are started; default: `dir`. */
  scenarioDir?: string;
  /** The rules as in `business_rules.yaml`; `format` is as in `format_spec.yaml`. */
  rules: unknown;
  format: unknown;
  /** The result of `proveFolder` as JSON: unchanged components are not proven again. */
  proof?: unknown;
  sandbox?: SandboxChoice;
  /** Accepts code that cannot be confined on this machine. */
  allowUnsandboxed?: boolean;
  signal?: AbortSignal;
};

/** Without a proof, the problems say why. With one, they are warnings that stop nothing. */
export type FolderProven = { proof?: FolderProof; problems: Problem[] };

export type FolderToEvaluate = FolderToProve &
  Pick<EvaluateInput, 'modelFor' | 'host'> & {
    /** The number of samples played at a time; as many again may wait for their verdict. */
    concurrency: number;
    /** US dollars per million tokens; default: free. */
    price?: EvaluateInput['price'];
    /** The most output tokens of the subject's model; default: 4096. */
    maxTokens?: number;
    onSample?: (done: SampleDone) => void;
  };

/** Without results, the problems say why nothing was played. */
export type FolderEvaluated = FolderProven & { results?: Results };

export async function proveWith(opening: Promise<Sandbox>, input: FolderToProve): Promise<FolderProven> {
  return withSession(opening, input.dir, async (session) => {
    const { proof, problems } = await provenIn(session, readFolderInput(input), input);
    return proof === undefined ? { problems } : { proof, problems };
  });
}

export async function evaluateWith(opening: Promise<Sandbox>, input: FolderToEvaluate): Promise<FolderEvaluated> {
  const { dir, concurrency, modelFor, host, onSample, price = NO_PRICE, maxTokens = 4096 } = input;
  return withSession(opening, dir, async (session) => {
    const given = readFolderInput(input);
    const { proof, components, problems } = await provenIn(session, given, input);
    if (proof === undefined) return { problems };
    const graded = await gradedIn(session, { given, components, verification: proof.verification }, input);
    if (!graded.verification.ok) return { problems: graded.verification.problems };
    const results = await evaluate({
      ...{ dir, design: given.design, brief: given.brief, components, ...graded },
      // Rejects before the first paid call when generated code cannot be confined.
      ...{ session, sandbox: await opening, componentsDigest: proof.components },
      ...{ iteration: 1, round: 1, simulated: false, now: () => performance.now() },
      ...{ modelFor, price, maxTokens, concurrency, signal: getSignal(input) },
      ...omitUndefined({ host }),
      onSample: (one) => {
        onSample?.(one);
        // The last call is over, so the hosts end while the results are written.
        if (one.done === one.total) void session.close();
      },
    });
    return { results, proof, problems };
  });
}

type ToGrade = { given: FolderInput; components: Components; verification: Verification };

/** Proves the graders, and loads nothing where there are none. Without labels they decide only where the brief says so. */
async function gradedIn(
  session: OpenSandbox,
  { given: { brief, design }, components, verification }: ToGrade,
  input: FolderToEvaluate,
): Promise<{ verification: Verification; grading?: EvaluateInput['grading'] }> {
  if (components.graders === undefined) return { verification };
  const { withProvenGraders } = await import('../../evaluation/graders/prove-graders.ts');
  const { loadPrompts } = await import('../../config/load-prompts.ts');
  const { findHome } = await import('../../config/home.ts');
  const { price = NO_PRICE, modelFor } = input;
  const grading: EvaluateInput['grading'] = {
    prompts: await loadPrompts(findHome(process.cwd())),
    modelOf: ({ model }) => {
      const name = model ?? brief.graders?.model ?? subjectName(brief.subject);
      return Promise.resolve({ name, price, modelFor });
    },
    counts: () => brief.graders?.uncalibrated === 'allow',
  };
  const proving = { components, design, session, grading, signal: getSignal(input) };
  return { verification: await withProvenGraders(verification, proving), grading };
}

async function withSession<T>(
  opening: Promise<Sandbox>,
  dir: string,
  work: (session: OpenSandbox) => Promise<T>,
): Promise<T> {
  const opened = opening.then((sandbox) => openSessions(sandbox, dir));
  opened.catch(() => undefined);
  const session = onceOpen(opened);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** Wraps a session whose hosts are not ready yet, so that files are read in the meantime. */
function onceOpen(opened: Promise<OpenSandbox>): OpenSandbox {
  return {
    call: async (call, signal) => (await opened).call(call, signal),
    askAll: async (inquiry, signal) => (await opened).askAll(inquiry, signal),
    close: async () => (await opened.catch(() => undefined))?.close(),
  };
}

type FolderInput = { brief: Brief; design: Design; proof: FolderProof | undefined };

function readFolderInput(input: FolderToProve): FolderInput {
  const rules = parseInput(BusinessRules, 'rules', input.rules);
  const format = parseInput(FormatSpec, 'format', input.format);
  return {
    brief: parseInput(Brief, 'brief', input.brief),
    design: { round: 1, digest: digestOfText({ rules, format }), narrative: '', rules, format },
    proof: input.proof === undefined ? undefined : parseInput(FolderProof, 'proof', input.proof),
  };
}

function parseInput<Schema extends z.ZodType>(schema: Schema, name: string, value: unknown): z.infer<Schema> {
  // Compiling the schema for a single use would cost more than interpreting it.
  const parsed = schema.safeParse(value, { jitless: true });
  if (parsed.success) return parsed.data;
  throw new HarnessError('config_invalid', `${name}: ${schemaIssues(parsed.error).join('; ')}`);
}

/** Uses the given proof if it matches these components and this design, else makes a new one. */
async function provenIn(
  session: OpenSandbox,
  { brief, design, proof }: FolderInput,
  input: FolderToProve,
): Promise<FolderProven & { components: Components }> {
  const { dir } = input;
  const signal = getSignal(input);
  const demands = digestOfText([design.digest, brief.samples.min, ...(brief.tools === undefined ? [] : [brief.tools])]);
  if (proof?.asked === demands) {
    const { components, problems } = await loadInSession(findDescriptor(proof, session), dir, signal);
    const isSame = problems.length === 0 && (await digestOfLoaded(dir, components)) === proof.components;
    if (isSame) return { components, proof, problems: proof.verification.problems };
  }
  const loaded = await loadInSession(session, dir, signal);
  const { components } = loaded;
  const { verifyLoaded } = await import('../../evaluation/proof/verify-components.ts');
  const verification = await verifyLoaded(loaded, { design, samplesWanted: brief.samples.min, signal }, session);
  const { problems } = verification;
  if (!verification.ok) return { components, problems };
  const proved = { asked: demands, components: await digestOfLoaded(dir, components), verification };
  return { components, problems, proof: buildFolderProof(components, proved) };
}

function getSignal({ signal }: FolderToProve): AbortSignal {
  return signal ?? new AbortController().signal;
}

export const FolderProof = z.strictObject({
  version: z.literal(1),
  /** The digest of the requirements: the design, and the number of samples. */
  asked: z.string(),
  /** The digest of the whole folder. */
  components: z.string(),
  verification: Verification,
  /** Maps the path of a module to its exported description. */
  described: z.record(z.string(), z.unknown()),
});
export type FolderProof = z.infer<typeof FolderProof>;

/** The proof of a folder's components: the caller stores it, and passes it in to skip the next proof. */
export function buildFolderProof(
  components: Components,
  proved: Pick<FolderProof, 'asked' | 'components' | 'verification'>,
): FolderProof {
  return { version: 1, ...proved, described: listDescriptions(components) };
}

/** The description that each module exports, by its path. */
export function listDescriptions({ tools, checkers, paths }: Components): FolderProof['described'] {
  const described = [
    ...tools.map((spec) => [paths.get(`tools/${spec.name}`) ?? '', spec] as const),
    ...checkers.map((spec) => [paths.get(`checkers/${spec.id}`) ?? '', spec] as const),
  ];
  return Object.fromEntries(described);
}

/** Wraps a session with the known module descriptions, so that components load before its hosts have started. */
export function findDescriptor({ described }: Pick<FolderProof, 'described'>, session: OpenSandbox): OpenSandbox {
  return {
    ...session,
    call: async (call, signal) => {
      const known = call.name === 'tool' || call.name === 'checker' ? described[call.module] : undefined;
      return known === undefined ? session.call(call, signal) : { ok: true, value: known, args: [] };
    },
  };
}

/** Digests the text of each module, and the content of each sample and world. */
async function digestOfLoaded(dir: string, { paths, samples, worlds, graders }: Components): Promise<string> {
  const modules = [...paths.values()].toSorted();
  const texts = await Promise.all(modules.map((path) => readFile(join(dir, path), 'utf8')));
  return digestOfText([modules, texts, samples.map(({ sample }) => sample), [...worlds], ...(graders ?? [])]);
}

function digestOfText(value: unknown): string {
  return sha256(JSON.stringify(value));
}
