"""A stand-in for the base classes that domains of tau2-bench are written on: toolkits, their decorator, the database."""
import hashlib, json, pathlib
from enum import Enum
from pydantic import BaseModel, NotCarriedOver

# Nothing lies there: the world of a sample comes from its file.
DATA_DIR = pathlib.PurePosixPath('/not-carried-over')


class ToolType(str, Enum):
    READ = 'read'
    WRITE = 'write'
    THINK = 'think'
    GENERIC = 'generic'


def is_tool(tool_type=ToolType.READ, mutates_state=None):
    def mark(method):
        method.tandem_tool = (tool_type, tool_type == ToolType.WRITE if mutates_state is None else mutates_state)
        return method
    return mark


# What an agent would have to discover first is offered like any other tool.
is_discoverable_tool = is_tool


class BaseModelNoExtra(BaseModel):
    model_config = {'extra': 'forbid'}


def deep_update(base, changes):
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            deep_update(base[key], value)
        else:
            base[key] = value
    return base


def update_pydantic_model_with_dict(model, changes):
    return type(model).model_validate(deep_update(model.model_dump(), changes))


def get_dict_hash(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def get_pydantic_hash(model, exclude=None):
    return get_dict_hash(model.model_dump(exclude=exclude))


def load_file(path, **how):
    raise NotCarriedOver('files are not there when a tool runs: %s' % path)


dump_file = load_file


class DB(BaseModelNoExtra):
    @classmethod
    def load(cls, path):
        return load_file(path)

    def get_hash(self):
        return get_pydantic_hash(self)

    def get_statistics(self):
        return {}


class ToolKitBase:
    def __init__(self, db=None):
        self.db = db

    @property
    def tools(self):
        return {name: getattr(self, name) for name in tool_names(type(self))}

    def use_tool(self, tool_name, **arguments):
        if tool_name not in self.tools:
            raise ValueError("Tool '%s' not found." % tool_name)
        return self.tools[tool_name](**arguments)

    def has_tool(self, tool_name):
        return tool_name in self.tools

    def tool_type(self, tool_name):
        return self.tools[tool_name].tandem_tool[0]

    def update_db(self, update_data=None):
        self.db = update_pydantic_model_with_dict(self.db, update_data or {})

    def get_db_hash(self):
        return self.db.get_hash()


class GenericToolKit(ToolKitBase):
    @is_tool(ToolType.THINK)
    def think(self, thought: str) -> str:
        """Writes a thought down and changes nothing.

        Args:
            thought: the thought
        """
        return ''

    @is_tool(ToolType.GENERIC)
    def calculate(self, expression: str) -> str:
        """Works out an expression.

        Args:
            expression: numbers, + - * / and parentheses, such as 2 + 2
        """
        if not all(character in '0123456789+-*/(). ' for character in expression):
            raise ValueError('Invalid characters in expression')
        return str(round(float(eval(expression, {'__builtins__': None}, {})), 2))


def tool_names(kit):
    names = {}
    for base in reversed(kit.__mro__):
        for name, member in vars(base).items():
            if hasattr(member, 'tandem_tool'):
                names[name] = True
            elif name in names:
                del names[name]
    return list(names)


class Environment:
    """Only what keeps the two worlds of a domain in step is carried over: sync_tools."""

    def __init__(self, domain_name, policy='', tools=None, user_tools=None, solo_mode=False, **rest):
        self.domain_name, self.policy, self.tools, self.user_tools = domain_name, policy, tools, user_tools
        self.solo_mode = solo_mode

    def sync_tools(self):
        pass
