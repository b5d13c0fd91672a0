/** `tandem gates undo`: takes back a decision at HITL-1, as long as the next step has paid for nothing. */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadReviewers, toGatePermissions } from '../../config/reviewers.ts';
import { HarnessError } from '../../errors.ts';
import { undoDecision } from '../../gate/undo.ts';
import { shortDigest } from '../../report/text/number-format.ts';
import { commandActor } from '../actor.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { formatRunReference } from '../run/run-reference.ts';
import { readState } from '../../run-folder/snapshot.ts';

export type UndoOptions = {
  gate?: string | undefined;
  whose?: string | undefined;
  comment?: string | undefined;
  json?: boolean | undefined;
};

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
