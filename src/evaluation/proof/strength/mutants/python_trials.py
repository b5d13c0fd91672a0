"""Runs a Python component on inputs, and its mutants where it stands below `python_mutants.py`; it runs in the sandbox."""
import json, marshal, os, time
from python_mutants import PATH, SOURCE, all_places

def compiled(number):
    if number == 0:
        return compile(SOURCE, PATH, 'exec', dont_inherit=True)
    # Not above: a component that is alone needs neither this nor the finder.
    import ast
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

def unpacked(given):
    """The inputs that `packInputs` packed, each in a form of which a copy is made fast: what is called may write into its own."""
    made = []
    def joined(value):
        if isinstance(value, list):
            return [made[number] for number in value]
        return {name: made[number] for name, number in value.items()}
    for part in given['parts']:
        made.append(joined(part['value']) if part['isSplit'] else part['value'])
    return [marshal.dumps(made[number]) for number in given['roots']]

def outcome_of(code, name, packed):
    try:
        space = {'__name__': __name__, '__file__': PATH}
        exec(code, space)
        args = marshal.loads(packed)
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

def tryAll(given, ids, name):
    inputs = unpacked(given)
    original_code = compiled(0)
    original = [outcome_of(original_code, name, packed) for packed in inputs]
    compared = pass_of if name == 'check' else (lambda outcome: outcome)
    def tried(number):
        try:
            set_zone(number)
            code = compiled(max(number, 0))
        except BaseException:
            return 'invalid'
        words = False
        for index, packed in enumerate(inputs):
            outcome = outcome_of(code, name, packed)
            if compared(outcome) != compared(original[index]):
                return index
            words = words or outcome != original[index]
        return 'words' if words else 'same'
    answers = [pass_of(one) if name == 'check' else ('threw' if one == 'threw' else 'ok') for one in original]
    outcomes = [tried(number) for number in ids]
    set_zone(0)
    return {'original': answers, 'mutants': outcomes}
