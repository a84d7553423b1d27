from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corollary.learning.choosing.question_queue import BestFirst

VALUES = st.lists(st.sampled_from([-np.inf, 0.0, 0.5, 1.0, 2.0]), max_size=20)


@given(
    VALUES,
    st.lists(st.tuples(st.integers(0, 19), st.sampled_from([-np.inf, 0.0, 0.7, 3.0])), max_size=20),
)
def test_the_first_of_the_largest_after_every_change(values, changes):
    queue = BestFirst(np.array(values))
    for i, value in [(None, None), *((i, v) for i, v in changes if i < len(values))]:
        if i is not None:
            values[i] = value
            queue.update(i, value)
        expected = int(np.argmax(values)) if values and max(values) > -np.inf else None
        assert queue.best() == expected
