"""Runs a Python component and its mutants on inputs: it runs in the sandbox, below `python_mutants.py`."""
import ast, json, os, time
from python_mutants import PATH, SOURCE, all_places

def compiled(number):
    if number == 0:
        return compile(SOURCE, PATH, 'exec', dont_inherit=True)
    tree, found = all_places()
    parent, field, index, kind, made, old, child = found[number - 1]
    def put(value):
        if index is None:
            setattr(parent, field, value)
        else:
            getattr(parent, field)[index] = value
    for inner in ast.walk(made):
        ast.copy_location(inner, child) if not hasattr(inner, 'lineno') else None
    put(ast.copy_location(made, child))
    try:
        return compile(ast.fix_missing_locations(tree), PATH, 'exec', dont_inherit=True)
    finally:
        put(child)

def outcome_of(code, name, text):
    try:
        space = {'__name__': __name__, '__file__': PATH}
        exec(code, space)
        args = json.loads(text)
        value = space[name](*args)
        return json.dumps([value, args[1] if name == 'run' else None], sort_keys=True, allow_nan=False)
    except BaseException:
        return 'threw'

def pass_of(outcome):
    value = None if outcome == 'threw' else json.loads(outcome)[0]
    return str(value['pass']).lower() if isinstance(value, dict) and isinstance(value.get('pass'), bool) else 'broken'

def callAll(inputs, name):
    code = compiled(0)
    def called(text):
        try:
            space = {'__name__': __name__, '__file__': PATH}
            exec(code, space)
            args = json.loads(text)
            return {'value': space[name](*args), 'args': args}
        except BaseException:
            return None
    return [called(text) for text in inputs]

# Far ahead of UTC and far behind it, as POSIX writes them: a minus is east.
ZONES = {-1: 'EAST-13', -2: 'WEST+11'}

def set_zone(number):
    os.environ['TZ'] = ZONES.get(number, 'UTC')
    time.tzset()

def tryAll(inputs, ids, name):
    original_code = compiled(0)
    original = [outcome_of(original_code, name, text) for text in inputs]
    compared = pass_of if name == 'check' else (lambda outcome: outcome)
    def tried(number):
        try:
            set_zone(number)
            code = compiled(max(number, 0))
        except BaseException:
            return 'invalid'
        words = False
        for index, text in enumerate(inputs):
            outcome = outcome_of(code, name, text)
            if compared(outcome) != compared(original[index]):
                return index
            words = words or outcome != original[index]
        return 'words' if words else 'same'
    answers = [pass_of(one) if name == 'check' else ('threw' if one == 'threw' else 'ok') for one in original]
    outcomes = [tried(number) for number in ids]
    set_zone(0)
    return {'original': answers, 'mutants': outcomes}
