"""A stand-in for the part of pydantic that data models of tau2-bench use: fields, defaults, checked and converted values."""
import copy, functools, json, typing
from tau2_values import MISSING, Model, NotCarriedOver, ValidationError, bad, convert, dump


class FieldInfo:
    def __init__(self, default=MISSING, *, default_factory=None, alias=None, exclude=False, **rest):
        self.default = MISSING if default is ... else default
        self.default_factory, self.alias, self.exclude = default_factory, alias, exclude
        self.description, self.annotation = rest.get('description'), None

    def is_required(self):
        return self.default is MISSING and self.default_factory is None

    def make(self):
        return self.default_factory() if self.default_factory is not None else copy.deepcopy(self.default)


def Field(default=MISSING, **rest):
    return FieldInfo(default, **rest)


def ConfigDict(**settings):
    return settings


class ModelType(type):
    @property
    def model_fields(cls):
        return cls._fields()


class BaseModel(Model, metaclass=ModelType):
    model_config = {}

    @classmethod
    @functools.lru_cache(maxsize=None)
    def _fields(cls):
        found = {}
        hints = typing.get_type_hints(cls, include_extras=True)
        for name, kind in hints.items():
            if name.startswith('_') or name == 'model_config' or typing.get_origin(kind) is typing.ClassVar:
                continue
            given = getattr(cls, name, MISSING)
            noted = [m for m in getattr(kind, '__metadata__', ()) if isinstance(m, FieldInfo)]
            if isinstance(given, FieldInfo):
                field = given
            else:
                field = copy.copy(noted[0]) if noted else FieldInfo()
                if given is not MISSING:
                    field.default = given
            field.annotation = kind
            found[name] = field
        return found

    @classmethod
    def _from(cls, data, path=''):
        if not isinstance(data, dict):
            raise bad(path, cls.__name__, data)
        made = object.__new__(cls)
        made._fill(data, path)
        made.model_post_init(None)
        return made

    def _fill(self, data, path):
        cls, rest, faults = type(self), dict(data), []
        for name, field in cls._fields().items():
            key = field.alias if field.alias in rest else name
            at = '%s.%s' % (path, name) if path else name
            try:
                if key in rest:
                    vars(self)[name] = convert(field.annotation, rest.pop(key), at)
                elif field.is_required():
                    faults.append('%s: Field required' % at)
                else:
                    vars(self)[name] = field.make()
            except ValidationError as fault:
                faults.append(str(fault))
        extra = cls.model_config.get('extra', 'ignore')
        if rest and extra == 'forbid':
            faults.append('%s: Extra inputs are not permitted: %s' % (path or cls.__name__, ', '.join(map(str, rest))))
        if faults:
            raise ValidationError('; '.join(faults[:8]))
        if extra == 'allow':
            vars(self).update(rest)

    def __init__(self, **data):
        self._fill(data, '')
        self.model_post_init(None)

    def model_post_init(self, context):
        pass

    @classmethod
    def model_validate(cls, data, **how):
        return data if isinstance(data, cls) else cls._from(data)

    @classmethod
    def model_validate_json(cls, text, **how):
        return cls.model_validate(json.loads(text))

    def model_dump(self, *, mode='python', exclude=None, include=None, exclude_none=False, exclude_defaults=False,
                   exclude_unset=False, by_alias=False, **how):
        fields, answer = type(self)._fields(), {}
        for name, value in vars(self).items():
            field = fields.get(name)
            if name in (exclude or ()) or (include is not None and name not in include) or name.startswith('_'):
                continue
            if (exclude_none and value is None) or (field is not None and field.exclude):
                continue
            if exclude_defaults and field is not None and not field.is_required() and field.make() == value:
                continue
            key = field.alias if by_alias and field is not None and field.alias else name
            answer[key] = dump(value, mode, exclude_none=exclude_none, exclude_defaults=exclude_defaults, by_alias=by_alias)
        return answer

    dict = model_dump

    def model_dump_json(self, *, indent=None, **how):
        return json.dumps(self.model_dump(mode='json', **how), indent=indent, separators=None if indent else (',', ':'))

    json = model_dump_json

    def model_copy(self, *, update=None, deep=False):
        made = copy.deepcopy(self) if deep else copy.copy(self)
        vars(made).update(update or {})
        return made

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None

    def __repr__(self):
        return '%s(%s)' % (type(self).__name__, ', '.join('%s=%r' % pair for pair in vars(self).items()))

    def __str__(self):
        return ' '.join('%s=%r' % pair for pair in vars(self).items())

    def __iter__(self):
        return iter(vars(self).items())


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    raise NotCarriedOver('pydantic.%s is not carried over' % name)
