"""What a job is, as text: the same content has the same key, in this process and in any other.

What can be imported is its name. What is defined in a script, a notebook or inside a function has
no lasting name, so that its code is its name: bytecode and constants, defaults, what it closes
over, and the globals it uses, down to what can be imported. A comment or an empty line more makes
no difference; another helper function that `fit` calls does.
"""

from __future__ import annotations

import dis
import hashlib
import sys
from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from palio.errors import ParameterError


def digest(*parts: object) -> str:
    """Hash described parts into a key.

    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", 2)
    (True, False)
    """
    text = _Description().text
    return _hashed("\x1f".join([text(part) for part in parts]))


def digest_each(values: Iterable[object]) -> list[str]:
    """Hash each value by itself; the code of a class that many are of is looked at once.

    Nothing is remembered beyond the call, for classes and functions can be changed.

    >>> digest_each(["a", 1]) == [digest("a"), digest(1)]
    True
    """
    text = _Description().text
    return [_hashed(text(value)) for value in values]


def seed_from(*parts: object) -> int:
    """Draw a seed from what the job is, so that it does not depend on when or where it runs.

    >>> 0 <= seed_from(0, "wine") < 2**31
    True
    """
    return int(digest(*parts)[:8], 16) & 0x7FFFFFFF


def describe(value: object) -> str:
    """Write a value as text that depends on its content alone.

    Estimators are their class and parameters, arrays their bytes, what can be imported its name;
    anything else is what it would be pickled as. Memory addresses and hash seeds never enter.

    >>> describe({"b": 1.0, "a": [True, None]})
    "{'a': [True, None], 'b': 1.0}"
    >>> import math
    >>> describe({"b", "a"}), describe(math.sin), describe(np.exp)
    ("{'a', 'b'}", 'math.sin', 'numpy.exp')
    >>> describe(lambda x: x + 1) == describe(lambda x: x + 1)
    True
    """
    return _Description().text(value)


def lasting_name(thing: Any) -> str | None:
    """Return the name of a class or function that can be imported; ``None`` if it cannot be.

    >>> lasting_name(dict), lasting_name(lambda: 1)
    ('builtins.dict', None)
    """
    module = _module(thing)
    name = f"{module}.{thing.__qualname__}"
    if "<" in name or name.startswith("__main__.") or _goes_by_value(module):
        return None
    return name


def _module(thing: Any) -> str | None:
    """Return where a thing is from; functions of an older NumPy do not say so themselves."""
    module: str | None = getattr(thing, "__module__", None)
    if module is None and getattr(np, getattr(thing, "__name__", ""), None) is thing:
        return "numpy"
    return module


def _goes_by_value(module: str | None) -> bool:
    """Whether a module is one that cloudpickle was told to send along, as no one else has it."""
    cloudpickle = sys.modules.get("cloudpickle")
    if cloudpickle is None or module is None:
        return False
    registered = cloudpickle.list_registry_pickle_by_value()
    return any(module == each or module.startswith(f"{each}.") for each in registered)


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


# What a class has that is not its content, or is content only of its methods.
_NO_CONTENT = frozenset(
    {
        "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__",
        "__annotations_cache__", "__dict__", "__doc__", "__firstlineno__", "__module__",
        "__static_attributes__", "__weakref__", "_abc_impl",
    }
)  # fmt: skip
_GLOBAL_OPERATIONS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"})


