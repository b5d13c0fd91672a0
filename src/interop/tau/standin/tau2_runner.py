"""Runs one tool of a copied toolkit on the world of a sample, and writes the world back."""
import importlib, json, os, sys, typing

HERE = os.path.dirname(os.path.abspath(__file__))
if HERE not in sys.path:
    sys.path.insert(0, HERE)

import tau2_standins
tau2_standins.install(HERE)

import tau2_values
from pydantic import BaseModel, NotCarriedOver, dump
from tau2_base import DB, Environment, ToolKitBase

with open(os.path.join(HERE, 'domain.json'), encoding='utf-8') as file:
    DOMAIN = json.load(file)['domain']
PACKAGE = 'tau2.domains.' + DOMAIN
SIDES = {'assistant': ('tools', 'data_model', 'agent'), 'user': ('user_tools', 'user_data_model', 'user')}


def module(name):
    path = os.path.join(HERE, 'domain', name + '.py')
    return importlib.import_module('%s.%s' % (PACKAGE, name)) if os.path.exists(path) else None


def defined(space, base):
    """The class of a module that stands for it: the last one that nothing else there is made from."""
    own = [c for c in vars(space).values() if isinstance(c, type) and issubclass(c, base) and c.__module__ == space.__name__]
    last = [c for c in own if not any(c is not other and issubclass(other, c) for other in own)]
    return last[-1] if last else None


def kit_of(side):
    """The toolkit of a side and its database, or nothing when the domain has none."""
    tools, models, _ = SIDES[side]
    space = module(tools)
    kit = None if space is None else defined(space, ToolKitBase)
    if kit is None:
        return None
    hinted = typing.get_type_hints(kit).get('db') or typing.get_type_hints(kit.__init__).get('db')
    options = [c for c in (hinted, *typing.get_args(hinted)) if isinstance(c, type) and issubclass(c, BaseModel) and c is not DB]
    database = options[0] if options else None
    if database is None:
        found = module(models)
        database = None if found is None else defined(found, DB)
    return kit, database


def opened(world, later=False):
    """later: records of large tables are read when they are asked for; for worlds that the models have written."""
    tau2_values.settings['later'] = later
    kits = {}
    for side, (_, _, key) in SIDES.items():
        pair = kit_of(side)
        if pair is not None:
            kit, database = pair
            kits[side] = kit(None if database is None else database.model_validate(world.get(key, {})))
    return kits


def sync(kits):
    space = module('environment')
    kind = None if space is None else defined(space, Environment)
    if kind is not None and 'sync_tools' in vars(kind):
        environment = object.__new__(kind)
        Environment.__init__(environment, DOMAIN, '', kits.get('assistant'), kits.get('user'))
        environment.sync_tools()


def save(kits, world):
    for side, kit in kits.items():
        if kit.db is not None:
            world[SIDES[side][2]] = kit.db.model_dump(mode='json')


def begin(world, actions):
    """The start of a task: what it calls before the conversation begins. Answers with what those calls raised."""
    kits, faults = opened(world), []
    for action in actions:
        name = action['func_name']
        try:
            getattr(kits[action['env_type']], name)(**(action.get('arguments') or {}))
        except Exception as error:
            faults.append('%s: %s' % (name, error))
        sync(kits)
    save(kits, world)
    return faults


def holds(world, assertion):
    """What is wrong with an end by one predicate of a task, or nothing."""
    kits = opened(world, later=True)
    sync(kits)
    name = assertion['func_name']
    try:
        value = getattr(kits[assertion['env_type']], name)(**(assertion.get('arguments') or {}))
    except Exception as error:
        return '%s: %s' % (name, error)
    wanted = assertion.get('assert_value', True)
    return None if bool(value) == wanted else '%s is %s: %s' % (name, value, assertion.get('message') or assertion.get('arguments'))


def run(side, name, arguments, world):
    """As the benchmark does it: what a tool raises is an answer, and what it has changed before stays changed."""
    kits = opened(world, later=True)
    sync(kits)
    if side not in kits:
        raise NotCarriedOver('the domain has no toolkit of the %s' % side)
    try:
        answer = dump(getattr(kits[side], name)(**arguments), 'json')
    except Exception as error:
        answer = {'error': str(error) or type(error).__name__}
    sync(kits)
    save(kits, world)
    return answer
