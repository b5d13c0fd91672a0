# Example command lines for the help of each command, as somebody would type them; a test parses all of them.

# tandem
tandem init my-desk   # a new scenario that runs at once
tandem init my-desk --agent "python3 agent.py"   # an evaluation of an agent that is there
tandem run refund-desk --profile demo   # the main job, offline, with the shipped scenario
tandem run refund-desk --on-gate exit   # stops at HITL-1 with exit code 4 and says how to go on

# tandem run
tandem run refund-desk --profile demo   # offline, without a key; a policy answers the gate
tandem run my-desk --dry-run   # check everything and forecast the cost
tandem run my-desk --budget 5 --on-gate exit   # at most $5; stop where a person must decide
tandem run my-desk --id nightly --continue --max-minutes 50   # the same line in every slice of a CI job

# tandem validate
tandem validate refund-desk --profile demo   # all findings at once, exit code 2 when there is one
tandem validate scenarios/my-desk --json   # the same for a program

# tandem batch
tandem batch 'scenarios/*' --runs 5 --budget 40   # every scenario five times, at most $40 together
tandem batch 'scenarios/*' --dry-run   # what it would cost
tandem batch --resume nightly --budget 60   # go on under a higher cap
tandem batch 'scenarios/*' --cron '0 2 * * *' --time-zone Europe/Berlin --id nightly   # every night, begun by a worker

# tandem resume
tandem resume 20261120   # the run whose id begins so
tandem resume 20261120 --raise 5   # with $5 more
tandem resume 20261120 --take scenario.yaml   # with the repaired subject

# tandem status
tandem status   # all runs of this project
tandem status 20261120 --json   # one run, for a program

# tandem report
tandem report 20261120   # as Markdown
tandem report 20261120 --format html   # the page for a browser

# tandem upgrade-check
tandem upgrade-check   # before workers of a new version touch old runs

# tandem pause
tandem pause 20261120 --comment "until Monday"   # paid answers are saved

# tandem cancel
tandem cancel 20261120 --comment "wrong brief"   # for good; the folder stays

# tandem fork
tandem fork 20261120 --at 4   # a new run from that event; without --at, from the last possible one

# tandem copy
tandem copy 20261120 --to postgres://tandem@db.example/tandem   # from a folder into a store
tandem copy 'nightly-*' --to ../archive   # into another project, run after run

# tandem store migrate
tandem store migrate   # after an upgrade, when the older workers are stopped

# tandem store sweep
tandem store sweep --dry-run   # how much room earlier versions of files take

# tandem verify
tandem verify 20261120   # exit code 1 when something is not as it was written

# tandem gates list
tandem gates list   # oldest first
tandem gates list --batch nightly   # and which of them read the same

# tandem gates show
tandem gates show 20261120   # the newest gate of a run
tandem gates show 20261120 HITL-1.r1 --diff   # an earlier one, with every changed line

# tandem gates drill
tandem gates drill refund-desk   # practise on a copy of an approved design with one planted defect

# tandem gates review
tandem gates review   # gate after gate, with the keys of the page

# tandem gates approve
tandem gates approve 20261120 --digest 3f9c0a1b2c3d   # the design that you read
tandem gates approve 20261120 --digest 3f9c0a1b2c3d --accept   # although a machine check found something

# tandem gates comment
tandem gates comment 20261120 --comment "R4 and R7 contradict each other"   # before somebody decides
tandem gates comment 20261120 --to bob --comment "You know gift cards"   # bob is asked to decide

# tandem gates undo
tandem gates undo 20261120 --comment "read the wrong file"   # until the next step pays

# tandem gates request-changes
tandem gates request-changes 20261120 --digest 3f9c0a1b2c3d --comment "R4: 30 days, not 14"   # back to Init

# tandem gates reject
tandem gates reject 20261120 --digest 3f9c0a1b2c3d --comment "not this product"   # the run ends

# tandem notices list
tandem notices list   # the channels, and what could not be delivered

