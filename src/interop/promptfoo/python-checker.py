"""The assertions in Python of the imported promptfoo suite, by sample."""
import inspect
import json
import re

checker = {
    "id": "asserts-python",
    "description": "What the subject says last satisfies the assertions in Python of the promptfoo suite.",
    "rules": ["R1"],
    # The suite compares words letter by letter.
    "exact_words": True,
}

TESTS = json.loads('{{tests}}')

# Code of the suite itself: a text, its file, and the function of it that is called.
CODE = json.loads('{{code}}')

NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?))")
OPTIONAL = {"namedScores": (dict, list, type(None)), "tokensUsed": (dict, list, type(None)),
            "componentResults": (list,), "comment": (str,)}
SNAKE = {"pass_": "pass", "named_scores": "namedScores", "component_results": "componentResults",
         "tokens_used": "tokensUsed"}


def run(place, output, context):
    """Loads the code anew, calls its function, and returns its answer as JSON hands it on."""
    source, path, name = CODE[place]
    module = {"__name__": path.rsplit("/", 1)[-1].removesuffix(".py"), "__file__": path}
    exec(compile(source, path, "exec", dont_inherit=True), module)
    first, *rest = name.split(".")
    called = module[first]
    for part in rest:
        called = getattr(called, part)
    found = called(output, context)
    if inspect.iscoroutine(found):
        found = finish(found)
    return json.loads(json.dumps(found, allow_nan=False))


def finish(coroutine):
    """Nothing here can be waited for, so a coroutine either ends at once or cannot be run."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    coroutine.close()
    raise RuntimeError("it waits for something that a checker does not have")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def read_verdict(answer, threshold, negated):
    """The pass and the score of an answer; raises for an answer that promptfoo does not accept."""
    if isinstance(answer, str) and answer.lower() in ("true", "false"):
        answer = answer.lower() == "true"
    if isinstance(answer, bool):
        return answer != negated, 1 if answer != negated else 0
    if isinstance(answer, str) and answer.startswith("{"):
        answer = json.loads(answer)
    if isinstance(answer, dict):
        whole = {**{SNAKE[key]: value for key, value in answer.items() if key in SNAKE}, **answer}
        passed, score, reason = (whole.get(key) for key in ("pass", "score", "reason"))
        fits = all(isinstance(whole[key], kinds) for key, kinds in OPTIONAL.items() if key in whole)
        if not (isinstance(passed, bool) and is_number(score) and isinstance(reason, str) and fits):
            raise ValueError("an answer needs pass, score and reason")
        return (passed and not (threshold is not None and score < threshold)) != negated, score
    found = NUMBER.match(answer) if isinstance(answer, str) else None
    if found is None and not is_number(answer):
        raise ValueError("an answer is true, false, a number or an object")
    score = answer if found is None else float(found[1])
    return (score > 0 if threshold is None else score >= threshold) != negated, score


def judge(one, output, context):
    """An exception fails an assertion, negated or not."""
    given = {**context, "config": one["config"]} if "config" in one else context
    try:
        answer = run(one["code"], output, given)
        passed, score = read_verdict(answer, one.get("threshold"), one["type"].startswith("not-"))
    except BaseException as error:
        return False, 0, "%s: %s" % (type(error).__name__, error)
    return passed, score, "it answered %s" % json.dumps(answer)


def check(ctx):
    test = TESTS.get(ctx["sample"]["id"], {"asserts": []})
    asserts, threshold = test["asserts"], test.get("threshold")
    context = {"vars": test.get("vars", {}), "prompt": test.get("prompt")}
    judged = [judge(one, ctx["final"], json.loads(json.dumps(context))) for one in asserts]
    weights = [one.get("weight", 1) for one in asserts]
    total = sum(weights)
    score = sum(weight * found for weight, (_, found, _) in zip(weights, judged)) / total if total > 0 else 0
    held = all(passed for passed, _, _ in judged) if threshold is None else score >= threshold
    if held:
        return {"pass": True, "reason": "every assertion holds"}
    failed = [(one, why) for one, (passed, _, why) in zip(asserts, judged) if not passed]
    evidence = ["%s: %s" % (CODE[one["code"]][1], why) for one, why in failed]
    return {"pass": False, "reason": "%d of the assertions do not hold" % len(failed), "evidence": evidence}
