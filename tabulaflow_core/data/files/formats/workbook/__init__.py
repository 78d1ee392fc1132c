"""Workbooks: XLSX, XLSM, XLSB, XLS and ODS. Values through calamine, what it leaves out through a second look."""