class _Description:
    """Describes values, and remembers the classes and functions it has looked into."""

    def __init__(self) -> None:
        # By id, each with the thing itself, which keeps the id from being given to another.
        self._known: dict[int, tuple[object, str]] = {}
        # Of the class or function being looked into: those it uses, in order.
        self._met: dict[int, tuple[object, int]] = {}
        # Of the thing being described: what holds it, from the top.
        self._above: dict[int, int] = {}

    def text(self, value: Any) -> str:
        """Write a value as text."""
        try:
            return self.of(value)
        except RecursionError:
            raise ParameterError(
                "algorithms",
                f"{type(value).__name__} holds itself, or parts within parts too deep to follow, "
                "so it cannot be kept apart from others",
                remedy="give it plain values",
            ) from None

    def of(self, value: Any) -> str:
        """Write a value, or a part of one."""
        if type(value) is str:
            return repr(value)
        if isinstance(value, np.generic):
            value = value.item()  # numpy's 1.0 and Python's are one
        if isinstance(value, float):
            return repr(float(value))
        if value is None or isinstance(value, bool | int | str | bytes):
            return repr(value)
        if isinstance(value, list | tuple):
            return "[" + ", ".join([self.of(item) for item in value]) + "]"
        if isinstance(value, Mapping):
            items = sorted(((self.of(key), item) for key, item in value.items()), key=itemgetter(0))
            return "{" + ", ".join([f"{key}: {self.of(item)}" for key, item in items]) + "}"
        if isinstance(value, set | frozenset):
            # By name first, so that the order in which classes are met does not depend on hashes.
            by_name = sorted(value, key=lambda item: getattr(item, "__qualname__", ""))
            return "{" + ", ".join(sorted([self.of(item) for item in by_name])) + "}"
        if type(value) is np.ndarray:
            return self._array(value)
        return self._of_thing(value)

    def _array(self, value: np.ndarray[Any, Any]) -> str:
        if value.dtype.hasobject:  # whose bytes are addresses
            content = _hashed(self.of(value.tolist()))
        else:
            content = hashlib.sha256(value.tobytes()).hexdigest()
        return f"array({value.dtype.str}, {value.shape}, {content})"

    def _of_thing(self, value: Any) -> str:
        if isinstance(value, type):
            return self._defined(value)
        if hasattr(value, "get_params"):
            return f"{self._defined(type(value))}({self.of(value.get_params(deep=False))})"
        if isinstance(value, ModuleType):
            return f"module {value.__name__}{_source(value)}"
        if isinstance(value, CodeType):
            return self._code(value)
        bound = isinstance(value, MethodType | BuiltinFunctionType)  # perhaps to something
        if callable(value) and hasattr(value, "__qualname__") and not bound:
            return self._defined(value)
        return self._reduced(value)

    # --- classes and functions -------------------------------------------------------------------

    def _defined(self, thing: Any) -> str:
        """Return a name that can be imported, or else the content."""
        name = lasting_name(thing)
        if name is not None:
            return name
        if self._met:
            return self._inside(thing)
        if id(thing) not in self._known:
            above, self._above = self._above, {}
            try:
                text = f"{thing.__qualname__}:{_hashed(self._inside(thing))}"
            finally:
                self._met, self._above = {}, above
            self._known[id(thing)] = thing, text
        return self._known[id(thing)][1]

    def _inside(self, thing: Any) -> str:
        """Describe a class or function, once: what it uses may use it in turn."""
        if id(thing) in self._met:
            return f"<definition {self._met[id(thing)][1]}>"
        self._met[id(thing)] = thing, len(self._met)
        if isinstance(thing, type):
            return self._class(thing)
        if isinstance(thing, FunctionType):
            return self._function(thing)
        if hasattr(thing, "__wrapped__"):  # such as by `functools.cache`
            return f"{self.of(type(thing))}({self.of(thing.__wrapped__)})"
        return self._reduced(thing)

    def _class(self, thing: type) -> str:
        own = {name: item for name, item in vars(thing).items() if name not in _NO_CONTENT}
        return self.of(["class", thing.__qualname__, type(thing), thing.__bases__, own])

    def _function(self, thing: FunctionType) -> str:
        used = {
            name: thing.__globals__[name]
            for name in sorted(_global_names(thing.__code__))
            if name in thing.__globals__
        }
        closed = [_contents(cell) for cell in thing.__closure__ or ()]
        parts = [thing.__defaults__, thing.__kwdefaults__, closed, used, vars(thing)]
        return f"function({self._code(thing.__code__)}, {self.of(parts)})"

    def _code(self, code: CodeType) -> str:
        """Describe what is executed, without the file and the lines it came from."""
        return self.of(
            [
                code.co_code,
                code.co_consts,
                [code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars],
                [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount],
                [code.co_flags, code.co_exceptiontable],
            ]
        )

    # --- anything else ---------------------------------------------------------------------------

    def _reduced(self, value: Any) -> str:
        """Describe a thing by what pickle would make it from, part by part.

        The pickle itself would not do: it depends on which equal parts are one object, and
        cloudpickle numbers classes at random.
        """
        if id(value) in self._above:
            return f"<{self._above[id(value)]} from the top>"
        parts = _parts(value)
        if isinstance(parts, str):
            return f"{_module(value)}.{parts}"
        self._above[id(value)] = len(self._above)
        try:
            maker, arguments, state, items, pairs = [*parts, None, None, None][:5]
            made_of = [arguments, state, list(items or ()), list(pairs or ())]
            return f"{self.of(maker)}{self.of(made_of)}"
        finally:
            del self._above[id(value)]


def _source(module: ModuleType) -> str:
    """Return the source of a module that no one else has, hashed; nothing of any other."""
    file = getattr(module, "__file__", None)
    if file is None or not _goes_by_value(module.__name__):
        return ""
    return f" {hashlib.sha256(Path(file).read_bytes()).hexdigest()}"


def _global_names(code: CodeType) -> set[str]:
    """Return the globals that code uses, and the functions and classes defined in it."""
    names = {
        str(each.argval) for each in dis.get_instructions(code) if each.opname in _GLOBAL_OPERATIONS
    }
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _global_names(constant)
    return names


def _contents(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not set yet
        return "<empty>"


def _parts(value: Any) -> Any:
    """Return what pickle would make the thing from: a name, or a callable and its arguments."""
    import cloudpickle  # type: ignore[import-untyped]

    try:
        reduce = cloudpickle.CloudPickler.dispatch_table.get(type(value))
        return reduce(value) if reduce else value.__reduce_ex__(4)
    except Exception as error:
        raise ParameterError(
            "algorithms",
            f"{type(value).__name__} cannot be pickled ({error}), so it can be neither kept apart "
            "from others nor sent to a worker",
            remedy="define it without open files, locks or connections",
        ) from error
