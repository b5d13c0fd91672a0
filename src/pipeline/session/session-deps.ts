/** What a session works with, and what its person sees of a turn while it is made. */
import type { LoadedAgent } from '../../agent/definition.ts';
import type { ContextChange } from '../../context/index.ts';
import type { SessionFolder } from '../../ports/run-store.ts';
import type { SessionNow } from '../../run/fold-turns.ts';
import type { Deps } from '../deps.ts';
import type { AttachedRun } from './run-files.ts';

export type SessionDeps = Pick<
  Deps,
  'catalogue' | 'clock' | 'fileTools' | 'model' | 'prompts' | 'sandbox' | 'telemetry' | 'toolServers'
> & {
  /** The folder of the project: its `CODE_LAW.md` counts in a session without a run (S1.2). */
  project: string;
  /** The run that a session is attached to; undefined when it was deleted. */
  attachedRun: (now: Pick<SessionNow, 'run'>) => Promise<AttachedRun | undefined>;
  /** The agent of a session with the model and the policy that its person has chosen. */
  agentOf: (now: Pick<SessionNow, 'agent' | 'model' | 'policy'>) => Promise<LoadedAgent>;
};

/** Not stored. */
export type SessionNews =
  | { type: 'text'; text: string }
  | { type: 'thinking' }
  | { type: 'tool'; name: string; about: string; ended?: { isError: boolean } }
  /** A sub-agent has answered: its tools, none where it is done. */
  | { type: 'lane'; lane: string; step: number; tools: readonly string[] }
  | { type: 'context'; change: ContextChange }
  /** The answer begins again: the text so far does not count. */
  | { type: 'again'; reason: string }
  | { type: 'notice'; detail: string };

/** The person: sees the answer while it is written, and may stop it. */
export type Listener = { heard: (news: SessionNews) => void; signal: AbortSignal };

export type OpenSession = { folder: SessionFolder; deps: SessionDeps };
