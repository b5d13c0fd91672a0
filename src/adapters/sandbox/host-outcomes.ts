/** Converts a host's answers into outcomes. Generated code in the process might forge them, so only their shape is trusted. */
import type { SandboxOutcome } from '../../ports/sandbox.ts';
import { MOST_LEVELS, shapeFault } from '../../scenario/json/json-value.ts';
import type { HostReply } from './host-channel.ts';

type Failure = Extract<SandboxOutcome, { ok: false }>;

/** The `edits` of shared arguments are not checked yet. */
export type HostOutcome = Failure | (Extract<SandboxOutcome, { ok: true }> & { edits?: unknown });

/** Has fewer outcomes than `times` when the process was spent, or died, before it could answer again. */
export type HostOutcomes = { outcomes: HostOutcome[]; over: boolean };

const KINDS = ['threw', 'bad_module', 'too_large', 'crashed'] as const satisfies readonly Failure['kind'][];

export function hostOutcomes({ spent, answers }: HostReply, times: number): HostOutcomes {
  if (typeof spent !== 'boolean' || !Array.isArray(answers) || answers.length < 1 || answers.length > times) {
    return { outcomes: [malformedFailure()], over: true };
  }
  const outcomes = answers.map((answer) => toHostOutcome(answer) ?? malformedFailure());
  return { outcomes, over: spent };
}

export function hostFailure(kind: Failure['kind'], message: string): Failure {
  return { ok: false, kind, message: message.slice(0, 2000) };
}

function malformedFailure(): Failure {
  return hostFailure('crashed', 'its answer does not have the shape of an answer');
}

function toHostOutcome(answer: unknown): HostOutcome | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { ok, value, args = [], edits, kind, message } = answer as HostReply;
  if (ok === false) {
    const known = KINDS.find((one) => one === kind);
    return known === undefined || typeof message !== 'string' ? undefined : hostFailure(known, message);
  }
  if (ok !== true || !Array.isArray(args)) return undefined;
  const fault = shapeFault([value, args, edits]);
  if (fault === 'deep') return hostFailure('too_large', `nested more than ${MOST_LEVELS} levels deep`);
  if (fault === 'number') return hostFailure('threw', 'the answer holds a number that is too large for JSON');
  return { ok: true, value, args, ...(edits === undefined ? {} : { edits }) };
}
