/** `tandem gates list|show|approve|request-changes|reject|comment|undo`: HITL-1 from the command line. */
import { randomUUID } from 'node:crypto';
import { openStore } from '../../app/open-store.ts';
import { wakeWorkers } from '../../app/worker-queue.ts';
import { findHome } from '../../config/home.ts';
import { loadReviewers, toGatePermissions } from '../../config/reviewers.ts';
import { HarnessError, usageError } from '../../errors.ts';
import { compareDesigns, readDesignContent } from '../../gate/compare-designs.ts';
import { decideGate, type Decision } from '../../gate/decide.ts';
import { readPack } from '../../gate/read-pack.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { CONFIRM_WORD, type GateDecision } from '../../gate/rules/gate.ts';
import type { ReadDeps, RunFolder } from '../../ports/run-store.ts';
import { currentDesignDir } from '../../run/layout.ts';
import type { RunState } from '../../run/state.ts';
import { openSnapshot, readState } from '../../run-folder/snapshot.ts';
import { findCarrier } from '../../run-folder/work-mark.ts';
import { openRunIndex } from '../../run-folder/run-index.ts';
import { renderDiffTerminal } from '../../report/gate/diff-terminal.ts';
import { renderReviewMarkdown } from '../../report/gate/review-markdown.ts';
import { renderReviewTerminal } from '../../report/gate/review-terminal.ts';
import { formatTable } from '../../report/text/width.ts';
import {
  EXIT,
  printAnswer,
  terminalSize,
  type Io,
  commandActor,
  type BooleanFlags,
  type JsonFlag,
  type TextFlags,
} from '../command-context.ts';
import { nextAfterDecision, decisionLines, formatRunReference } from '../run/finish.ts';
import { listGateComments } from '../../run/exchanges.ts';
import { commentAtGate } from '../../gate/comment.ts';
import { undoDecision } from '../../gate/undo.ts';
import { shortDigest } from '../../report/text/number-format.ts';

type WaitingGate = { run: string; scenario: string; gate: string; digest: string; openedAt: string; folder: string };

export async function listGates(options: JsonFlag, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  // Nobody could decide on what is listed while the file of the reviewers is broken.
  await loadReviewers(home);
  const waiting = await listWaitingGates(openStore(home), io);
  const head = ['RUN', 'GATE', 'SCENARIO', 'DIGEST', 'SINCE'];
  const rows = waiting.map((one) => [one.run, one.gate, one.scenario, one.digest.slice(0, 16), one.openedAt]);
  const lines = waiting.length === 0 ? ['No gate waits for a decision.'] : formatTable([head, ...rows]);
  return printAnswer(io, { json: options.json, value: waiting, lines });
}

/** Lists the oldest gate first, because it has waited longest. */
async function listWaitingGates({ store }: ReadDeps, io: Io): Promise<WaitingGate[]> {
  const { runs, unreadable } = await openRunIndex(store).look();
  for (const { id, message } of unreadable) io.err(`${id}: ${message}`);
  return runs
    .flatMap(({ id, scenario, dir, gate }) => {
      if (gate === undefined) return [];
      return [{ run: id, scenario, gate: gate.id, digest: gate.digest, openedAt: gate.openedAt, folder: dir }];
    })
    .toSorted((one, other) => one.openedAt.localeCompare(other.openedAt));
}

type ShowOptions = TextFlags<'gate'> & BooleanFlags<'json' | 'diff' | 'markdown'>;

export async function showGate(name: string, options: ShowOptions, io: Io): Promise<number> {
  const run = await openStore(findHome(io.cwd)).store.open(name);
  const { state, events } = await openSnapshot(run);
  const newest = state.designs.at(-1);
  if (newest === undefined)
    throw new HarnessError('not_found', `Run ${run.id} has no gate yet: it is ${state.status}.`);
  const pack = await readPack(run, options.gate ?? `HITL-1.r${newest.round}`);
  const size = terminalSize(io, 100);
  const said = listGateComments(events, pack.gate);
  const closed = { ...toClosedField(state, pack.gate), said };
  if (options.json === true) io.out(JSON.stringify(said.length === 0 ? pack : { ...pack, said }));
  else if (options.markdown === true) io.out(renderReviewMarkdown(pack, closed));
  else if (options.diff === true)
    for (const line of renderDiffTerminal(await withLastDecided(pack, run, state), size)) io.out(line);
  else {
    const decide =
      closed.closed === undefined ? decisionLines(await formatRunReference(run, io), pack.designDigest) : [];
    for (const line of [...renderReviewTerminal(pack, size, { ...closed, keys: [] }), ...decide]) io.out(line);
  }
  return EXIT.met;
}

/** When no design was approved yet, the difference is shown against the design that was last decided on. */
async function withLastDecided(pack: ReviewPack, run: RunFolder, state: RunState): Promise<ReviewPack> {
  const seen = state.decisions.findLast(({ round }) => round < pack.round);
  if (pack.since.round !== null || seen === undefined) return pack;
  const before = await readDesignContent(run, currentDesignDir(state, seen.round));
  const { diff } = compareDesigns(before, await readDesignContent(run, pack.designDir));
  return { ...pack, since: { ...pack.since, diff } };
}

