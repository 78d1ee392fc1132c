"""One contract suite for every connector."""

import pytest

pytest.register_assert_rewrite("tests.data.contract.connector_cases")
