"""What every answer would settle on a tree of free and exclusive child groups, by one pass up and one down."""

from __future__ import annotations

import numpy as np

from ..compiling import njit


@njit(cache=True, nogil=True)
def weigh_on_tree(yes, no, label, first_group, kind, first_member, member, if_yes, if_no):  # type: ignore[no-untyped-def]
    """Weigh answers on a tree.

    A no settles the subtree, a yes the path to the root and the excluded subtrees.
    """
    n_nodes = label.size
    below = np.empty(n_nodes)  # the weight of turning a subtree off
    path = np.empty(n_nodes)
    of_group = np.empty(kind.size)
    for i in range(yes.shape[0]):
        for v in range(n_nodes - 1, -1, -1):
            below[v] = no[i, label[v]] if v > 0 else 0.0
            for g in range(first_group[v], first_group[v + 1]):
                of_group[g] = 0.0
                for j in range(first_member[g], first_member[g + 1]):
                    of_group[g] += below[member[j]]
                below[v] += of_group[g]
        path[0] = 0.0
        for v in range(n_nodes):
            for g in range(first_group[v], first_group[v + 1]):
                for j in range(first_member[g], first_member[g + 1]):
                    c = member[j]
                    path[c] = path[v] + yes[i, label[c]]
                    if kind[g] != 0:
                        path[c] += of_group[g] - below[c]
                    if_yes[i, label[c]] = path[c]
                    if_no[i, label[c]] = below[c]
