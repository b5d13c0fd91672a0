/** Finds a user who refuses what the gold path of the sample does all the same: then no right subject can pass. */
import { sameJson } from '../../scenario/json/json-value.ts';
import { listCalls, type SampleCall, type Sample } from '../../scenario/sample.ts';
import { saysNo, saysYes } from '../scripted-user/sentences.ts';
import type { TrialEvent, TrialRecord } from '../components/trial-record.ts';
import { holdsPhrase } from './spellings.ts';

/**
 * Decides it from the trace: the user's last yes or no was a no to a question about a call that gold makes, and the
 * subject left this call undone. Where gold itself has a user who says no, another question may follow it.
 */
export function findRefusingUser({ sample, played }: { sample: Sample; played: TrialRecord }): string | undefined {
  const { events = [] } = played;
  const answered = events.findLastIndex(
    (event, index) => index > 0 && event.type === 'user' && (saysYes(event.text) || saysNo(event.text)),
  );
  const [answer, question] = [events[answered], events.slice(0, answered).findLast(({ type }) => type === 'says')];
  if (answer?.type !== 'user' || question?.type !== 'says' || !saysNo(answer.text)) return undefined;
  const gold = listCalls(sample.gold);
  const isForbidden = played.calls.some(({ tool }) => sample.expect.must_not_call.includes(tool));
  if (isForbidden || events.some((event) => isOwnChange(event, gold))) return undefined;
  if (sample.gold.some((step) => 'user' in step && saysNo(step.user))) return undefined;
  const refused = gold.find(
    (call) =>
      !played.calls.some(({ tool, input }) => tool === call.tool && sameJson(input, call.args)) &&
      isAbout(question.text, call) &&
      // A tool that the subject called without any effect reads, and needs nobody's consent.
      !played.calls.some((one) => one.tool === call.tool && one.change.length === 0 && !one.is_error),
  );
  if (refused === undefined) return undefined;
  const call = `${refused.tool} ${JSON.stringify(refused.args)}`;
  return `its user says "${answer.text}" to "${question.text}", and its gold path calls ${call} all the same`;
}

/** A change that the subject made of itself makes the failure its own. */
function isOwnChange(event: TrialEvent, gold: readonly SampleCall[]): boolean {
  if (event.type !== 'call' || event.change.length === 0) return false;
  return !gold.some(({ tool, args }) => tool === event.tool && sameJson(args, event.input));
}

/** True when the question names a value that gold gives the tool, an amount in cents also as it is said. */
function isAbout(question: string, { args }: SampleCall): boolean {
  return Object.values(args).some((value) => {
    if (typeof value === 'string') return value.length > 1 && holdsPhrase(question, value);
    if (typeof value !== 'number') return false;
    const said = new Set(question.match(/\d+(?:\.\d+)?/g)?.map(Number));
    return Math.abs(value) > 1 && (said.has(value) || said.has(value / 100));
  });
}
