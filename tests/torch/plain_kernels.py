"""Kernels in CUDA C compiled as plain C++ for one thread, so that they can be tested without a GPU."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import cache
from importlib.resources import files

import numpy as np

COMPILER = shutil.which("c++")
#: What C++ has to be told to take CUDA for itself: the only thread there is has all of shared memory.
AS_PLAIN = """
#include <cmath>
#define __device__
#define __global__
#define __shared__
#define __syncthreads()
#define __expf expf
template <class Real> void atomicAdd(Real *to, Real value) { *to += value; }
struct Index { int x; };
static Index threadIdx{0}, blockIdx{0}, blockDim{1}, gridDim{1};
double shared[1 << 16];
"""
REALS = {"f4": "float", "f8": "double"}


def compiler_of(file, folder):
    """What compiles a kernel with definitions and gives a function of arrays and whole numbers."""
    source = folder / "kernel.cpp"
    source.write_text(
        AS_PLAIN + files("corollary.torch").joinpath(file).read_text(encoding="utf-8")
    )

    @cache
    def compiled(**definitions):
        library = folder / f"{'_'.join(map(str, definitions.values()))}.so"
        given = [f"-D{name}={value}" for name, value in definitions.items()]
        subprocess.run(
            [COMPILER, "-shared", "-fPIC", "-std=c++17", *given, "-o", library, source], check=True
        )
        function = ctypes.CDLL(str(library)).infer

        def run(*arguments):
            function(
                *(
                    ctypes.c_int64(x) if isinstance(x, int) else ctypes.c_void_p(x.ctypes.data)
                    for x in arguments
                )
            )

        return run

    return compiled


def real_of(array: np.ndarray) -> str:
    """What C calls the numbers of an array."""
    return REALS[array.dtype.str[1:]]
