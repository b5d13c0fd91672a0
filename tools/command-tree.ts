/** The commands as data, from which the man page and the command reference are made. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { EXAMPLES } from '../src/cli/examples.ts';
import { getCommandPath } from '../src/cli/program.ts';
import { omitUndefined } from '../src/omit-undefined.ts';

export type CommandNode = {
  /** Path without the program name, such as `gates approve`; the empty string is the program itself. */
  path: string;
  does: string;
  /** Written as in a usage line: `<run> [gate]`. */
  args: { name: string; shown: string; does: string }[];
  options: { flags: string; long: string; takesValue: boolean; does: string; choices: string[]; default?: string }[];
  examples: readonly (readonly [line: string, does: string])[];
  inner: CommandNode[];
};

/** Builds the tree of a command and its subcommands; for the program, the tree of all commands. */
export function toCommandNode(command: CommandUnknownOpts): CommandNode {
  const path = getCommandPath(command);
  return {
    path,
    does: command.description(),
    args: command.registeredArguments.map((arg) => {
      const name = arg.name() + (arg.variadic ? '...' : '');
      return { name: arg.name(), shown: arg.required ? `<${name}>` : `[${name}]`, does: arg.description };
    }),
    options: command.options
      .filter(({ hidden }) => !hidden)
      .map(({ flags, long, required, optional, description, argChoices, defaultValue }) => ({
        ...{ flags, long: long ?? flags, takesValue: required || optional, does: description },
        choices: argChoices ?? [],
        ...omitUndefined({ default: typeof defaultValue === 'string' ? defaultValue : undefined }),
      })),
    examples: EXAMPLES[path] ?? [],
    inner: command.commands.map(toCommandNode),
  };
}

/** Lists a node and all nodes below it, parents before children. */
export function listNodes(node: CommandNode): CommandNode[] {
  return [node, ...node.inner.flatMap(listNodes)];
}
