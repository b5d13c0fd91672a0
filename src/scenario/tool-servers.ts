/** The `tools:` of `scenario.yaml`: MCP servers whose tools the subject gets, each with a world to set and read. */
import { z } from 'zod';

/** The server's name, which is also the key of its state in the world. */
export const ServerName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,23}$/, 'a server has a short name of small letters, digits and dashes');
export const Variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable, not its value');

const Command = z.array(z.string().min(1)).min(1);
const ByTool = z.strictObject({
  tool: z.string().min(1).describe('A tool of the server itself; no subject may call it.'),
});

const Reset = z.union([
  ByTool,
  z.strictObject({
    command: Command.describe('A program that gets the state as JSON on its standard input.'),
    restart: z.boolean().default(true).describe('Whether the server is ended before it and started after it.'),
  }),
]);
/** `none`: no call changes anything, so there is no state; the proof checks that gold gets the same answers twice. */
const State = z.union([
  ByTool,
  z.strictObject({ command: Command.describe('A program that writes the state as JSON to its standard output.') }),
  z.literal('none').describe('The server changes nothing.'),
]);
export type Reset = z.infer<typeof Reset>;
export type StateReader = z.infer<typeof State>;

export const WorldServer = z
  .strictObject({
    name: ServerName.describe('Its name, and the key of the world under which its state is.'),
    command: Command.optional().describe(
      'The program and its arguments; {dir} is a folder that each of its processes has to itself.',
    ),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('The address of one that runs already: one conversation at a time.'),
    env: z
      .array(Variable)
      .default([])
      .describe('Names of the environment variables that it gets in addition to PATH and HOME.'),
    headers: z
      .record(z.string(), Variable)
      .default({})
      .describe('Header: the environment variable that holds its whole value.'),
    reset: Reset.optional().describe('How it is set to a state: {tool} is called with {world}, {command} reads it.'),
    state: State.optional().describe(
      'How its state is read: {tool} or {command}, whose JSON is the state. none: it has none, as no call changes anything.',
    ),
    start_seconds: z
      .number()
      .positive()
      .max(300)
      .default(20)
      .describe('How long it may take to start, to be reset and to be read.'),
    call_seconds: z.number().positive().max(3600).default(30).describe('How long one call of a tool may take.'),
  })
  .superRefine(({ name, command, url, env, headers, reset, state }, context) => {
    const refuse = (key: string, message: string): void => context.addIssue({ code: 'custom', path: [key], message });
    if ((command === undefined) === (url === undefined))
      refuse('command', `the server "${name}" needs command or url, one of both`);
    if (url !== undefined && env.length > 0)
      refuse('env', `the server "${name}" is an address: what it is given are headers`);
    if (command !== undefined && Object.keys(headers).length > 0)
      refuse('headers', `the server "${name}" is a program: what it is given is env`);
    const without = `the server "${name}" cannot be evaluated without it: each sample begins with a state of its own, and ends in one that is judged`;
    if (state === undefined) refuse('state', `${without}; state: none, where no call changes anything`);
    if (state !== 'none' && reset === undefined) refuse('reset', without);
    if (state === 'none' && reset !== undefined)
      refuse('reset', `the server "${name}" has no state (state: none), so there is nothing to set`);
  });
export type WorldServer = z.infer<typeof WorldServer>;

export const ScenarioTools = z.strictObject({
  mcp: z
    .array(WorldServer)
    .min(1)
    .refine((servers) => new Set(servers.map(({ name }) => name)).size === servers.length, 'two servers have one name')
    .describe('Servers of tools (Model Context Protocol) for the subject.'),
});
export type ScenarioTools = z.infer<typeof ScenarioTools>;

/** Lists the environment variables that a server needs. */
export function listVariables({ env, headers }: Pick<WorldServer, 'env' | 'headers'>): string[] {
  return [...env, ...Object.values(headers)];
}
