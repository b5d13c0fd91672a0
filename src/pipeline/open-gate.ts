/** The review pack of a round: made from the committed design, frozen on disk with its digest before the gate opens. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { sha256 } from '../adapters/files/sha256.ts';
import { SubmitDesign } from '../agent/tools/schemas.ts';
import { HarnessError } from '../errors.ts';
import { checkDesign } from '../gate/checks.ts';
import { ruleChanges } from '../gate/changes.ts';
import { judgeComments } from '../gate/comments.ts';
import { formatChanges } from '../gate/format-changes.ts';
import { gateId } from '../gate/gate.ts';
import type { ReviewPack } from '../gate/review-pack.ts';
import type { Committed } from '../ports/artifacts.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { RunState } from '../run/state.ts';
import type { Brief } from '../scenario/brief.ts';
import { DESIGN_FILES } from '../scenario/design.ts';
import { designDir, outputDir } from './handoffs.ts';
import { readDesign, type DesignParts } from './read-design.ts';

/** Before there is an iteration to go by: building takes so many times what the designing took, and at least this. */
const BUILD_OVER_DESIGN = 4;
const LEAST_GUESS_USD = 0.25;
/** A diff that takes longer is not read by a person either. */
const DIFF_TIMEOUT_MS = 1000;

export async function prepareGate(
  run: RunFolder,
  state: RunState,
  design: Committed,
  brief: Brief,
): Promise<{ digest: string; rules: number }> {
  const pack = await buildPack(run, state, design, brief);
  const text = `${JSON.stringify(pack, null, 2)}\n`;
  await run.write(`gates/${pack.gate}/pack.json`, text);
  return { digest: sha256(text), rules: pack.rules.length };
}

async function buildPack(run: RunFolder, state: RunState, design: Committed, brief: Brief): Promise<ReviewPack> {
  const { round } = state;
  const now = await partsOf(run, round);
  const approved = state.designs.findLast((earlier) => earlier.approved !== undefined)?.round;
  const before = approved === undefined ? undefined : await partsOf(run, approved);
  const submission = SubmitDesign.loose().parse(
    JSON.parse(await readFile(join(design.dir, 'submission.json'), 'utf8')),
  );
  const earlier = new Map(
    await Promise.all(state.designs.map(async (one) => [one.round, textOf(await partsOf(run, one.round))] as const)),
  );
  return {
    version: 1,
    gate: gateId(round),
    run: run.id,
    scenario: run.scenario,
    title: brief.title,
    round,
    designDigest: design.digest,
    designDir: designDir(round),
    author: 'agent:init',
    simulated: state.origin.simulated,
    effect: await effectOf(run, state, now.format.tools.length, brief),
    why: whyOf(state),
    summary: submission.summary,
    since: {
      round: approved ?? null,
      rules: approved === undefined ? [] : ruleChanges(before?.rules, now.rules, submission.changes),
      format: approved === undefined ? [] : formatChanges(before?.format, now.format),
      diff: before === undefined ? '' : diffOf(before, now, approved ?? 0, round),
    },
    rules: now.rules.rules.map(({ id, title, text, severity }) => ({ id, title, text, severity })),
    checks: checkDesign(now.rules, now.format, brief),
    questions: [...now.rules.open_questions, ...submission.open_questions].filter(
      (question, index, all) => all.indexOf(question) === index,
    ),
    comments: judgeComments(
      state.decisions.map(({ gate, round: of, actor, comment }) => ({ gate, round: of, actor, text: comment })),
      (of) => earlier.get(of),
      textOf(now),
    ),
  };
}

type Loaded = DesignParts & { files: Record<string, string> };

async function partsOf(run: RunFolder, round: number): Promise<Loaded> {
  const dir = join(run.dir, designDir(round));
  const { parts, problems } = await readDesign(dir, designDir(round));
  if (parts === undefined)
    throw new HarnessError('data_corrupt', `The committed ${designDir(round)} cannot be read: ${problems.join(' ')}`);
  const files = await Promise.all(
    DESIGN_FILES.map(async (name) => [name, await readFile(join(dir, name), 'utf8')] as const),
  );
  return { ...parts, files: Object.fromEntries(files) };
}

function textOf({ rules, files }: Loaded): { rules: Loaded['rules']; files: Loaded['files'] } {
  return { rules, files };
}

async function effectOf(run: RunFolder, state: RunState, tools: number, brief: Brief): Promise<ReviewPack['effect']> {
  const spent = (await run.spending.list()).filter((record) => record.usd !== undefined);
  const sum = (prefix: string): number =>
    spent.filter((record) => record.call.startsWith(prefix)).reduce((total, record) => total + (record.usd ?? 0), 0);
  const guess = Math.max(LEAST_GUESS_USD, (sum('design.') / state.round) * BUILD_OVER_DESIGN);
  const perIteration = state.iterations.length === 0 ? guess : sum('execute.') / state.iterations.length;
  const next = state.iterations.length + 1;
  return {
    text: `Approving lets Execute build ${tools} tools with checkers and at least ${brief.samples.min} samples, and run them (iteration ${next} on, until ${Math.round(brief.target * 100)} % pass).`,
    estimateUsd: perIteration * 2,
    spentUsd: sum(''),
    budgetUsd: state.budgetUsd,
  };
}

function whyOf(state: RunState): ReviewPack['why'] {
  const { reason } = state;
  if (reason.kind === 'first') return { reason: 'first', text: 'First design of this run.', evidence: [] };
  if (reason.kind === 'changes_requested') {
    return { reason: 'changes_requested', text: `${reason.actor} asked for changes: ${reason.comment}`, evidence: [] };
  }
  const last = state.iterations.find((iteration) => iteration.iteration === reason.iteration);
  const score = last === undefined ? '' : ` ${last.passed} of ${last.total} samples passed.`;
  return {
    reason: 'returned',
    text: `Execute returned the design after iteration ${reason.iteration}.${score} ${reason.problems.map((problem) => problem.title).join('; ')}.`,
    evidence: reason.problems.flatMap((problem) =>
      problem.samples.map((sample) => ({
        text: `${problem.rules.join(' / ')}: ${sample}`,
        path: `${outputDir(reason.iteration)}/traces/${sample}.1.jsonl`,
      })),
    ),
  };
}

function diffOf(before: Loaded, now: Loaded, from: number, to: number): string {
  return DESIGN_FILES.flatMap((name) => {
    const [old, fresh] = [before.files[name] ?? '', now.files[name] ?? ''];
    if (old === fresh) return [];
    const patch = createTwoFilesPatch(
      `${designDir(from)}/${name}`,
      `${designDir(to)}/${name}`,
      old,
      fresh,
      undefined,
      undefined,
      { timeout: DIFF_TIMEOUT_MS },
    );
    return [patch ?? `${designDir(to)}/${name}: the difference is too large to show; compare the two files.`];
  }).join('\n');
}
