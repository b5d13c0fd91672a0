/** `tandem completion <shell>`: prints a script that completes commands, options, scenario names and run ids. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { usageError } from '../../errors.ts';
import { listNodes, toCommandNode, type CommandNode } from '../command-tree.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function completionCommand(shell: string, program: CommandUnknownOpts, io: Pick<Io, 'out'>): number {
  if (!Object.hasOwn(SHELLS, shell)) throw usageError(`"${shell}": expected ${Object.keys(SHELLS).join(', ')}.`);
  io.out(SHELLS[shell as keyof typeof SHELLS](listNodes(toCommandNode(program))));
  return EXIT.met;
}

/** Folder patterns that the shell expands itself on each Tab, without starting Tandem. */
const PLACES: Readonly<Record<string, string>> = { scenario: 'scenarios/*/', run: 'scenarios/*/runs/*/' };

const quoteWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function bashScript(nodes: readonly CommandNode[]): string {
  const cases = (lines: string[]): string => lines.map((line) => `    ${line} ;;\n`).join('');
  const words = nodes.map(({ path, inner, options }) => {
    const names = inner.map((one) => one.path.split(' ').at(-1));
    return `${quoteWord(path)}) echo ${quoteWord([...names, ...options.map(({ long }) => long), '--help'].join(' '))}`;
  });
  const values = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ long, choices }) => `${quoteWord(`${path} ${long}`)}) echo ${quoteWord(choices.join(' ') || '-')}`),
  );
  const places = nodes.flatMap(({ path, args }) => {
    const place = PLACES[args[0]?.name.replace(/s$/, '') ?? ''];
    return place === undefined ? [] : [`${quoteWord(path)}) printf '%s\\n' ${place}`];
  });
  return `# Completion of tandem for bash; made by: tandem completion bash
_tandem_words() {
  case "$1" in
${cases(words)}  esac
}
_tandem_values() {
  case "$1" in
${cases(values)}  esac
}
_tandem_places() {
  case "$1" in
${cases(places)}  esac | sed -e '/\\*/d' -e 's,/$,,' -e 's,.*/,,'
}
_tandem() {
  local current="\${COMP_WORDS[COMP_CWORD]}" last="\${COMP_WORDS[COMP_CWORD-1]}" node='' word words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    words=" $(_tandem_words "$node") "
    case "$word" in -*) ;; *) case "$words" in *" $word "*) node="\${node:+$node }$word" ;; esac ;; esac
  done
  words="$(_tandem_values "$node $last")"
  if [ "$words" = - ]; then words=''
  elif [ -z "$words" ]; then words="$(_tandem_words "$node") $(_tandem_places "$node" 2>/dev/null)"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tandem tandem`;
}

/** zsh runs functions for bash, so one script is enough. In zsh `path` is PATH, so no variable has that name. */
function zshScript(nodes: readonly CommandNode[]): string {
  return `# Completion of tandem for zsh; in ~/.zshrc: eval "$(tandem completion zsh)"
autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bashScript(nodes)}`;
}

function fishScript(nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap(({ path, inner, options, args }) => {
    const seen = path.split(' ').filter((word) => word !== '');
    const here = seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ') || '__fish_use_subcommand';
    const names = inner.map((one) => one.path.split(' ').at(-1) ?? '');
    const before =
      seen.length > 0 && names.length > 0 ? `${here}; and not __fish_seen_subcommand_from ${names.join(' ')}` : here;
    const place = PLACES[args[0]?.name.replace(/s$/, '') ?? ''];
    return [
      ...inner.map(
        ({ does }, at) => `complete -c tandem -f -n ${quoteWord(before)} -a ${names[at]} -d ${quoteWord(does)}`,
      ),
      ...options.map(({ long, takesValue, choices, does }) => {
        const value = takesValue ? ` -r${choices.length > 0 ? ` -f -a ${quoteWord(choices.join(' '))}` : ''}` : '';
        return `complete -c tandem -n ${quoteWord(here)} -l ${long.replace(/^--/, '')}${value} -d ${quoteWord(does)}`;
      }),
      ...(place === undefined
        ? []
        : [`complete -c tandem -n ${quoteWord(here)} -a '(for one in ${place}; basename $one; end)'`]),
    ];
  });
  return ['# Completion of tandem for fish; made by: tandem completion fish', ...lines].join('\n');
}
