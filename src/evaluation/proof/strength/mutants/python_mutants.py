"""Finds the mutants of a Python component by Python's own `ast`: it runs in the sandbox, with `python_trials.py` below it."""
import ast, copy, re

# `python-mutants-module.ts` writes both again below: the component as text, and its path.
SOURCE, PATH = '', ''

FLIPPED = {
    ast.Lt: (ast.LtE, 'shift-boundary'), ast.LtE: (ast.Lt, 'shift-boundary'),
    ast.Gt: (ast.GtE, 'shift-boundary'), ast.GtE: (ast.Gt, 'shift-boundary'),
    ast.Eq: (ast.NotEq, 'drop-condition'), ast.NotEq: (ast.Eq, 'drop-condition'),
    ast.Is: (ast.IsNot, 'drop-condition'), ast.IsNot: (ast.Is, 'drop-condition'),
    ast.In: (ast.NotIn, 'drop-condition'), ast.NotIn: (ast.In, 'drop-condition'),
    ast.Add: (ast.Sub, 'shift-boundary'), ast.Sub: (ast.Add, 'shift-boundary'),
}
WORD = re.compile(r'^[\w.:/-]+$')

def is_spec(node):
    return isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in ('tool', 'checker') for t in node.targets)

def is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

def holder_of(node):
    value = node.value
    if isinstance(value, ast.Name):
        return value.id
    if isinstance(value, ast.Subscript):
        return key_of(value) or holder_of(value)
    return ast.dump(value)

def key_of(node):
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value
    return None

def get_key(node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == 'get' and node.args:
        first = node.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            return first.value
    return None

def fields_of(tree):
    fields = {}
    for node in ast.walk(tree):
        key = key_of(node)
        if key is not None:
            fields.setdefault(holder_of(node), set()).add(key)
        key = get_key(node)
        if key is not None:
            fields.setdefault(holder_of(node.func), set()).add(key)
    return fields

def other_field(fields, holder, key):
    known = sorted(fields.get(holder, {key}))
    following = known[(known.index(key) + 1) % len(known)] if key in known else key
    return following if following != key else key + '_'

def constant(value):
    return ast.Constant(value=value)

def replacements(node, fields):
    """(kind, new node) for a node."""
    found = []
    if isinstance(node, ast.If):
        for kind, changes in [('drop-condition', {'test': constant(True)}), ('empty-branch', {'body': [ast.Pass()]})] + (
                [('empty-branch', {'orelse': []})] if node.orelse else []):
            made = copy.copy(node)
            for name, value in changes.items():
                setattr(made, name, value)
            found.append((kind, made, node.test if 'test' in changes else (node.body if 'body' in changes else node.orelse)[0]))
    elif isinstance(node, ast.IfExp):
        found += [('drop-condition', node.body, node), ('drop-condition', node.orelse, node)]
    elif isinstance(node, ast.BoolOp):
        for index in range(len(node.values)):
            rest = node.values[:index] + node.values[index + 1:]
            made = rest[0] if len(rest) == 1 else ast.BoolOp(op=node.op, values=rest)
            found.append(('drop-condition', made, node))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        found.append(('drop-condition', node.operand, node))
    elif isinstance(node, ast.Compare):
        for index, op in enumerate(node.ops):
            other = FLIPPED.get(type(op))
            if other:
                ops = node.ops[:index] + [other[0]()] + node.ops[index + 1:]
                found.append((other[1], ast.Compare(left=node.left, ops=ops, comparators=node.comparators), node))
    elif isinstance(node, ast.BinOp):
        other = FLIPPED.get(type(node.op))
        if other:
            found.append((other[1], ast.BinOp(left=node.left, op=other[0](), right=node.right), node))
    elif isinstance(node, (ast.AugAssign, ast.Delete)) or (isinstance(node, ast.Expr) and not is_docstring(node)):
        found.append(('empty-branch', ast.Pass(), node))
    elif isinstance(node, ast.Assign) and any(isinstance(t, (ast.Subscript, ast.Attribute)) for t in node.targets):
        found.append(('empty-branch', ast.Pass(), node))
    elif isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, bool):
            found.append(('change-constant', constant(not value), node))
        elif isinstance(value, (int, float)):
            found.append(('shift-boundary', constant(value + 1), node))
        elif isinstance(value, str) and WORD.match(value):
            found.append(('change-constant', constant(value + '~'), node))
    if key_of(node) is not None:
        made = copy.copy(node)
        made.slice = constant(other_field(fields, holder_of(node), key_of(node)))
        found.append(('swap-field', made, node))
    if get_key(node) is not None:
        made = copy.copy(node)
        made.args = [constant(other_field(fields, holder_of(node.func), get_key(node)))] + node.args[1:]
        found.append(('swap-field', made, node))
    words_first = isinstance(node, ast.Call) and node.args and isinstance(node.args[0], (ast.Constant, ast.JoinedStr))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not words_first:
        for index, given in enumerate(node.args):
            if isinstance(given, (ast.Name, ast.Subscript)):
                made = copy.copy(node)
                made.args = node.args[:index] + [constant(None)] + node.args[index + 1:]
                found.append(('ignore-argument', made, given))
    return found

