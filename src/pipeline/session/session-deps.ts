/** Dependencies of a session, and the progress of a turn that its person sees. */
import type { RunFolder, SessionFolder } from '../../ports/run-store.ts';
import type { SessionTurns } from '../../run/fold-turns.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import type { ContextChange } from '../../context/index.ts';
import type { Deps } from '../deps.ts';

export type SessionDeps = Pick<
  Deps,
  'catalogue' | 'clock' | 'fileTools' | 'model' | 'prompts' | 'sandbox' | 'telemetry' | 'toolServers'
> & {
  /** The folder of the project: its `CODE_LAW.md` counts in a session without a run (S1.2). */
  project: string;
  /** Opens the run that a session is attached to; undefined when it was deleted. */
  attachedRun: (now: Pick<SessionTurns, 'run'>) => Promise<RunFolder | undefined>;
  /** Loads the agent of a session with the model and the policy that its person has chosen. */
  agentOf: (now: Pick<SessionTurns, 'agent' | 'model' | 'policy'>) => Promise<LoadedAgent>;
};

/** Progress of a turn; none of it is stored. */
export type TurnProgress =
  | { type: 'text'; text: string }
  | { type: 'thinking' }
  | { type: 'tool'; name: string; about: string; ended?: { isError: boolean } }
  /** A sub-agent has answered; `tools` are those it calls, none when it is done. */
  | { type: 'lane'; lane: string; step: number; tools: readonly string[] }
  | { type: 'context'; change: ContextChange }
  /** The answer begins again, so the text so far does not count. */
  | { type: 'again'; reason: string }
  | { type: 'notice'; detail: string };

/** The person who sees the answer while it is written, and may stop it. */
export type TurnListener = { heard: (news: TurnProgress) => void; signal: AbortSignal };

export type SessionContext = { folder: SessionFolder; deps: SessionDeps };
