/** The tools of `tandem mcp`: another agent may read all, start and stop runs, but not decide or change a design. */
import { z } from 'zod';

/** Allows no leading dash, so that text from a model is never read as a flag. */
const RunId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/, 'letters, digits, dots, dashes');
const runInput = { run: RunId.describe('id of the run, or the beginning of one') };

export type CliTool<Shape extends z.ZodRawShape = z.ZodRawShape> = {
  name: string;
  description: string;
  input: z.ZodObject<Shape>;
  /** Builds the command line that answers. */
  args: (input: z.infer<z.ZodObject<Shape>>) => string[];
};

const defineTool = <Shape extends z.ZodRawShape>(one: CliTool<Shape>): CliTool => one as unknown as CliTool;
const toFlagArgs = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`--${name}`, String(value)];

export const READING: readonly CliTool[] = [
  defineTool({
    name: 'list_runs',
    description: 'All runs of this project with their status, success rate and cost, newest first.',
    input: z.strictObject({}),
    args: () => ['status', '--json'],
  }),
  defineTool({
    name: 'run_status',
    description: 'One run: where it is, what it waits for, its iterations, what it cost.',
    input: z.strictObject(runInput),
    args: (input) => ['status', input.run, '--json'],
  }),
  defineTool({
    name: 'read_report',
    description: 'The report of a run, or of one of its iterations, as Markdown.',
    input: z.strictObject({ ...runInput, iteration: z.int().positive().optional() }),
    args: (input) => ['report', input.run, '--format', 'md', ...toFlagArgs('iteration', input.iteration)],
  }),
  defineTool({
    name: 'read_statistics',
    description:
      'The verdict on an iteration (met, not met, disputed, incomplete), what speaks against it, and its rates with their intervals.',
    input: z.strictObject({ ...runInput, iteration: z.int().positive().optional() }),
    args: (input) => ['statistics', input.run, '--json', ...toFlagArgs('iteration', input.iteration)],
  }),
  defineTool({
    name: 'read_evaluation',
    description: 'The same of an evaluation of a scenario without agents, by its number; default: the last one.',
    input: z.strictObject({ scenario: RunId, number: z.int().positive().optional() }),
    args: ({ scenario, number = '' }) => ['statistics', `${scenario}~${number}`, '--json'],
  }),
  defineTool({
    name: 'list_gates',
    description: 'Designs that wait for a person. Only a person can decide them.',
    input: z.strictObject({}),
    args: () => ['gates', 'list', '--json'],
  }),
  defineTool({
    name: 'read_gate',
    description: 'What the reviewer of a design is shown: changes, checks, cost, questions.',
    input: z.strictObject({
      ...runInput,
      gate: z
        .string()
        .regex(/^HITL-1\.r[1-9]\d{0,3}$/)
        .optional(),
    }),
    args: (input) => ['gates', 'show', input.run, ...(input.gate === undefined ? [] : [input.gate]), '--markdown'],
  }),
  defineTool({
    name: 'check_scenario',
    description: 'Checks all that a run of a scenario needs and forecasts its cost. Writes nothing, costs nothing.',
    input: z.strictObject({ scenario: RunId }),
    args: (input) => ['validate', input.scenario, '--json'],
  }),
];

/** Tools that change something or cost money, as STARTING ones do: they are not offered with --read-only. */
export const ACTING: readonly CliTool[] = [
  defineTool({
    name: 'comment_gate',
    description:
      'Says something to the people who review a design that waits. They see that an agent says it. It decides nothing.',
    input: z.strictObject({
      ...runInput,
      comment: z.string().min(1).max(4000).describe('Name rules: "R4 and R7 contradict each other."'),
      digest: z
        .string()
        .regex(/^[0-9a-f]{12,64}$/)
        .optional()
        .describe('of the design that you read'),
    }),
    args: (input) => [
      ...['gates', 'comment', input.run, `--comment=${input.comment}`, '--json'],
      ...toFlagArgs('digest', input.digest),
    ],
  }),
  defineTool({
    name: 'pause_run',
    description: 'Stops a run where it is; it can go on later.',
    input: z.strictObject(runInput),
    args: (input) => ['pause', input.run, '--json'],
  }),
  defineTool({
    name: 'cancel_run',
    description: 'Ends a run for good; its folder stays.',
    input: z.strictObject({ ...runInput, why: z.string().min(1).max(2000) }),
    args: (input) => ['cancel', input.run, `--comment=${input.why}`, '--json'],
  }),
];

/** Tools for work that takes hours: they start it and return at once. */
export const STARTING: readonly CliTool[] = [
  defineTool({
    name: 'start_run',
    description:
      'Starts a run of a scenario and comes back at once with its id. It costs money, at most budget_usd, and stops at the gate where a person decides.',
    input: z.strictObject({ scenario: RunId, budget_usd: z.number().positive().max(1000), profile: RunId.optional() }),
    args: (input) => [
      ...['run', input.scenario, '--budget', String(input.budget_usd), '--yes', '--on-gate', 'exit', '--json'],
      ...toFlagArgs('profile', input.profile),
    ],
  }),
  defineTool({
    name: 'resume_run',
    description:
      'Goes on with a run that was paused or stopped, or whose gate a person has decided. Comes back at once.',
    input: z.strictObject(runInput),
    args: (input) => ['resume', input.run, '--on-gate', 'exit', '--json'],
  }),
];
