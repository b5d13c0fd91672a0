/** Example command lines for the help of each command, as somebody would type them; a test parses all of them. */

/** Examples by command; the empty string is the program itself. Each has the words after `tandem` and what they do. */
export const EXAMPLES: Readonly<Record<string, readonly (readonly [line: string, does: string])[]>> = {
  '': [
    ['init my-desk', 'a new scenario that runs at once'],
    ['init my-desk --agent "python3 agent.py"', 'an evaluation of an agent that is there'],
    ['run refund-desk --profile demo', 'the main job, offline, with the shipped scenario'],
    ['run refund-desk --on-gate exit', 'stops at HITL-1 with exit code 4 and says how to go on'],
  ],
  run: [
    ['run refund-desk --profile demo', 'offline, without a key; a policy answers the gate'],
    ['run my-desk --dry-run', 'check everything and forecast the cost'],
    ['run my-desk --budget 5 --on-gate exit', 'at most $5; stop where a person must decide'],
    ['run my-desk --id nightly --continue --max-minutes 50', 'the same line in every slice of a CI job'],
  ],
  validate: [
    ['validate refund-desk --profile demo', 'all findings at once, exit code 2 when there is one'],
    ['validate scenarios/my-desk --json', 'the same for a program'],
  ],
  batch: [
    ["batch 'scenarios/*' --runs 5 --budget 40", 'every scenario five times, at most $40 together'],
    ["batch 'scenarios/*' --dry-run", 'what it would cost'],
    ['batch --resume nightly --budget 60', 'go on under a higher cap'],
    ["batch 'scenarios/*' --cron '0 2 * * *' --time-zone Europe/Berlin --id nightly", 'every night, begun by a worker'],
  ],
  resume: [
    ['resume 20261120', 'the run whose id begins so'],
    ['resume 20261120 --raise 5', 'with $5 more'],
    ['resume 20261120 --take scenario.yaml', 'with the repaired subject'],
  ],
  status: [
    ['status', 'all runs of this project'],
    ['status 20261120 --json', 'one run, for a program'],
  ],
  report: [
    ['report 20261120', 'as Markdown'],
    ['report 20261120 --format html', 'the page for a browser'],
  ],
  'upgrade-check': [['upgrade-check', 'before workers of a new version touch old runs']],
  pause: [['pause 20261120 --comment "until Monday"', 'paid answers are saved']],
  cancel: [['cancel 20261120 --comment "wrong brief"', 'for good; the folder stays']],
  fork: [['fork 20261120 --at 4', 'a new run from that event; without --at, from the last possible one']],
  copy: [
    ['copy 20261120 --to postgres://tandem@db.example/tandem', 'from a folder into a store'],
    ["copy 'nightly-*' --to ../archive", 'into another project, run after run'],
  ],
  'store migrate': [['store migrate', 'after an upgrade, when the older workers are stopped']],
  'store sweep': [['store sweep --dry-run', 'how much room earlier versions of files take']],
  verify: [['verify 20261120', 'exit code 1 when something is not as it was written']],
  'gates list': [
    ['gates list', 'oldest first'],
    ['gates list --batch nightly', 'and which of them read the same'],
  ],
  'gates show': [
    ['gates show 20261120', 'the newest gate of a run'],
    ['gates show 20261120 HITL-1.r1 --diff', 'an earlier one, with every changed line'],
  ],
  'gates drill': [['gates drill refund-desk', 'practise on a copy of an approved design with one planted defect']],
  'gates review': [['gates review', 'gate after gate, with the keys of the page']],
  'gates approve': [
    ['gates approve 20261120 --digest 3f9c0a1b2c3d', 'the design that you read'],
    ['gates approve 20261120 --digest 3f9c0a1b2c3d --accept', 'although a machine check found something'],
  ],
  'gates comment': [
    ['gates comment 20261120 --comment "R4 and R7 contradict each other"', 'before somebody decides'],
    ['gates comment 20261120 --to bob --comment "You know gift cards"', 'bob is asked to decide'],
  ],
  'gates undo': [['gates undo 20261120 --comment "read the wrong file"', 'until the next step pays']],
  'gates request-changes': [
    ['gates request-changes 20261120 --digest 3f9c0a1b2c3d --comment "R4: 30 days, not 14"', 'back to Init'],
  ],
  'gates reject': [['gates reject 20261120 --digest 3f9c0a1b2c3d --comment "not this product"', 'the run ends']],
  'notices list': [['notices list', 'the channels, and what could not be delivered']],
  'notices test': [['notices test', 'one message through every channel']],
  chat: [
    ['chat 20261120', 'type questions to Init about its design'],
    ['chat 20261120 --message "Why is R4 so strict?"', 'one question, one answer'],
  ],
  'context show': [['context show 20261120 execute', 'what Execute sees, and each compaction']],
  'context replay': [['context replay session.jsonl --policy two-agent layered', 'two policies on one conversation']],
  rejudge: [
    ['rejudge 20261120', 'all traces of its last iteration'],
    ['rejudge results.json', 'recordings of a benchmark'],
  ],
  trace: [
    ['trace 20261120 late-refund', 'what the subject said and called, with time, tokens and cost'],
    ['trace 20261120 late-refund --call 3 --json --raw', 'one request and its answer, byte for byte'],
  ],
  rerun: [['rerun 20261120 late-refund', 'one trial again from its trace, without a model']],
  evaluate: [
    ['evaluate my-desk --limit 5', 'the first five samples, without an agent'],
    ['evaluate my-desk --subject gold', 'every gold path, without a model'],
  ],
  'verify-components': [
    ['verify-components scenarios/my-desk/runs/20261120/execution_outputs/iteration_1', 'those of an iteration'],
    ['verify-components components --min-strength 0.9', 'fail when the proof notices less'],
  ],
  label: [
    ['label 20261120', 'one question after the other'],
    ['label 20261120 --report', 'how far graders and people agree'],
  ],
  'plan samples': [['plan samples --target 0.85', 'how many are enough']],
  statistics: [['statistics 20261120', 'rates with intervals']],
  bless: [['bless 20261120 --comment "release 4"', 'hold later runs to it']],
  compare: [['compare 20261120', 'exit code 1 on a regression']],
  import: [
    ['import promptfoo promptfooconfig.yaml', 'tests and assertions of promptfoo'],
    ['import inspect log.eval', 'a log of Inspect'],
  ],
  export: [['export inspect 20261120 --out log.json', 'for the viewer of Inspect']],
  'queue ls': [['queue ls', 'which workers there are, and what waits for them']],
  'queue why': [['queue why 20261120', 'why the run whose id begins so does not go on']],
  'queue schedules': [['queue schedules', 'which batches begin by themselves, and when next']],
  'queue schedule': [
    ['queue schedule nightly', 'its starts, and how they ended'],
    ['queue schedule nightly --pause', 'begins nothing until --resume'],
    ['queue schedule nightly --backfill 2026-11-20..2026-11-23', 'what those nights would have begun'],
  ],
  'queue unschedule': [['queue unschedule nightly', 'no such batch begins any more']],
  'queue drain': [['queue drain build-7-4711', 'before that machine is taken away']],
  worker: [['worker --concurrency 4', 'carry on whatever was handed over (TANDEM_QUEUE)']],
  serve: [['serve --listen 127.0.0.1:7420', 'prints a link that signs you in']],
  mcp: [['mcp', 'for the configuration of another agent']],
  simulate: [['simulate refund-desk --listen 127.0.0.1:7500', 'the offline model for another process']],
  doctor: [['doctor', 'what is missing, and how to get it']],
  init: [
    ['init my-desk --title "My support desk"', 'a new scenario that runs at once'],
    ['init my-agent --agent "python3 agent.py"', 'an agent that you have, evaluated offline'],
    ['init my-agent --agent http://127.0.0.1:8080/turn', 'the same for a service'],
  ],
  'runs archive': [["runs archive --where 'state=succeeded older=30d'", 'which would leave the lists; --yes does it']],
  'runs prune': [['runs prune --older-than 90d --state failed', 'which would be deleted; --yes deletes them']],
  session: [
    ['session', 'talk; /help lists the words'],
    ['session init --run 20261120', 'with Init, and the files of a run'],
    ['session -p "What is in @notes.md?" --json', 'one answer, for a script'],
  ],
  'sessions list': [['sessions list --limit 10', 'the newest']],
  'sessions show': [['sessions show 20261120/execute', 'one conversation']],
  'sessions export': [['sessions export last --out talk.json', 'what was said, and each call']],
  'sessions clean': [['sessions clean --older-than 7d --dry-run', 'what it would free']],
};

/** Formats the examples for a help page. */
export function exampleLines(path: string): string[] {
  const lines = EXAMPLES[path] ?? [];
  const width = Math.min(56, Math.max(...lines.map(([line]) => line.length)));
  return lines.map(([line, does]) => `  tandem ${line.padEnd(width)}   ${does}`);
}