def shown(node):
    line = ' '.join(ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split())
    return line if len(line) <= 80 else line[:79] + '…'

def skipped(parent, field, child):
    if isinstance(child, ast.JoinedStr) or is_docstring(child) or is_spec(child):
        return True
    if isinstance(parent, ast.While) and field == 'test':
        return True
    if isinstance(parent, ast.Dict) and field == 'keys':
        return True
    # The key of a field is swapped, not changed.
    return key_of(parent) is not None and field == 'slice' or get_key(parent) is not None and field == 'args' and child is parent.args[0]

def names_in(node):
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}

def dead_constants(tree):
    """Top-level constants that only the spec names."""
    constants = [node for node in tree.body if isinstance(node, ast.Assign) and not is_spec(node)]
    live = [node for node in tree.body if not is_spec(node) and node not in constants]
    size = -1
    while size != len(live):
        size = len(live)
        named = set().union(*[names_in(node) for node in live])
        live += [node for node in constants if node not in live and any(named & names_in(target) for target in node.targets)]
    return [node for node in constants if node not in live]

def places(tree, fields):
    """(parent, field, index or None, kind, new, old) in the order of the text."""
    found = []
    dead = dead_constants(tree)
    def visit(parent):
        for field, value in ast.iter_fields(parent):
            several = isinstance(value, list)
            for index, child in enumerate(value if several else [value]):
                if not isinstance(child, ast.AST) or child in dead or skipped(parent, field, child):
                    continue
                for kind, made, old in replacements(child, fields):
                    found.append((parent, field, index if several else None, kind, made, old, child))
                visit(child)
    visit(tree)
    return found

_known = []

def all_places():
    if not _known:
        tree = ast.parse(SOURCE)
        _known.append((tree, places(tree, fields_of(tree))))
    return _known[0]

def is_refusal(branch):
    """A refusal raises, or returns a dict of which a value is False."""
    last = branch[-1]
    values = last.value.values if isinstance(last, ast.Return) and isinstance(last.value, ast.Dict) else []
    return isinstance(last, ast.Raise) or any(isinstance(one, ast.Constant) and one.value is False for one in values)

def guard_of(guards, kind, made, old, child):
    """The guard, or the part of one, that no path comes to where the mutant survives."""
    if kind == 'empty-branch' and isinstance(child, ast.If) and child in guards and old is child.body[0]:
        return {'line': child.lineno, 'says': f'`{shown(child.test)}`'}
    line = next((guard.lineno for guard in guards for part in ast.walk(guard.test) if part is child), None)
    if line is None:
        return None
    if kind == 'shift-boundary' and isinstance(child, ast.Compare):
        return {'line': line, 'says': f'`{shown(old)}` at its boundary'}
    return {'line': line, 'says': f'`{shown(old)}`, of which `{shown(made)}` is enough'} if isinstance(child, ast.BoolOp) else None

def mutants():
    tree, found = all_places()
    guards = [node for node in ast.walk(tree) if isinstance(node, ast.If) and is_refusal(node.body)]
    listed = []
    for parent, field, index, kind, made, old, child in found:
        now = made if not isinstance(made, ast.If) else (made.test if kind == 'drop-condition' else ast.Pass())
        one = {'kind': kind, 'line': getattr(old, 'lineno', 1), 'was': shown(old), 'now': shown(now)}
        guard = guard_of(guards, kind, made, old, child)
        listed.append(one if guard is None else {**one, 'guard': guard})
    return listed
