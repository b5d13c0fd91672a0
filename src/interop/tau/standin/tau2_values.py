"""Values as the stand-in for pydantic checks them, converts them, and writes them out."""
import datetime, decimal, enum, pathlib, types, typing
from tau2_later import Later

MISSING = object()
UNIONS = (typing.Union, getattr(types, 'UnionType', typing.Union))


class NotCarriedOver(BaseException):
    """Not an Exception on purpose: a tool that catches everything must not hide it."""


class ValidationError(ValueError):
    pass


class Model:
    """What every data model is made from."""


def bad(path, wanted, value):
    shown = repr(value)
    return ValidationError('%s: expected %s, got %s' % (path or 'value', wanted, shown[:200]))


def literal(args, value, path):
    for choice in args:
        if type(choice) is type(value) and choice == value:
            return value
    raise bad(path, 'one of %s' % ', '.join(map(repr, args)), value)


def union(args, value, path):
    exact = [a for a in args if isinstance(a, type) and type(value) is a]
    faults = []
    for option in [*exact, *args]:
        try:
            return convert(option, value, path)
        except ValidationError as fault:
            faults.append(str(fault))
    raise ValidationError('; '.join(dict.fromkeys(faults)))


def number(kind, value, path):
    if isinstance(value, bool):
        return kind(value)
    if isinstance(value, str):
        try:
            return kind(value)
        except ValueError:
            raise bad(path, kind.__name__, value) from None
    if not isinstance(value, (int, float)) or (kind is int and value != int(value)):
        raise bad(path, kind.__name__, value)
    return kind(value)


def moment(kind, value, path):
    if kind is datetime.date and isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, kind):
        return value
    try:
        text = value[:-1] + '+00:00' if kind is not datetime.date and value.endswith('Z') else value
        return kind.fromisoformat(text)
    except (TypeError, ValueError, AttributeError):
        raise bad(path, kind.__name__, value) from None


def truth(value, path):
    if isinstance(value, bool):
        return value
    known = {'true': True, 'false': False, 'yes': True, 'no': False, 'on': True, 'off': False, '1': True, '0': False}
    if isinstance(value, (int, str)) and str(value).lower() in known:
        return known[str(value).lower()]
    raise bad(path, 'bool', value)


# Smaller tables are read at once, as pydantic does it.
LARGE = 16
# Records may be left as they lie only where they were written by the models themselves.
settings = {'later': False}


def container(origin, args, value, path):
    if origin is dict:
        if not isinstance(value, dict):
            raise bad(path, 'dict', value)
        key, item = args or (typing.Any, typing.Any)
        if settings['later'] and key is str and len(value) > LARGE and isinstance(item, type) and issubclass(item, Model):
            return Later(value, item, path)
        return {convert(key, k, path): convert(item, v, '%s.%s' % (path, k)) for k, v in value.items()}
    if not isinstance(value, (list, tuple, set, frozenset)):
        raise bad(path, origin.__name__, value)
    if origin is tuple and args and args[-1] is not ...:
        if len(args) != len(value):
            raise bad(path, '%d items' % len(args), value)
        return tuple(convert(a, v, '%s.%d' % (path, i)) for i, (a, v) in enumerate(zip(args, value)))
    item = args[0] if args else typing.Any
    return origin(convert(item, v, '%s.%d' % (path, i)) for i, v in enumerate(value))


def convert(kind, value, path=''):
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any or isinstance(kind, typing.TypeVar):
        return value
    if origin is typing.Annotated:
        return convert(args[0], value, path)
    if origin is typing.Literal:
        return literal(args, value, path)
    if origin in UNIONS:
        return union(args, value, path)
    if kind is None or kind is type(None):
        if value is None:
            return None
        raise bad(path, 'None', value)
    base = origin or kind
    if base in (dict, list, tuple, set, frozenset):
        return container(base, args, value, path)
    if not isinstance(base, type):
        raise NotCarriedOver('values of the type %r cannot be checked' % (kind,))
    if issubclass(base, Model):
        return value if isinstance(value, base) else base._from(value, path)
    if isinstance(value, base) and not (isinstance(value, bool) and base in (int, float)):
        return value
    if issubclass(base, enum.Enum):
        try:
            return base(value)
        except ValueError:
            raise bad(path, 'one of %s' % ', '.join(repr(m.value) for m in base), value) from None
    if base is bool:
        return truth(value, path)
    if base in (int, float):
        return number(base, value, path)
    if base is decimal.Decimal and isinstance(value, (int, float, str)):
        return decimal.Decimal(str(value))
    if issubclass(base, (datetime.date, datetime.time)):
        return moment(base, value, path)
    if base is pathlib.Path and isinstance(value, str):
        return pathlib.Path(value)
    raise bad(path, base.__name__, value)


def dump(value, mode, **how):
    if isinstance(value, Model):
        return value.model_dump(mode=mode, **how)
    if isinstance(value, Later) and mode == 'json' and not any(how.values()):
        return value.written(mode, how)
    if isinstance(value, dict):
        return {dump(k, mode): dump(v, mode, **how) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [dump(v, mode, **how) for v in value]
        return items if mode == 'json' else type(value)(items)
    if mode != 'json':
        return value
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return str(value) if isinstance(value, (decimal.Decimal, pathlib.Path)) else value
