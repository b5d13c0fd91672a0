"""Plays listed calls on Python components and asks their checkers, many plays in one process; JSON in, JSON out."""

import json
import sys


def load(files):
    modules = {}
    for path, text in files.items():
        modules[path] = {"__name__": path}
        exec(compile(text, path, "exec"), modules[path])
    return modules


def copied(value):
    return json.loads(json.dumps(value, allow_nan=False))


def call_tool(modules, world, call):
    traced = {"step": call["step"], "tool": call["tool"], "input": call["args"]}
    if "by" in call:
        traced["by"] = call["by"]
    try:
        # Through JSON, as the harness sends it: what is no JSON must not pass here either.
        output = modules[f"tools/{call['tool']}.py"]["run"](copied(call["args"]), world)
        return {**traced, "output": copied(output), "is_error": False}
    except Exception as error:
        return {**traced, "output": f"{type(error).__name__}: {error}", "is_error": True}


def ask(modules, checker, ctx):
    try:
        answer = modules[f"checkers/{checker}.py"]["check"](json.loads(ctx))
        return {"checker": checker, "broken": False, "answer": copied(answer)}
    except Exception as error:
        return {"checker": checker, "broken": True, "answer": f"{type(error).__name__}: {error}"}


def play(modules, wanted):
    world = copied(wanted["world"])
    calls = []
    for call in wanted["calls"]:
        kept = json.dumps(world)
        calls.append(call_tool(modules, world, call))
        # A failed tool leaves the world as it was.
        if calls[-1]["is_error"]:
            world = json.loads(kept)
    after = wanted.get("after", world)
    trace = {"calls": calls, "says": wanted["says"]}
    final = wanted["says"][-1] if wanted["says"] else ""
    ctx = {"sample": wanted["sample"], "before": wanted["world"], "after": after, "trace": trace, "final": final}
    verdicts = [ask(modules, checker, json.dumps(ctx)) for checker in wanted["checkers"]]
    return {"calls": calls, "after": after, "verdicts": verdicts}


def describe(modules, folder, name):
    return [module[name] for path, module in sorted(modules.items()) if path.startswith(folder)]


def main():
    request = json.load(sys.stdin)
    modules = load(request["files"])
    answer = {
        "tools": describe(modules, "tools/", "tool"),
        "checkers": describe(modules, "checkers/", "checker"),
        "plays": [play(modules, wanted) for wanted in request["plays"]],
    }
    json.dump(answer, sys.stdout)


main()
