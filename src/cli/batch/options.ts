/** The flags of `tandem batch`, and `--cron`, by which one is begun again and again. */
import { type BatchPlan, scenarioNames } from '../../batch/plan.ts';
import { OnGate, POLICIES, type Config, chooseQueue } from '../../config/schema.ts';
import { usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { type BooleanFlags, type TextFlags, commandActor, printAnswer, type Io } from '../command-context.ts';
import { parseUsd, parseWholeNumber, parseDurationMs } from '../parse-numbers.ts';
import { type PriorityOption, loadRunConfig } from '../run/settings.ts';
import type { CiOptions } from '../ci/ci.ts';
import { z } from 'zod';
import { openStore } from '../../app/open-store.ts';
import { loadCronTimes } from '../../app/worker-queue.ts';
import { addSchedule, scheduleId, type Schedule } from '../../batch/schedule.ts';
import { findHome } from '../../config/home.ts';
import { OVERLAPS } from '../../ports/job-queue.ts';
import { refuseBadFiles } from '../run/preflight.ts';

export type BatchFlags = Omit<CiOptions, 'baseline'> &
  TextFlags<
    | 'cron'
    | 'timeZone'
    | 'overlap'
    | 'catchUp'
    | 'runs'
    | 'maxParallel'
    | 'budget'
    | 'resume'
    | 'status'
    | 'id'
    | 'profile'
    | 'policy'
    | 'onGate'
    | 'gates'
    | 'trials'
    | 'versionOf'
  > &
  PriorityOption &
  BooleanFlags<'continue' | 'allowUnsandboxed' | 'json' | 'dryRun' | 'evaluate'> & { subject?: string[] | undefined };

export type BatchOptions = Omit<BatchPlan, 'patterns' | 'actor'> & { maxParallel: number };

const PARALLEL = 4;

export function batchOptions(flags: BatchFlags): BatchOptions {
  const { resume, id, profile, policy, priority } = flags;
  if (resume !== undefined && (flags.runs !== undefined || id !== undefined))
    throw usageError(`--resume ${resume} goes on with the runs that are there: leave --runs and --id out.`);
  if (resume !== undefined && priority !== undefined)
    throw usageError(`--resume ${resume} goes on with the --priority that the batch was begun with.`);
  if (flags.continue === true && id === undefined)
    throw usageError('--continue needs --id <batch>: the batch that this job begins or goes on with.');
  return {
    runs: parseWholeNumber('--runs', flags.runs ?? '1', { most: 1000 }),
    maxParallel: parseWholeNumber('--max-parallel', flags.maxParallel ?? String(PARALLEL), { most: 256 }),
    budgetUsd: flags.budget === undefined ? undefined : parseUsd('--budget', flags.budget),
    resume,
    id,
    continue: flags.continue,
    profile,
    policy,
    ...omitUndefined({ priority }),
  };
}

/** A batch never prompts: one person cannot answer for several runs at the same time. */
export function batchOnGate(flags: BatchFlags, config: Config): OnGate {
  // Every run goes on to its gate and leaves it to a person; the batch ends when all of them wait.
  if (flags.gates === 'collect') return 'exit';
  const requested = OnGate.safeParse(flags.onGate ?? config.on_gate.no_tty);
  if (requested.success && requested.data !== 'prompt') return requested.data;
  throw usageError(
    `--on-gate "${flags.onGate ?? config.on_gate.no_tty}": a batch takes exit, wait or ${POLICIES.join(', ')}. Its gates: tandem gates list --batch <id>.`,
  );
}

const WHEN = new Set(['cron', 'timeZone', 'overlap', 'catchUp', 'id', 'json']);
const NOT_AGAIN = ['resume', 'status', 'continue', 'record', 'junit'] as const;

/** `tandem batch --cron`: stores the command line as a schedule, which any worker of the project runs when due. */
export async function scheduleBatch(patterns: readonly string[], flags: BatchFlags, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const { cron, timeZone = 'UTC', overlap = 'queue', catchUp, id, json, subject: _ofEvaluations, ...rest } = flags;
  if (cron === undefined)
    throw usageError('--time-zone, --overlap and --catch-up are those of --cron <pattern>: give both.');
  const wrong = NOT_AGAIN.find((name) => rest[name] !== undefined && rest[name] !== false);
  if (wrong !== undefined)
    throw usageError(`--${wrong} is for one batch, and --cron begins many: leave one of them out.`);
  refuseUnknownZone(timeZone);
  const config = await loadRunConfig(home, flags, io);
  if (chooseQueue(config, io.env).kind === 'in-process')
    throw usageError(
      '--cron needs a queue that workers share, since this command ends at once: set TANDEM_QUEUE=redis://host:6379 or postgres://user@host/database, and start tandem worker. Without one, use the timer of the system.',
    );
  batchOnGate(flags, config);
  for (const name of scenarioNames(patterns, home)) await refuseBadFiles({ home, name, options: flags }, io);
  const args = [...patterns, ...toArguments(rest)];
  const { shared, clock } = openStore(home);
  const now = clock.now();
  const schedule: Schedule = {
    ...{ version: 1, id: id ?? scheduleId({ cron, timeZone, args }), cron, timeZone, args },
    ...{ actor: commandActor(io), createdAt: now.toISOString(), overlap: z.enum(OVERLAPS).parse(overlap) },
    ...omitUndefined({ catchUpMs: catchUp === undefined ? undefined : parseDurationMs('--catch-up', catchUp) }),
  };
  const due = (await loadCronTimes())(schedule)(now.getTime());
  const isNew = await addSchedule(shared, schedule);
  const next = due === undefined ? null : new Date(due).toISOString();
  const line = `Schedule ${schedule.id}: "${cron}" in ${timeZone}${isNew ? '' : ', there already'}; next ${next ?? 'unknown'}. A worker begins each batch. tandem queue schedules lists it, tandem queue unschedule ${schedule.id} takes it away.`;
  return printAnswer(io, { json, value: { schedule: schedule.id, cron, timeZone, next, isNew }, lines: [line] });
}

function refuseUnknownZone(timeZone: string): void {
  try {
    Intl.DateTimeFormat('en', { timeZone });
  } catch (error) {
    const message = `--time-zone ${timeZone} is no time zone: expected a name such as Europe/Berlin, or UTC.`;
    throw usageError(message, { cause: error });
  }
}

/** Turns the parsed flags back into command-line arguments. */
function toArguments(flags: Readonly<Record<string, string | boolean | undefined>>): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (WHEN.has(name) || value === undefined || value === false) return [];
    return value === true ? [flag] : [flag, value];
  });
}