# tandem notices test
tandem notices test   # one message through every channel

# tandem chat
tandem chat 20261120   # type questions to Init about its design
tandem chat 20261120 --message "Why is R4 so strict?"   # one question, one answer

# tandem context show
tandem context show 20261120 execute   # what Execute sees, and each compaction

# tandem context replay
tandem context replay session.jsonl --policy two-agent layered   # two policies on one conversation

# tandem rejudge
tandem rejudge 20261120   # all traces of its last iteration
tandem rejudge results.json   # recordings of a benchmark

# tandem trace
tandem trace 20261120 late-refund   # what the subject said and called, with time, tokens and cost
tandem trace 20261120 late-refund --call 3 --json --raw   # one request and its answer, byte for byte

# tandem rerun
tandem rerun 20261120 late-refund   # one trial again from its trace, without a model

# tandem evaluate
tandem evaluate my-desk --limit 5   # the first five samples, without an agent
tandem evaluate my-desk --subject gold   # every gold path, without a model

# tandem verify-components
tandem verify-components scenarios/my-desk/runs/20261120/execution_outputs/iteration_1   # those of an iteration
tandem verify-components components --min-strength 0.9   # fail when the proof notices less

# tandem label
tandem label 20261120   # one question after the other
tandem label 20261120 --report   # how far graders and people agree

# tandem plan samples
tandem plan samples --target 0.85   # how many are enough

# tandem statistics
tandem statistics 20261120   # rates with intervals

# tandem bless
tandem bless 20261120 --comment "release 4"   # hold later runs to it

# tandem compare
tandem compare 20261120   # exit code 1 on a regression

# tandem import
tandem import promptfoo promptfooconfig.yaml   # tests and assertions of promptfoo
tandem import inspect log.eval   # a log of Inspect

# tandem export
tandem export inspect 20261120 --out log.json   # for the viewer of Inspect

# tandem queue ls
tandem queue ls   # which workers there are, and what waits for them

# tandem queue why
tandem queue why 20261120   # why the run whose id begins so does not go on

# tandem queue schedules
tandem queue schedules   # which batches begin by themselves, and when next

# tandem queue schedule
tandem queue schedule nightly   # its starts, and how they ended
tandem queue schedule nightly --pause   # begins nothing until --resume
tandem queue schedule nightly --backfill 2026-11-20..2026-11-23   # what those nights would have begun

# tandem queue unschedule
tandem queue unschedule nightly   # no such batch begins any more

# tandem queue drain
tandem queue drain build-7-4711   # before that machine is taken away

# tandem worker
tandem worker --concurrency 4   # carry on whatever was handed over (TANDEM_QUEUE)

# tandem serve
tandem serve --listen 127.0.0.1:7420   # prints a link that signs you in

# tandem mcp
tandem mcp   # for the configuration of another agent

# tandem simulate
tandem simulate refund-desk --listen 127.0.0.1:7500   # the offline model for another process

# tandem doctor
tandem doctor   # what is missing, and how to get it

# tandem init
tandem init my-desk --title "My support desk"   # a new scenario that runs at once
tandem init my-agent --agent "python3 agent.py"   # an agent that you have, evaluated offline
tandem init my-agent --agent http://127.0.0.1:8080/turn   # the same for a service

# tandem runs archive
tandem runs archive --where 'state=succeeded older=30d'   # which would leave the lists; --yes does it

# tandem runs prune
tandem runs prune --older-than 90d --state failed   # which would be deleted; --yes deletes them

# tandem session
tandem session   # talk; /help lists the words
tandem session init --run 20261120   # with Init, and the files of a run
tandem session -p "What is in @notes.md?" --json   # one answer, for a script

# tandem sessions list
tandem sessions list --limit 10   # the newest

# tandem sessions show
tandem sessions show 20261120/execute   # one conversation

# tandem sessions export
tandem sessions export last --out talk.json   # what was said, and each call

# tandem sessions clean
tandem sessions clean --older-than 7d --dry-run   # what it would free
