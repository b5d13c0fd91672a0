/** What somebody can do whose question was not answered. */
import { HarnessError, isHarnessError, type ErrorCode } from '../../errors.ts';

const ADVICE: Partial<Record<ErrorCode, string>> = {
  budget_exceeded:
    'A chat is paid from the budget of its run, and what is left is kept for the run: decide without it, or ask once the cap is raised.',
  model_unavailable: 'Ask again in a moment.',
  agent_stopped: 'Ask in smaller parts.',
  context_overflow: 'Begin afresh (/clean on the terminal) and name fewer files.',
};
const SCRIPTS =
  'The offline model answers only what simulation/chat.yaml of the scenario knows (docs/simulation.md); with ANTHROPIC_API_KEY set, Init’s model answers.';

/** The same error with its remedy; what is no error of ours passes. */
export function withAdvice(error: unknown): unknown {
  if (!isHarnessError(error)) return error;
  const scripted = error.code === 'model_refused' && error.message.includes('simulation script');
  const advice = scripted ? SCRIPTS : ADVICE[error.code];
  if (advice === undefined) return error;
  const { code, retryable, details } = error;
  const said = code === 'budget_exceeded' ? error.message.replace(/ Raise the cap with .*$/, '') : error.message;
  return new HarnessError(code, `${said} Nothing of the question is on record. ${advice}`, {
    retryable,
    details,
    cause: error,
  });
}
