/** Commands about the model's context: show it, replay it under other policies. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../command-context.ts';
import { jsonOption } from '../options.ts';

export function addContextCommands(program: Command, { io, done }: CommandContext): void {
  const context = program.command('context').description('what the models are shown: see it, replay it');
  context
    .command('show')
    .description("the view of a run's agents as a picture: blocks by kind and age, the cut, the cache, every receipt")
    .argument('<run>')
    .argument('[agent]', 'default: every agent that has spoken')
    .addOption(jsonOption())
    .action((run, agent, options) =>
      done(import('./show.ts').then((its) => its.showContext({ run, agent }, options, io))),
    );
  context
    .command('replay')
    .description(
      'what each context policy would have done to a recorded conversation: faults, tokens, cost, facts retained',
    )
    .argument('<transcript>', 'JSONL of Tandem or Claude Code, or JSON messages (Anthropic or OpenAI); .gz too')
    .option('--policy <name...>', 'of config/context; default: all of them')
    .option('--model <id>', 'whose prices and window count', 'claude-opus-5-5')
    .option('--window <tokens>', "default: the model's")
    .addOption(jsonOption())
    .action((transcript, options) =>
      done(import('./replay.ts').then((its) => its.replayTranscript(transcript, options, io))),
    );
}
