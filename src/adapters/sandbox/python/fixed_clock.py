"""The clock of Python components: it stands still, at the same instant as in `../fixed-clock.ts` for JavaScript."""
import datetime, os, time


def stop_clocks():
    NOW = 1767225600
    real_date, real_datetime = datetime.date, datetime.datetime
    localtime, gmtime, strftime, asctime, ctime = time.localtime, time.gmtime, time.strftime, time.asctime, time.ctime

    # Instances that are made inside the library are of the real classes, and are to be taken for these.
    class AsReal(type):
        def __instancecheck__(cls, value):
            stands_in = cls.__base__ in (real_date, real_datetime)
            return isinstance(value, cls.__base__) if stands_in else type.__instancecheck__(cls, value)
        def __subclasscheck__(cls, other):
            stands_in = cls.__base__ in (real_date, real_datetime)
            return issubclass(other, cls.__base__) if stands_in else type.__subclasscheck__(cls, other)

    class date(real_date, metaclass=AsReal):
        @classmethod
        def today(cls):
            return cls(2026, 1, 1)

    class Datetime(real_datetime, metaclass=AsReal):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(NOW, tz)
        @classmethod
        def utcnow(cls):
            return cls(2026, 1, 1)
        @classmethod
        def today(cls):
            return cls.fromtimestamp(NOW)

    date.__module__ = Datetime.__module__ = 'datetime'
    Datetime.__name__ = Datetime.__qualname__ = 'datetime'
    date.__qualname__ = 'date'
    datetime.date, datetime.datetime = date, Datetime
    for name in ['monotonic', 'perf_counter', 'process_time', 'thread_time']:
        setattr(time, name, lambda: 0.0)
        setattr(time, name + '_ns', lambda: 0)
    time.time, time.time_ns = (lambda: float(NOW)), (lambda: NOW * 1000000000)
    time.clock_gettime, time.clock_gettime_ns = (lambda _: float(NOW)), (lambda _: NOW * 1000000000)
    time.localtime = lambda seconds=None: localtime(NOW if seconds is None else seconds)
    time.gmtime = lambda seconds=None: gmtime(NOW if seconds is None else seconds)
    time.ctime = lambda seconds=None: ctime(NOW if seconds is None else seconds)
    time.asctime = lambda parts=None: asctime(localtime(NOW) if parts is None else parts)
    time.strftime = lambda form, parts=None: strftime(form, localtime(NOW) if parts is None else parts)
    os.times = lambda: os.times_result((0.0,) * 5)
