"""What the programs that follow scripts need, beside the generated code."""
import warnings
from collections.abc import Callable

import treaty_runtime as rt


def refuses(operation: Callable[..., object], *data: object) -> None:
    """The data is not allowed; the state may still be used."""
    try:
        operation(*data)
    except rt.DataError as error:
        assert ".treaty:" in str(error)
        return
    raise AssertionError("data that is not allowed was sent")


def run(session: Callable[[], None], ended: bool) -> None:
    """Runs a session; one that has ended must not have been abandoned by any role."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        session()
    abandoned = [str(w.message) for w in caught if issubclass(w.category, rt.AbandonedWarning)]
    assert not (ended and abandoned), abandoned


def allowed(fault: str | None) -> None:
    assert fault is None, fault


def refused(fault: str | None) -> None:
    assert fault is not None, "the monitor allows what watch refuses"
