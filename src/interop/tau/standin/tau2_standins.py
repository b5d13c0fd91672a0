"""Puts the stand-ins where the copied sources look for them: pydantic, loguru, tau2.environment, tau2.utils."""
import os, sys, types


class Silent:
    def __getattr__(self, name):
        return lambda *args, **rest: self


def place(name, members, path=None):
    made = sys.modules.get(name) or types.ModuleType(name)
    vars(made).update(members)
    if path is not None:
        made.__path__ = path
    sys.modules[name] = made
    parent, _, child = name.rpartition('.')
    if parent:
        setattr(sys.modules[parent], child, made)


def install(here):
    import tau2_base
    import json
    with open(os.path.join(here, 'domain.json'), encoding='utf-8') as file:
        domain = json.load(file)['domain']
    base = {name: value for name, value in vars(tau2_base).items() if not name.startswith('_')}
    missing = lambda name: type(name, (tau2_base.BaseModel,), {'model_config': {'extra': 'allow'}})
    place('loguru', {'logger': Silent()})
    place('typing_extensions', {**{n: v for n, v in vars(__import__('typing')).items() if not n.startswith('_')}, 'override': lambda f: f})
    place('tau2', {}, [])
    for name in ('environment', 'utils', 'data_model', 'domains'):
        place('tau2.' + name, base if name == 'utils' else {}, [])
    for name in ('environment.toolkit', 'environment.db', 'environment.environment', 'environment.tool', 'utils.utils', 'utils.pydantic_utils', 'utils.io_utils'):
        place('tau2.' + name, base)
    place('tau2.data_model.tasks', {name: missing(name) for name in ('Task', 'EnvAssertion', 'EnvFunctionCall')})
    place('tau2.data_model.message', {name: missing(name) for name in ('Message', 'ToolCall', 'ToolMessage')})
    place('tau2.domains.' + domain, {}, [os.path.join(here, 'domain')])
