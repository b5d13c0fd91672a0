/** The parts that the modules of `tandem session` share: its flags, an open session, and changes of its settings. */
import type { SessionApp } from '../../app/open-sessions.ts';
import { HarnessError } from '../../errors.ts';
import type { Home } from '../../config/home.ts';
import type { Config } from '../../config/schema.ts';
import type { LiveSession } from '../../pipeline/session/live-session.ts';
import type { TurnResult } from '../../pipeline/session/take-turn.ts';
import type { SessionFolder, SessionStore } from '../../ports/run-store.ts';
import type { Call, JsonFlag, TextFlags } from '../command-context.ts';

export type SessionOptions = TextFlags<
  'agent' | 'run' | 'resume' | 'print' | 'model' | 'policy' | 'budget' | 'profile'
> &
  JsonFlag & { steer?: true | undefined; stream?: true | undefined };

/** An open session with everything that its commands need. */
export type TerminalSession = {
  home: Home;
  config: Config;
  store: SessionStore;
  folder: SessionFolder;
  app: SessionApp;
  conversation: LiveSession;
  call: Call;
};

/** Throws `config_invalid` for an unknown model or policy, and then changes nothing. */
export async function applyChanges(
  conversation: LiveSession,
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

/** Explains why a turn failed, and what helps. */
export function explainFailedTurn({ turn }: Pick<TurnResult, 'turn'>, id: string): string {
  const { why = '', code } = turn.end ?? {};
  const cause = why.replace(/ Raise the cap with .*$/, '');
  if (code === 'budget_exceeded')
    return `${cause} Go on with a higher cap: /budget 10, or tandem session --resume ${id} --budget 10.`;
  if (code === 'model_refused' && why.includes('simulation script'))
    return `${cause} The offline model answers only what its scripts know (docs/simulation.md); with ANTHROPIC_API_KEY set, a model answers.`;
  return `${cause.replace(/(?<![.?!])$/, '.')} What was said until then stays; say something to go on.`;
}

export async function findSession(store: SessionStore, name: string): Promise<SessionFolder> {
  const newest = name === 'last' ? (await store.list())[0] : undefined;
  const found = newest ?? (await store.find(name));
  if (found !== undefined) return found;
  const some = (await store.list()).slice(0, 5).map(({ id }) => id);
  const there = some.length === 0 ? 'There are none yet: tandem session begins one.' : `There are ${some.join(', ')}.`;
  throw new HarnessError('not_found', `No session is named ${JSON.stringify(name)}. ${there}`);
}
