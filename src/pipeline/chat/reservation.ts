/** The reservation of a chat: a mark shows that its process lives, and the next chat or step settles those of dead ones. */
import { randomBytes } from 'node:crypto';
import { listMarks, openLiveMark } from '../../disk/live-mark.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { CHAT } from './conversation.ts';

/** One file for each question that is being answered; no agent is given this folder. */
const FOLDER = 'asking';
const SENT = 'sent';

export type ChatReservation = {
  /** Begins the name of each call: unique for each question, so that no two calls have one name. */
  step: string;
  /** Before a call is sent: from then on the provider may want money for it. */
  sending: () => Promise<void>;
  end: () => Promise<void>;
};

export async function reserveChat(run: RunFolder, nonce: string): Promise<ChatReservation> {
  const plain = nonce.replace(/[^a-zA-Z0-9-]/g, '').slice(0, 40);
  const step = `${CHAT}.${plain}-${randomBytes(4).toString('hex')}`;
  const mark = await openLiveMark(run.shared, `${FOLDER}/${step}.json`);
  // A mark that cannot be removed does no harm; the answer must not be lost for it.
  return { step, sending: () => mark.say(SENT), end: () => mark.end().catch(() => undefined) };
}

/**
 * Resolves with what is counted now for calls that were sent and have no answer: their worst case. Money for a call that
 * was not sent is given back. Several may do this at once: each reservation is settled by one of them.
 */
export async function settleAbandonedChats(run: RunFolder): Promise<number> {
  const open = (await run.spending.list()).filter(({ agent, reservedUsd }) => agent === CHAT && reservedUsd > 0);
  // Read after the books: a chat marks itself before it reserves, so none of these is younger than the marks.
  const marks = await listMarks(run.shared, FOLDER);
  let counted = 0;
  for (const { call } of open) {
    const mark = marks.find(({ name }) => call.startsWith(`${name}.`));
    if (mark?.alive === true) continue;
    // Without a mark: of a chat before there were any, which may have sent everything.
    if (mark !== undefined && mark.said !== SENT) await run.spending.release(call);
    else counted += (await run.spending.writeOff(call)) ?? 0;
  }
  for (const { name, alive } of marks) if (!alive) await run.shared.remove(`${FOLDER}/${name}.json`);
  return counted;
}
