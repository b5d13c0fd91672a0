"""What a copied toolkit offers, and what of its sources cannot be carried over, with file and line."""
import ast, enum, inspect, os, re, sys, typing

HERE = os.path.dirname(os.path.abspath(__file__))
if HERE not in sys.path:
    sys.path.insert(0, HERE)

import tau2_runner
from pydantic import BaseModel, FieldInfo
from tau2_base import ToolType, tool_names
from tau2_values import UNIONS

PLAIN = {str: 'string', int: 'integer', float: 'number', bool: 'boolean', type(None): 'null'}


def schema(kind, depth=0):
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if depth > 12 or kind in (typing.Any, inspect.Parameter.empty):
        return {}
    if origin is typing.Annotated:
        told = [m.description for m in args[1:] if isinstance(m, FieldInfo) and m.description]
        return {**schema(args[0], depth), **({'description': told[0]} if told else {})}
    if origin is typing.Literal:
        return {'enum': list(args)}
    if origin in UNIONS:
        return {'anyOf': [schema(a, depth + 1) for a in args]}
    base = origin or kind
    if base in PLAIN:
        return {'type': PLAIN[base]}
    if base is dict:
        return {'type': 'object', **({'additionalProperties': schema(args[1], depth + 1)} if len(args) == 2 else {})}
    if base in (list, tuple, set, frozenset):
        return {'type': 'array', **({'items': schema(args[0], depth + 1)} if args else {})}
    if isinstance(base, type) and issubclass(base, enum.Enum):
        return {'enum': [member.value for member in base]}
    if isinstance(base, type) and issubclass(base, BaseModel):
        fields = base.model_fields
        described = {n: {**schema(f.annotation, depth + 1), **({'description': f.description} if f.description else {})} for n, f in fields.items()}
        return {'type': 'object', 'properties': described, 'required': [n for n, f in fields.items() if f.is_required()]}
    return {'type': 'string'}


def told(doc):
    """The text of a docstring up to its sections, and what its Args say."""
    text = inspect.cleandoc(doc or '')
    head = re.split(r'\n\s*(?:Args|Arguments|Returns|Raises|Yields|Examples?):', text)[0].strip()
    section = re.search(r'(?:^|\n)(?:Args|Arguments):\n((?:[ \t]+.*\n?|\n)*)', text)
    args, name = {}, None
    for line in (section.group(1) if section else '').split('\n'):
        match = re.match(r'\s{2,4}(\w+)\s*(?:\([^)]*\))?:\s*(.*)', line)
        if match:
            name = match.group(1)
            args[name] = match.group(2).strip()
        elif name and line.strip():
            args[name] += ' ' + line.strip()
    return head, args


def tool(kit, name):
    method = inspect.getattr_static(kit, name)
    kind, changes = method.tandem_tool
    head, args = told(method.__doc__)
    hints = typing.get_type_hints(method, include_extras=True)
    properties, required, open_ended = {}, [], False
    for key, parameter in list(inspect.signature(method).parameters.items())[1:]:
        if parameter.kind is parameter.VAR_KEYWORD:
            open_ended = True
            continue
        described = schema(hints.get(key, parameter.annotation))
        if parameter.default is None and described:
            described = {'anyOf': [described, {'type': 'null'}]}
        properties[key] = {**described, **({'description': args[key]} if key in args else {})}
        if parameter.default is parameter.empty:
            required.append(key)
    shape = {'type': 'object', 'properties': properties, 'required': required, **({} if open_ended else {'additionalProperties': False})}
    return {'name': name, 'description': head or name.replace('_', ' '), 'changes': bool(changes), 'input_schema': shape, 'kind': ToolType(kind).value}


def describe(world):
    """Loads everything; the worlds come back as the models write them."""
    kits = tau2_runner.opened(world)
    tau2_runner.sync(kits)
    tau2_runner.save(kits, world)
    return {side: [tool(type(kit), name) for name in tool_names(type(kit))] for side, kit in kits.items()}


def toml(text):
    try:
        import tomllib
    except ImportError:
        raise RuntimeError('reading TOML needs Python 3.11 or newer; this is %d.%d' % sys.version_info[:2])
    from pydantic import dump
    return dump(tomllib.loads(text), 'json')


CHANCE = {('uuid', 'uuid1'), ('uuid', 'uuid4'), ('time', 'time'), ('datetime', 'now'), ('datetime', 'today'), ('datetime', 'utcnow'), ('date', 'today')}
UNSUPPORTED = {'field_validator', 'model_validator', 'validator', 'root_validator', 'computed_field', 'field_serializer', 'model_serializer', 'validate_call', 'TypeAdapter', 'RootModel', 'create_model', 'PrivateAttr', 'Discriminator', 'StringConstraints', 'constr', 'conint', 'EmailStr'}
CHECKS = {'gt', 'ge', 'lt', 'le', 'pattern', 'min_length', 'max_length', 'multiple_of', 'discriminator'}
KEPT = {'__init__', 'sync_tools'}


def scan(sources):
    """Constructs that are not carried over, or only in part: [file:line, what]."""
    found = []
    for path, text in sorted(sources.items()):
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            found.append(['%s:%s' % (path, error.lineno), 'is no Python of this version (%s)' % error.msg, True])
            continue
        is_environment = path.endswith('/environment.py')
        for node in ast.walk(tree):
            for what, stops in findings(node, is_environment):
                found.append(['%s:%d' % (path, node.lineno), what, stops])
    return found


def findings(node, is_environment):
    if isinstance(node, ast.ImportFrom) and node.module == 'pydantic':
        for alias in node.names:
            if alias.name in UNSUPPORTED:
                yield 'pydantic.%s is not carried over' % alias.name, True
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or '']
        for name in names:
            root = name.split('.')[0]
            known = root in ('pydantic', 'loguru', 'typing_extensions', 'tau2') or root in getattr(sys, 'stdlib_module_names', {root})
            if not known and getattr(node, 'level', 0) == 0:
                yield 'the package "%s" is not there when the tools run' % root, True
    if is_environment:
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and member.name not in KEPT:
                    yield '%s.%s (line %d) is not carried over: of an environment only sync_tools is' % (node.name, member.name, member.lineno), False
        return
    if isinstance(node, ast.AsyncFunctionDef):
        yield 'async def %s: tools are called without waiting' % node.name, True
    if isinstance(node, ast.FunctionDef):
        for mark in node.decorator_list:
            name = getattr(getattr(mark, 'func', mark), 'id', '')
            if name == 'is_discoverable_tool':
                yield '%s is offered like any other tool, and has not to be discovered' % node.name, False
        if node.name in ('use_tool', 'get_tools'):
            yield 'the toolkit\'s own %s is not called: tools are called by their name' % node.name, False
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Name) and function.id == 'open':
            yield 'opens a file; none is there when the tools run', False
        if isinstance(function, ast.Name) and function.id == 'Field':
            checks = sorted(k.arg for k in node.keywords if k.arg in CHECKS)
            if checks:
                yield 'Field(%s) is not checked' % ', '.join(checks), False
        if isinstance(function, ast.Attribute):
            owner = getattr(function.value, 'id', getattr(function.value, 'attr', ''))
            if (owner, function.attr) in CHANCE or owner in ('random', 'secrets'):
                yield '%s.%s answers otherwise each time; what a tool answers must not depend on it' % (owner, function.attr), False
