/** `tandem gates comment`: adds a comment of an agent or a colleague for a design's reviewers; it decides nothing. */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { commentAtGate } from '../../gate/comment.ts';
import { commandActor } from '../actor.ts';
import type { JsonFlag, TextFlags } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';

type CommentOptions = JsonFlag & TextFlags<'digest'> & { comment: string };

export async function commentCommand(run: string, options: CommentOptions, io: Io): Promise<number> {
  const { comment, digest, json } = options;
  const said = await commentAtGate({ run, comment, digest, actor: commandActor(io) }, openStore(findHome(io.cwd)));
  io.out(json === true ? JSON.stringify(said) : `${said.gate}: on record for its reviewers, by ${said.actor}.`);
  return EXIT.met;
}
