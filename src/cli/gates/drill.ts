/** `tandem gates drill`: practice on a copy of an approved design with one planted defect, on the terminal or the page. */
import { randomUUID } from 'node:crypto';
import { openDrill, type Drill } from '../../app/web/open-drill.ts';
import { openReview } from '../../app/web/open-review.ts';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { Reviewers } from '../../config/reviewers.ts';
import { usageError } from '../../errors.ts';
import { decideGate } from '../../gate/decide.ts';
import { DRILL_BEFORE, judgeDrill, type DrillResult } from '../../gate/drill/judge-drill.ts';
import type { DefectKind } from '../../gate/drill/plant-defect.ts';
import { readPack } from '../../gate/read-pack.ts';
import type { GateDecision } from '../../gate/rules/gate.ts';
import { readState } from '../../run-folder/snapshot.ts';
import { startListening } from '../../web/listen.ts';
import { commandActor, waitForAbort, type Call, EXIT, type Io } from '../command-context.ts';
import { createToken } from '../serve/token-file.ts';
import { forgetMarks, reviewGate } from './review-gate.ts';

type DrillOptions = { defect?: DefectKind | undefined; page?: boolean | undefined; json?: boolean | undefined };

/** Anybody at this terminal may practise; the project's reviewers, notices and deadlines are not concerned. */
const PERMISSIONS = { starterMayDecide: true, policyMayDecide: false };

export async function drillCommand(scenario: string, options: DrillOptions, { io, signal }: Call): Promise<number> {
  if (options.page !== true && io.ask === undefined)
    throw usageError('tandem gates drill needs a terminal, or --page to show it in a browser.');
  const drill = await openDrill(scenario, options.defect, openStore(findHome(io.cwd)));
  try {
    io.err(`PRACTICE. ${DRILL_BEFORE}`);
    const tell = (result: DrillResult) => {
      if (options.json === true) io.out(JSON.stringify({ scenario, kind: drill.defect.kind, ...result }));
      else for (const line of [result.text, `What was planted: ${result.planted}`]) io.out(line);
    };
    if (options.page === true) await practiseOnPage(drill, tell, { io, signal });
    else await practiseHere(drill, tell, { io, signal });
  } finally {
    await drill.remove();
  }
  return EXIT.met;
}

async function practiseHere(
  { run, gate, read, defect }: Drill,
  tell: (result: DrillResult) => void,
  { io, signal }: Call,
): Promise<void> {
  const state = await readState(run);
  if (state.status !== 'awaiting_approval') return;
  const beganAt = read.clock.now().getTime();
  const pack = await readPack(run, gate);
  const moment = { waitingMs: 0, read: { mine: false, asked: false } };
  const answer = await reviewGate({ run, state, pack, moment, marks: forgetMarks(), left: 0 }, io, signal);
  if (answer === 'quit' || answer === 'next') return io.err('Practice was left without a decision.');
  const shownMs = read.clock.now().getTime() - beganAt;
  const request = { run: run.dir, gate, digest: state.gate.digest, nonce: randomUUID(), ...answer };
  const decided = await decideGate(
    { ...request, actor: commandActor(io), via: 'terminal', shownMs },
    PERMISSIONS,
    read,
  );
  tell(judgeDrill(defect, decided, shownMs));
}

/** Serves the page of the practice run alone, until the command is ended, so that its result can be read there too. */
async function practiseOnPage(
  drill: Drill,
  tell: (result: DrillResult) => void,
  { io, signal }: { io: Io; signal: AbortSignal },
): Promise<void> {
  const { run, gate, read, project, defect } = drill;
  const token = createToken();
  const hosts: string[] = [];
  const judge = (decided: GateDecision): DrillResult => judgeDrill(defect, decided, decided.shownMs ?? 0);
  const review = openReview({
    ...{ project, read, secret: token, hosts },
    reviewers: Reviewers.parse({ version: 1 }),
    local: { name: commandActor(io).slice('user:'.length), token },
    log: (line) => io.err(line),
    practice: { before: DRILL_BEFORE, after: judge },
    decided: async () => {
      const last = (await readState(run)).decisions.at(-1);
      if (last !== undefined) tell(judge(last));
    },
  });
  const server = await startListening(review, { host: '127.0.0.1', port: 0 });
  try {
    hosts.push(`127.0.0.1:${server.port}`, `localhost:${server.port}`);
    const next = encodeURIComponent(`/runs/${run.id}/gates/${gate}`);
    io.err(`Practice page   http://127.0.0.1:${server.port}/sign-in?token=${token}&to=${next}`);
    io.err('Ctrl-C ends the practice and removes the copy.');
    await waitForAbort(signal);
  } finally {
    await server.close();
  }
}
