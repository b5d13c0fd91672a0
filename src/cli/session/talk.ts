/** What the parts of `tandem session` share: its flags, an open session, and what its person chooses in it. */
import type { SessionApp } from '../../app/open-sessions.ts';
import { HarnessError } from '../../errors.ts';
import type { Home } from '../../config/home.ts';
import type { Config } from '../../config/schema.ts';
import type { Conversation } from '../../pipeline/session/session.ts';
import type { TurnResult } from '../../pipeline/session/take-turn.ts';
import type { SessionFolder, SessionStore } from '../../ports/run-store.ts';
import type { Call, Json, Texts } from '../call.ts';

export type SessionOptions = Texts<'agent' | 'run' | 'resume' | 'print' | 'model' | 'policy' | 'budget' | 'profile'> &
  Json & { steer?: true | undefined; stream?: true | undefined };

/** An open session, with all that its commands need. */
export type Talk = {
  home: Home;
  config: Config;
  store: SessionStore;
  folder: SessionFolder;
  app: SessionApp;
  conversation: Conversation;
  call: Call;
};

/** Contract: `config_invalid` for a model or a policy that is not there; then nothing changes. */
export async function setChecked(
  conversation: Conversation,
  changes: { model?: string; policy?: string; budgetUsd?: number },
  { deps }: Pick<SessionApp, 'deps'>,
): Promise<void> {
  await checkAgent({ ...conversation.now, ...changes }, { deps });
  await conversation.set(changes);
}

export async function checkAgent(
  now: Parameters<SessionApp['deps']['agentOf']>[0],
  { deps }: Pick<SessionApp, 'deps'>,
) {
  const { definition } = await deps.agentOf(now);
  await deps.catalogue.describe(definition.model, AbortSignal.timeout(30_000));
}

/** Why a turn failed, and what helps. */
export function adviceFor({ turn }: Pick<TurnResult, 'turn'>, id: string): string {
  const { why = '', code } = turn.end ?? {};
  const cause = why.replace(/ Raise the cap with .*$/, '');
  if (code === 'budget_exceeded')
    return `${cause} Go on with a higher cap: /budget 10, or tandem session --resume ${id} --budget 10.`;
  if (code === 'model_refused' && why.includes('simulation script'))
    return `${cause} The offline model answers only what its scripts know (docs/simulation.md); with ANTHROPIC_API_KEY set, a model answers.`;
  return `${cause.replace(/(?<![.?!])$/, '.')} What was said until then stays; say something to go on.`;
}

export async function foundSession(store: SessionStore, name: string): Promise<SessionFolder> {
  const newest = name === 'last' ? (await store.list())[0] : undefined;
  const found = newest ?? (await store.find(name));
  if (found !== undefined) return found;
  const some = (await store.list()).slice(0, 5).map(({ id }) => id);
  const there = some.length === 0 ? 'There are none yet: tandem session begins one.' : `There are ${some.join(', ')}.`;
  throw new HarnessError('not_found', `No session is named ${JSON.stringify(name)}. ${there}`);
}
