/** `tandem session --run <run> --steer -p <text>`: the agent at work reads a person's message before its next call. */
import { randomUUID } from 'node:crypto';
import { findHome } from '../../config/home.ts';
import { loadReviewers, toGatePermissions } from '../../config/reviewers.ts';
import { usageError } from '../../errors.ts';
import { steer } from '../../pipeline/control/steer.ts';
import { getStepAgent } from '../../pipeline/sessions/read-sessions.ts';
import { commandActor, type Call, EXIT } from '../command-context.ts';
import { openNamedRun, type SessionOptions } from './terminal-session.ts';

export async function steerCommand(
  named: string | undefined,
  options: SessionOptions,
  { io }: Pick<Call, 'io'>,
): Promise<number> {
  const { run: name, print: text, json } = options;
  const others = (['resume', 'model', 'policy', 'budget'] as const).filter((key) => options[key] !== undefined);
  if (named !== undefined || others.length > 0)
    throw usageError('--steer speaks to the agent that is at work: it takes --run and -p alone.');
  if (name === undefined)
    throw usageError('--steer needs the run whose agent is meant: tandem session --run last --steer -p "Use euro."');
  if (text === undefined)
    throw usageError(`--steer takes its words with -p: tandem session --run ${name} --steer -p "Use euro."`);
  const home = findHome(io.cwd);
  const run = await openNamedRun(home, name);
  const { deciders } = toGatePermissions(await loadReviewers(home), run.scenario);
  const message = { text, actor: commandActor(io), via: 'cli', nonce: randomUUID() };
  const { seq, nonce: _nonce, ...words } = await steer(run, message, deciders);
  const agent = getStepAgent(words.step);
  if (json === true) io.out(JSON.stringify({ run: run.id, agent, event: seq, ...words }));
  else
    io.err(
      `On record as event ${seq} of run ${run.id}: ${agent} reads it before its next call to the model. It approves nothing.`,
    );
  return EXIT.met;
}
