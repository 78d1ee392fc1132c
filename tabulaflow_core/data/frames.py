"""Arrow -> pandas without changing a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import pandas as pd


def dataframe_of(table: pa.Table) -> pd.DataFrame:
    """The rows as a DataFrame with the same column names in the same order, also when they repeat or are empty.

    Arrow's own way makes doubles of integers among which there are NULLs, and so loses their digits above 2^53. Here
    those become pandas' nullable integers (`Int64` and its like) and truth values with NULLs `boolean`; without a NULL
    they are NumPy's. Doubles and text have NaN for NULL, instants NaT. Decimals, days, times of day, bytes, lists and
    structs are Python's objects, with None.
    """
    import pandas as pd

    nullable = {
        **{getattr(pa, f"int{bits}")(): getattr(pd, f"Int{bits}Dtype")() for bits in (8, 16, 32, 64)},
        **{getattr(pa, f"uint{bits}")(): getattr(pd, f"UInt{bits}Dtype")() for bits in (8, 16, 32, 64)},
        pa.bool_(): pd.BooleanDtype(),
    }
    # By number: pandas cannot take columns apart that have one name.
    columns = {
        number: column.to_pandas(types_mapper=nullable.get if column.null_count else None)
        for number, column in enumerate(table.columns)
    }
    frame = pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))
    frame.columns = pd.Index(table.column_names, dtype="str")
    return frame