/** Empty for a gate that still waits. */
function toClosedField(state: RunState, gate: string): { closed?: string } {
  if (state.status === 'awaiting_approval' && state.gate.id === gate) return {};
  const answers = state.decisions.filter((one) => one.gate === gate);
  const told = answers.map(({ actor, decision, ts }) => `${decision.replace('_', ' ')} by ${actor}, ${ts}`);
  return { closed: told.length > 0 ? `${told.join('; ')}.` : `It does not wait: the run is ${state.status}.` };
}

/** `accept` approves although the pack has doubts. */
export type DecideOptions = TextFlags<'gate' | 'digest' | 'comment' | 'nonce'> & BooleanFlags<'accept' | 'json'>;

type DecisionOptions = DecideOptions & { decision: Decision['decision'] };

export async function decideAtGate(name: string | undefined, options: DecisionOptions, io: Io): Promise<number> {
  if (name === undefined) throw usageError('Say which run: tandem gates list shows those that wait.');
  const home = findHome(io.cwd);
  const deps = openStore(home);
  const run = await deps.store.open(name);
  const { digest } = options;
  if (digest === undefined) {
    throw usageError(
      `Say which design you read: --digest <first 12 characters or more>. tandem gates show ${await formatRunReference(run, io)} prints it.`,
    );
  }
  const gate = options.gate ?? `HITL-1.r${(await readState(run)).round}`;
  const recorded = await recordDecision(run, { ...options, gate, digest }, io);
  await wakeWorkers(run.dir, deps, { home, env: io.env });
  if (options.json === true) {
    io.out(JSON.stringify({ run: run.id, ...recorded }));
    return EXIT.met;
  }
  const { decision, actor } = recorded;
  const shown = await formatRunReference(run, io);
  const next = nextAfterDecision(shown, await readState(run), await findCarrier(run));
  io.out(`${gate}: ${decision} by ${actor}, digest ${recorded.digest.slice(0, 16)}. ${next}`);
  io.err(`Not meant? Until the next step pays for its first call: tandem gates undo ${shown}`);
  return EXIT.met;
}

/** A policy never decides through these commands: only `--on-gate auto:` does. */
export async function recordDecision(
  run: RunFolder,
  options: DecisionOptions & { gate: string; digest: string },
  io: Io,
): Promise<GateDecision> {
  const home = findHome(io.cwd);
  const { gate, digest, decision, comment = '', nonce = randomUUID(), accept = false } = options;
  const request = { run: run.dir, gate, digest, decision, comment, nonce, ...(accept && { confirm: CONFIRM_WORD }) };
  const permissions = toGatePermissions(await loadReviewers(home), run.scenario);
  return decideGate({ ...request, actor: commandActor(io), via: 'cli' }, permissions, openStore(home));
}

type CommentOptions = JsonFlag & TextFlags<'digest' | 'comment' | 'to'>;

/** `tandem gates comment`: adds a comment for a design's reviewers, or hands the gate to one of them; it decides nothing. */
export async function commentCommand(run: string, options: CommentOptions, io: Io): Promise<number> {
  const { comment = '', digest, to, json } = options;
  const home = findHome(io.cwd);
  const reviewers = await loadReviewers(home);
  const request = { run, comment, digest, to, actor: commandActor(io) };
  const said = await commentAtGate(request, openStore(home), (scenario) => toGatePermissions(reviewers, scenario));
  const done =
    said.to === undefined
      ? `${said.gate}: on record for its reviewers, by ${said.actor}.`
      : `${said.gate} waits for ${said.to} now, to whom ${said.actor} handed it. Whoever could decide it before still can.`;
  return printAnswer(io, { json, value: said, lines: [done] });
}

type UndoOptions = TextFlags<'gate' | 'whose' | 'comment'> & JsonFlag;

/** `name` is a run, or a gate with its run: `run-1.HITL-1.r2`. */
export async function undoAtGate(name: string, options: UndoOptions, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const deps = openStore(home);
  const [, of, gate] = /^(.+)\.(HITL-1\.r[1-9]\d{0,3})$/.exec(name) ?? [];
  const run = await deps.store.open(of ?? name);
  const newest = (await readState(run)).designs.at(-1);
  if (newest === undefined) throw new HarnessError('not_found', `Run ${run.id} has no gate yet.`);
  const { whose, comment = '' } = options;
  const undone = await undoDecision(
    {
      ...{ run: run.dir, gate: options.gate ?? gate ?? `HITL-1.r${newest.round}`, comment },
      ...{ actor: commandActor(io), via: 'cli' },
      ...(whose === undefined ? {} : { whose: whose.includes(':') ? whose : `user:${whose}` }),
    },
    toGatePermissions(await loadReviewers(home), run.scenario),
    deps,
  );
  const { decision } = undone;
  if (options.json === true) io.out(JSON.stringify({ run: run.id, gate: decision.gate, ...undone }));
  else
    io.out(
      `${decision.gate}: ${decision.decision} by ${decision.actor} is taken back; the gate waits again, digest ${shortDigest(decision.digest)}. ` +
        `Read it: tandem gates show ${await formatRunReference(run, io)}`,
    );
  return EXIT.met;
}
